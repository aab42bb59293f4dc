package codec_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestExplainSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	type into struct {
		Text string           `json:"text"`
		N    int8             `json:"n"`
		U    *uint16          `json:"u"`
		Big  int              `json:"big"`
		Half float32          `json:"half"`
		Addr netip.Addr       `json:"addr"`
		F    float64          `json:"f"`
		On   *bool            `json:"on"`
		List []int            `json:"list"`
		At   time.Time        `json:"at"`
		Map  map[string]int   `json:"map"`
		In   struct{ A bool } `json:"in"`
		Data []byte           `json:"data"`
	}
	for data, want := range map[string]string{
		`{"text":5}`:       "/text must be a string, not a number",
		`{"n":"5"}`:        "/n must be an integer, not a string",
		`{"n":300}`:        "/n must be an integer from -128 to 127",
		`{"n":2.5}`:        "/n must be an integer from -128 to 127",
		`{"u":70000}`:      "/u must be an integer from 0 to 65535",
		`{"big":1e19}`:     "/big must be an integer from -9223372036854775808 to 9223372036854775807",
		`{"f":1e400}`:      "/f must be a number that fits a floating-point number of 64 bits",
		`{"half":1e39}`:    "/half must be a number that fits a floating-point number of 32 bits",
		`{"at":"noon"}`:    "/at must be a date and time such as 2026-01-31T09:30:00Z, with capital letters and no leap second",
		`{"at":7}`:         "/at must be a date and time such as 2026-01-31T09:30:00Z, with capital letters and no leap second",
		`{"addr":"1.2.3"}`: "/addr is a string that can't be read",
		`{"f":true}`:       "/f must be a number, not a boolean",
		`{"on":[]}`:        "/on must be a boolean, not an array",
		`{"list":{}}`:      "/list must be an array, not an object",
		`{"list":[1,"a"]}`: "/list/1 must be an integer, not a string",
		`{"map":7}`:        "/map must be an object, not a number",
		`{"in":"x"}`:       "/in must be an object, not a string",
		`{"data":"%"}`:     "/data is not valid base64",
		`{"data":[1]}`:     "/data must be a string of base64, not an array",
		`[]`:               "it must be an object, not an array",
		`{"text":`:         "it is not valid JSON",
	} {
		var v into
		got := codec.Explain(codec.Unmarshal([]byte(data), &v))
		if got != want {
			t.Errorf("Explain(%s) = %q, want %q", data, got, want)
		}
	}
}
