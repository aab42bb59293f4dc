package resources_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestDefinitionsRoundTrip(t *testing.T) {
	t.Parallel()
	definition := resources.Definition{
		URI: "x:y", Name: "n", Title: "N", Description: "d", MIMEType: "a/b", Size: 7, Icons: []content.Icon{{Src: "data:,x"}},
		Annotations: &content.Annotations{Priority: new(1.0)}, Meta: map[string]any{"k": "v"},
	}
	const rest = `"name":"n","title":"N","description":"d","mimeType":"a/b",`
	const more = `"icons":[{"src":"data:,x"}],"annotations":{"priority":1},"_meta":{"k":"v"}}`
	roundTrip(t, definition, `{"uri":"x:y",`+rest+`"size":7,`+more)
	roundTrip(t, resources.Definition{URI: "x:y", Name: "n"}, `{"uri":"x:y","name":"n"}`)
	template := resources.TemplateDefinition{
		URITemplate: "x:{y}", Name: "n", Title: "N", Description: "d", MIMEType: "a/b", Icons: []content.Icon{{Src: "data:,x"}},
		Annotations: &content.Annotations{Priority: new(1.0)}, Meta: map[string]any{"k": "v"},
	}
	roundTrip(t, template, `{"uriTemplate":"x:{y}",`+rest+more)
	roundTrip(t, resources.TemplateDefinition{URITemplate: "x:{y}", Name: "n"}, `{"uriTemplate":"x:{y}","name":"n"}`)
	roundTrip(t, resources.ReadResult{
		Contents: []content.Resource{{URI: "x:y", MIMEType: "a/b", Text: "t", Name: "n", Title: "N", Meta: map[string]any{"k": "v"}}, {URI: "x:z", Blob: []byte{1}}},
		Meta:     map[string]any{"k": "v"},
	}, `{"contents":[{"uri":"x:y","mimeType":"a/b","text":"t","_meta":{"k":"v","name":"n","title":"N"}},{"uri":"x:z","blob":"AQ=="}],"_meta":{"k":"v"}}`)
	roundTrip(t, resources.ReadResult{Contents: []content.Resource{{URI: "x:y"}}}, `{"contents":[{"uri":"x:y","text":""}]}`)
}

func roundTrip[T any](t *testing.T, value T, wire string) {
	t.Helper()
	encoded, err := codec.Marshal(value)
	if err != nil || string(encoded) != wire {
		t.Fatalf("got\n%s, %v\nwant\n%s", encoded, err, wire)
	}
	var back T
	if err := codec.Unmarshal(encoded, &back); err != nil || !reflect.DeepEqual(back, value) {
		t.Errorf("%s came back as\n%+v, %v\nwant\n%+v", encoded, back, err, value)
	}
}

func TestAResourceMadeAtRunTimeCallsItsFunction(t *testing.T) {
	t.Parallel()
	resource := resources.New(resources.Definition{URI: "a:{b}", Name: "n"}, func(_ context.Context, request *resources.Request) (resources.Result, error) {
		return resources.Text(request.URI() + " " + request.Variable("b")), nil
	})
	mcptest.Resource(t, resource, "a:x").AssertOK().AssertSee("a:x x")
	failing := resources.New(resources.Definition{URI: "a:b", Name: "n"}, func(context.Context, *resources.Request) (resources.Result, error) {
		return resources.Text("not sent"), resources.Errorf("Not today.")
	})
	mcptest.Resource(t, failing, "a:b").AssertError("Not today.")
}
