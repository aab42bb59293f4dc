package content_test

import (
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestBlocksAreAnnotatedInOneLine(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 28, 12, 30, 0, 0, time.UTC)
	for _, test := range []struct {
		name  string
		block content.Block
		want  string
	}{
		{"audience", content.Text("a").For(content.User, content.Assistant), `{"type":"text","text":"a","annotations":{"audience":["user","assistant"]}}`},
		{"priority", content.Text("a").Priority(0.5), `{"type":"text","text":"a","annotations":{"priority":0.5}}`},
		{"a priority of nothing is sent", content.Text("a").Priority(0), `{"type":"text","text":"a","annotations":{"priority":0}}`},
		{"a priority beyond 1 is 1", content.Text("a").Priority(7), `{"type":"text","text":"a","annotations":{"priority":1}}`},
		{"a priority below 0 is 0", content.Text("a").Priority(-7), `{"type":"text","text":"a","annotations":{"priority":0}}`},
		{"modified", content.Text("a").Modified(at), `{"type":"text","text":"a","annotations":{"lastModified":"2026-07-28T12:30:00Z"}}`},
		{"all", content.Text("").For(content.User).Priority(1).Modified(at).WithMeta(map[string]any{"example.com/k": "v"}),
			`{"type":"text","text":"","annotations":{"audience":["user"],"priority":1,"lastModified":"2026-07-28T12:30:00Z"},"_meta":{"example.com/k":"v"}}`},
		{"media", content.Image([]byte("abc"), "image/png").For(content.User),
			`{"type":"image","data":"YWJj","mimeType":"image/png","annotations":{"audience":["user"]}}`},
		{"links", content.Link("x:y", "n").Priority(1).WithMeta(map[string]any{"k": 1}),
			`{"type":"resource_link","uri":"x:y","name":"n","annotations":{"priority":1},"_meta":{"k":1}}`},
		{"resources", content.EmbedText("x:y", "", "").For(content.Assistant),
			`{"type":"resource","resource":{"uri":"x:y","text":""},"annotations":{"audience":["assistant"]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := codec.Marshal(test.block)
			if err != nil || string(got) != test.want {
				t.Errorf("got\n%s, %v\nwant\n%s", got, err, test.want)
			}
			if appended := test.block.AppendJSON([]byte("x")); string(appended) != "x"+test.want {
				t.Errorf("appended is\n%s\nwant\n%s", appended, "x"+test.want)
			}
		})
	}
}

func TestAnnotatingABlockChangesACopy(t *testing.T) {
	t.Parallel()
	plain := content.Text("a")
	first := plain.For(content.User)
	second := first.For(content.Assistant).Priority(0.3)
	if plain.Annotations != nil || len(first.Annotations.Audience) != 1 || first.Annotations.Audience[0] != content.User || first.Annotations.Priority != nil {
		t.Errorf("the originals changed: %+v, %+v", plain.Annotations, first.Annotations)
	}
	if second.Annotations.Audience[0] != content.Assistant {
		t.Errorf("the copy has %+v", second.Annotations)
	}
}
