package codec_test

import (
	"encoding/json"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestARecordHasItsTextsWithoutEscapesForHTML(t *testing.T) {
	t.Parallel()
	record := struct {
		Text string          `json:"text"`
		Raw  json.RawMessage `json:"raw"`
		Hash [2]byte         `json:"hash"`
		None []string        `json:"none"`
	}{"<&>\u2028", json.RawMessage(`{"a": "<"}`), [2]byte{1, 2}, nil}
	text, err := codec.MarshalRecord(record)
	if want := `{"text":"<&>` + "\u2028" + `","raw":{"a":"<"},"hash":[1,2],"none":null}`; err != nil || string(text) != want {
		t.Errorf("the record is %s, %v, want %s", text, err, want)
	}
}
