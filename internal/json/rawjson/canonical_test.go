package rawjson_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

func TestEqualValuesHaveOneCanonicalText(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		`{"a":[1,{"c":"ä","d":null}],"b":true}`: {
			`{"a":[1,{"c":"ä","d":null}],"b":true}`, ` { "b" : true , "\u0061" : [ 1.0, {"d":null,"c":"\u00e4"} ] } `, `{"b":true,"a":[10e-1,{"c":"\u00E4","d":null}]}`,
		},
		`"/"`: {`"/"`, `"\/"`, `"\u002f"`},
		`0`:   {`0`, `-0`, `0.0`, `0e9`, `-0.00e-3`},
		`1e2`: {`100`, `1e2`, `1E+2`, `100.0`, `0.1e3`},
		`[]`:  {`[]`, `[ ]`},
		`{}`:  {`{}`, `{ }`},
	} {
		for _, text := range texts {
			if got := rawjson.AppendCanonical([]byte("x"), []byte(strings.TrimSpace(text))); string(got) != "x"+want {
				t.Errorf("the canonical text of %s is %s, want %s", text, got[1:], want)
			}
		}
	}
}

func TestTheFirstRepeatedElementIsFound(t *testing.T) {
	t.Parallel()
	many := "" // so many elements that a map is used
	for i := range 20 {
		many += `"` + strings.Repeat("x", i) + `",`
	}
	for array, want := range map[string][2]int{
		`[]`:                              {},
		`[1]`:                             {},
		`["a","b","a","b"]`:               {0, 2},
		`["a","\u0061"]`:                  {0, 1},
		`["\u0061\n","a\n"]`:              {0, 1},
		`[1,2,1.0]`:                       {0, 2},
		`[0,-0]`:                          {0, 1},
		`[1,"1",true,null,[],{}]`:         {},
		`[null,true,false,null]`:          {0, 3},
		`[{"a":1,"b":2},{"b":2,"a":1.0}]`: {0, 1},
		`[[1,2],[2,1],[1,2]]`:             {0, 2},
		`[` + many + `"y"]`:               {},
		`[` + many + `"y","xx"]`:          {2, 21},
	} {
		earlier, later, found := rawjson.Repeated([]byte("  "+array), 2)
		if found != (want != [2]int{}) || found && [2]int{earlier, later} != want {
			t.Errorf("in %s the elements %d and %d are equal (%t), want %v", array, earlier, later, found, want)
		}
	}
}
