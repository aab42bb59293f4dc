package ask_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/request/requesttest"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

const (
	modern     = spec.Version20260728
	v20251125  = spec.Version20251125
	v20250618  = spec.Version20250618
	v20250326  = spec.Version20250326
	v20241105  = spec.Version20241105
	everything = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}`
)

// compile returns the question in the form that the engine uses.
func compile(t *testing.T, q ask.Question) *request.Compiled[*ask.Answer] {
	t.Helper()
	compiled, err := request.Compile[*ask.Answer](q)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// answer decodes the raw answer to a question.
func answer(t *testing.T, q ask.Question, raw string) *ask.Answer {
	t.Helper()
	got, err := compile(t, q).Kind.Answer(&requesttest.Call{}, "q", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// assertMistake asserts that a question doesn't compile.
func assertMistake(t *testing.T, q ask.Question, want string) {
	t.Helper()
	if _, err := request.Compile[*ask.Answer](q); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got the error\n%v\nwant\n%s", err, want)
	}
}

// assertRefused asserts that a raw answer to a question is refused.
func assertRefused(t *testing.T, q ask.Question, raw, want string) {
	t.Helper()
	got, err := compile(t, q).Kind.Answer(&requesttest.Call{}, "q", []byte(raw))
	if got != nil || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %+v, %v, want the error\n%s", raw, got, err, want)
	}
}

func TestMissingCapabilitiesAreNamed(t *testing.T) {
	t.Parallel()
	form := ask.Form("Who?", func(form *ask.Fields) { form.String("name") })
	several := ask.Form("Which?", func(form *ask.Fields) { form.Enums("colours", "red", "blue") })
	url := ask.URL("Connect.", "https://example.com/connect")
	sample := ask.Sample(ask.User("Hello?"))
	withTools := ask.Sample(ask.User("Hello?")).Tools(ask.Tool{Name: "search"})
	used := ask.Sample(
		ask.User("Hello?"),
		ask.Message{Role: "assistant", ToolUses: []ask.ToolUse{{ID: "1", Name: "search"}}},
		ask.Results(ask.ToolResult{ToolUseID: "1"}),
	)
	for _, test := range []struct {
		question     ask.Question
		version      spec.Version
		capabilities string
		want         string
	}{
		{form, modern, everything, ""},
		{form, modern, `{"elicitation":{}}`, ""},
		{form, modern, `{"elicitation":{"form":{}}}`, ""},
		{form, modern, `{"elicitation":{"url":{}}}`, `{"elicitation":{"form":{}}}`},
		{form, modern, `{}`, `{"elicitation":{"form":{}}}`},
		{form, modern, ``, `{"elicitation":{"form":{}}}`},
		{form, modern, `{"elicitation":true}`, `{"elicitation":{"form":{}}}`},
		{form, modern, `{"elicitation":null}`, `{"elicitation":{"form":{}}}`},
		{form, v20251125, `{"elicitation":{"url":{}}}`, `{"elicitation":{"form":{}}}`},
		{form, v20250618, `{"elicitation":{"url":{}}}`, ""}, // there were no modes
		{form, v20250618, `{}`, `{"elicitation":{}}`},
		{several, v20251125, `{"elicitation":{}}`, ""},
		{ask.Confirm("Sure?"), modern, `{"elicitation":{}}`, ""},
		{ask.Confirm("Sure?"), modern, `{"elicitation":{"url":{}}}`, `{"elicitation":{"form":{}}}`},

		{url, modern, `{"elicitation":{"url":{}}}`, ""},
		{url, modern, `{"elicitation":{}}`, `{"elicitation":{"url":{}}}`},
		{url, v20251125, `{"elicitation":{"form":{}}}`, `{"elicitation":{"url":{}}}`},

		{sample, modern, `{"sampling":{}}`, ""},
		{sample, modern, `{"elicitation":{}}`, `{"sampling":{}}`},
		{sample, v20241105, `{"sampling":{}}`, ""},
		{withTools, modern, `{"sampling":{"tools":{}}}`, ""},
		{withTools, modern, `{"sampling":{}}`, `{"sampling":{"tools":{}}}`},
		{withTools, v20251125, `{}`, `{"sampling":{"tools":{}}}`},
		{used, modern, `{"sampling":{}}`, `{"sampling":{"tools":{}}}`},

		{ask.Roots(), modern, `{"roots":{}}`, ""},
		{ask.Roots(), v20241105, `{"roots":{"listChanged":true}}`, ""},
		{ask.Roots(), modern, `{}`, `{"roots":{}}`},
	} {
		compiled := compile(t, test.question)
		if got := compiled.Kind.Missing([]byte(test.capabilities), test.version); got != test.want {
			t.Errorf("%s, %s, %s: lacks %s, want %s", compiled.Method, test.version, test.capabilities, got, test.want)
		}
	}
}

func TestAQuestionHasAFirstVersion(t *testing.T) {
	t.Parallel()
	for want, questions := range map[spec.Version][]ask.Question{
		v20241105: {ask.Roots(), ask.Sample(ask.User("Hello?"))},
		v20250618: {ask.Confirm("Sure?"), ask.Form("Who?", func(form *ask.Fields) { form.Enum("one", "a", "b") })},
		v20251125: {
			ask.URL("Go.", "https://example.com"), ask.Sample(ask.User("Hello?")).Tools(ask.Tool{Name: "search"}),
			ask.Form("Who?", func(form *ask.Fields) { form.Enums("several", "a", "b") }),
		},
	} {
		for i, question := range questions {
			if got := compile(t, question).Kind.Since(); got != want {
				t.Errorf("question %d since %s: %s", i+1, want, got)
			}
		}
	}
}

func TestAnEarlyQuestionAcceptsAnUnaskedAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		question, early ask.Question
		method          string
	}{
		{ask.Form("Who?", nil), ask.Form("Who?", nil).Early(), "elicitation/create"},
		{ask.URL("Go.", "https://example.com"), ask.URL("Go.", "https://example.com").Early(), "elicitation/create"},
		{ask.Sample(ask.User("Hello?")), ask.Sample(ask.User("Hello?")).Early(), "sampling/createMessage"},
		{ask.Roots(), ask.Roots().Early(), "roots/list"},
	} {
		if compiled := compile(t, test.question); compiled.Early || compiled.Method != test.method {
			t.Errorf("%s is early: %t, want %s and false", compiled.Method, compiled.Early, test.method)
		}
		if !compile(t, test.early).Early {
			t.Errorf("%s is not early", test.method)
		}
	}
	if _, ok := any(ask.Confirm("Sure?")).(interface{ Early() *ask.ConfirmQuestion }); ok {
		t.Error("a confirmation can be given unasked")
	}
	if compile(t, ask.Confirm("Sure?")).Early {
		t.Error("a confirmation is early")
	}
}

func TestRootsRoundTrip(t *testing.T) {
	t.Parallel()
	for wire, want := range map[string]ask.Root{
		`{"uri":"file:///src"}`:                 {URI: "file:///src"},
		`{"uri":"file:///src","name":"Source"}`: {URI: "file:///src", Name: "Source"},
	} {
		encoded, err := codec.Marshal(want)
		if err != nil || string(encoded) != wire {
			t.Errorf("got %s, %v; want %s", encoded, err, wire)
		}
		var back ask.Root
		if err := codec.Unmarshal(encoded, &back); err != nil || back != want {
			t.Errorf("%s came back as %+v, %v", wire, back, err)
		}
	}
}

func TestRootsAreFilesOfTheClient(t *testing.T) {
	t.Parallel()
	for _, version := range []spec.Version{modern, v20241105} {
		if got := compile(t, ask.Roots()).Kind.Params([]byte(everything), version); string(got) != `{}` {
			t.Errorf("the params are %s", got)
		}
	}
	got := answer(t, ask.Roots(), `{"roots":[{"uri":"file:///src","name":"Source"},{"uri":"file:///tmp","_meta":{}}],"more":1}`).Roots()
	if len(got) != 2 || got[0] != (ask.Root{URI: "file:///src", Name: "Source"}) || got[1].URI != "file:///tmp" {
		t.Errorf("got %+v", got)
	}
	if got := answer(t, ask.Roots(), `{"roots":null}`).Roots(); len(got) != 0 { // Go encodes a nil slice as null
		t.Errorf("got %+v", got)
	}
	if got := answer(t, ask.Roots(), `{"roots":[]}`); len(got.Roots()) != 0 || got.Accepted() || got.Text() != "" {
		t.Errorf("got %+v", got)
	}
	assertRefused(t, ask.Roots(), `{"roots":[{"uri":"file:///a"},{"uri":"https://example.com"}]}`, `/roots/1/uri must begin with file://, got "https://example.com"`)
	assertRefused(t, ask.Roots(), `{"roots":[{}]}`, `/roots/0/uri must begin with file://`)
	assertRefused(t, ask.Roots(), `{"roots":"file:///a"}`, `/roots must be an array, not a string`)
	assertRefused(t, ask.Roots(), `{}`, `/roots is missing`)
	assertRefused(t, ask.Roots(), `5`, `it must be an object, not a number`)
}
