package rawjson_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

func TestBrokenFindsTheFirstSyntaxError(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]int{
		"1": -1, ` {"a":[1,{"b":null},[]],"a":{}} `: -1, "": 0, " ": 1, "1]": 1, `"a"x`: 3, "[1 2]": 3, "[1,]": 3, "[,1]": 1, `{"a" 1}`: 5, `{"a":1,}`: 7, `{a:1}`: 1, "[1}": 2,
		"{]": 1, `{"a":1`: 6, "[1,": 3, `{"a":1` + "\n": 7, `{"a":`: 5, "[\"\x01\"]": 1, `["\x"]`: 1, "[01]": 2, "[-]": 1, "tru": 0, "[[]": 3, "[]]": 2, `{"a":1 "b":2}`: 7, `{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"` + "\n": 56,
	} {
		if got := rawjson.Broken([]byte(data)); got != want {
			t.Errorf("%q is broken at %d, want %d", data, got, want)
		}
	}
	deep := strings.Repeat(`[{"":`, 1<<20)
	if got := rawjson.Broken([]byte(deep)); got != len(deep) {
		t.Errorf("deep nesting is broken at %d of %d", got, len(deep))
	}
	if got := rawjson.Broken([]byte(deep + "1" + strings.Repeat("}]", 1<<20))); got != -1 {
		t.Errorf("deep nesting is broken at %d", got)
	}
}
