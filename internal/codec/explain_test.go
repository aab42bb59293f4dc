package codec_test

import (
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/codec"
)

func TestExplainSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	type into struct {
		Text string           `json:"text"`
		N    int8             `json:"n"`
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
		`{"n":300}`:        "/n must be an integer, and not so large",
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
	var v into
	got := codec.Explain(codec.Unmarshal([]byte(`{"at":"noon"}`), &v))
	if want := "/at is a string of a form that is not taken here"; got != want {
		t.Errorf("Explain = %q, want %q", got, want)
	}
}
