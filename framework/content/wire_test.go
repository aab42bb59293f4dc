package content_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Each type of block, once with all members and once with only the required ones.
func wireForms() map[string]struct {
	block content.Block
	want  string
} {
	all := &content.Annotations{Audience: []content.Role{"user"}, Priority: new(0.9), LastModified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	const allJSON = `"annotations":{"audience":["user"],"priority":0.9,"lastModified":"2026-01-02T03:04:05Z"},"_meta":{"k":"v"}`
	meta := map[string]any{"k": "v"}
	icons := []content.Icon{{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48", "any"}, Theme: "dark"}}
	return map[string]struct {
		block content.Block
		want  string
	}{
		"text":          {content.Block{Type: "text", Text: "hi", Annotations: all, Meta: meta}, `{"type":"text","text":"hi",` + allJSON + `}`},
		"empty text":    {content.Text(""), `{"type":"text","text":""}`},
		"text as it is": {content.Text("<b>&amp;\u00e9</b>\n\"\\"), `{"type":"text","text":"<b>&amp;é</b>\n\"\\"}`},
		"image":         {content.Block{Type: "image", Data: []byte{0xfb, 0xff, 0}, MIMEType: "image/png", Annotations: all, Meta: meta}, `{"type":"image","data":"+/8A","mimeType":"image/png",` + allJSON + `}`},
		"empty image":   {content.Image([]byte{}, "image/png"), `{"type":"image","data":"","mimeType":"image/png"}`},
		"audio":         {content.Audio([]byte("abc"), "audio/wav"), `{"type":"audio","data":"YWJj","mimeType":"audio/wav"}`},
		"link":          {content.Link("x:y", "n"), `{"type":"resource_link","uri":"x:y","name":"n"}`},
		"whole link": {
			content.Block{Type: "resource_link", URI: "x:y", Name: "n", Title: "N", Description: "d", MIMEType: "text/plain", Size: 7, Icons: icons, Annotations: all, Meta: meta},
			`{"type":"resource_link","uri":"x:y","name":"n","title":"N","description":"d","mimeType":"text/plain","size":7,` +
				`"icons":[{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}],` + allJSON + `}`,
		},
		"text resource": {content.EmbedText("x:y", "text/plain", ""), `{"type":"resource","resource":{"uri":"x:y","mimeType":"text/plain","text":""}}`},
		"blob resource": {content.EmbedBytes("x:y", "", []byte("abc")), `{"type":"resource","resource":{"uri":"x:y","blob":"YWJj"}}`},
		"empty blob":    {content.EmbedBytes("x:y", "", nil), `{"type":"resource","resource":{"uri":"x:y","blob":""}}`},
		"whole resource": {
			content.Block{Type: "resource", Resource: &content.Resource{URI: "x:y", MIMEType: "text/plain", Text: "t", Meta: meta}, Annotations: all, Meta: meta},
			`{"type":"resource","resource":{"uri":"x:y","mimeType":"text/plain","text":"t","_meta":{"k":"v"}},` + allJSON + `}`,
		},
	}
}

func TestBlocksMarshalToTheWireFormAndBack(t *testing.T) {
	t.Parallel()
	for name, test := range wireForms() {
		t.Run(name, func(t *testing.T) {
			got, err := codec.Marshal(test.block)
			if err != nil || string(got) != test.want {
				t.Fatalf("got\n%s, %v\nwant\n%s", got, err, test.want)
			}
			var back content.Block
			if err := codec.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, test.block) {
				t.Errorf("came back as\n%+v, %v\nwant\n%+v", back, err, test.block)
			}
			var standard content.Block
			if err := json.Unmarshal(got, &standard); err != nil || !reflect.DeepEqual(standard, test.block) {
				t.Errorf("came back through encoding/json as\n%+v, %v\nwant\n%+v", standard, err, test.block)
			}
		})
	}
}

// A type of block that the protocol has needs a wire form here.
func TestEveryTypeHasAWireForm(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, test := range wireForms() {
		known[test.block.Type] = true
	}
	for _, block := range spec.BlockTypes {
		var decoded content.Block
		if err := codec.Unmarshal([]byte(`{"type":"`+block.Name+`"}`), &decoded); errors.Is(err, content.ErrUnknownType) || !known[block.Name] {
			t.Errorf("the type %s has no wire form, or no test of it: %v", block.Name, err)
		}
		delete(known, block.Name)
	}
	if len(known) > 0 {
		t.Errorf("spec.BlockTypes lacks %v", known)
	}
}

func TestUnknownMembersOfABlockAreIgnored(t *testing.T) {
	t.Parallel()
	var block content.Block
	if err := codec.Unmarshal([]byte(`{"future":{"a":[1]},"type":"text","text":"a"}`), &block); err != nil || block.Text != "a" {
		t.Errorf("got %+v, %v", block, err)
	}
}

func TestABlockOfAnUnknownTypeIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := codec.Marshal(content.Block{Type: "video"}); !errors.Is(err, content.ErrUnknownType) {
		t.Errorf("encoding returns the error %v", err)
	}
	var block content.Block
	if err := codec.Unmarshal([]byte(`{"type":"video"}`), &block); !errors.Is(err, content.ErrUnknownType) {
		t.Errorf("decoding returns the error %v", err)
	}
}

func TestAnImageOrAudioRequiresAMIMEType(t *testing.T) {
	t.Parallel()
	for want, block := range map[string]content.Block{
		`the MIME type of the image is "png"; it must be a type such as image/png`: content.Image([]byte("abc"), "png"),
		`the MIME type of the audio is ""; it must be a type such as`:              content.Audio([]byte("abc"), ""),
	} {
		if _, err := codec.Marshal(block); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want …%s…", err, want)
		}
	}
}

func TestABlockThatCannotBeEncodedIsNotDecoded(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"type":"image","data":"","mimeType":""}`: `the MIME type of the image is ""; it must be a type such as image/png`,
		`{"type":"audio","data":"YWJj"}`:           `the MIME type of the audio is ""`,
		`{"type":"resource"}`:                      content.ErrNoResource.Error(),
		`{"type":"resource","resource":null}`:      content.ErrNoResource.Error(),
	} {
		var block content.Block
		if err := codec.Unmarshal([]byte(raw), &block); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want …%s…", raw, err, want)
		}
	}
}

func TestAResourceHoldsATextOrABlob(t *testing.T) {
	t.Parallel()
	if _, err := codec.Marshal(content.Resource{URI: "x:y", Text: "a", Blob: []byte("b")}); !errors.Is(err, content.ErrTextAndBlob) {
		t.Errorf("encoding returns the error %v", err)
	}
	var resource content.Resource
	if err := codec.Unmarshal([]byte(`{"uri":"x:y","text":"a","blob":"Yg=="}`), &resource); !errors.Is(err, content.ErrTextAndBlob) {
		t.Errorf("decoding returns the error %v", err)
	}
}
