package prompts_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/internal/codec"
)

// CodeReviewPrompt declares two arguments, the second with a default.
type CodeReviewPrompt struct{ prompts.Prompt }

func (*CodeReviewPrompt) Description() string { return "  Asks for a review of code.\n" }

func (*CodeReviewPrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("code").Description("The code to review.").Required()
	arguments.Argument("style").Title("Style").Enum("casual", "formal").Default("casual")
	arguments.Argument("language").Complete(completion.Values("go", "php"))
}

func (*CodeReviewPrompt) Handle(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
	return prompts.User(request.String("code")), nil
}

// pinned says everything that a prompt can say of itself.
type pinned struct{ CodeReviewPrompt }

func (*pinned) Name() string           { return "code_review" }
func (*pinned) Title() string          { return "Review" }
func (*pinned) Timeout() time.Duration { return time.Second }
func (*pinned) Meta() map[string]any   { return map[string]any{"k": "v"} }
func (*pinned) Icons() []content.Icon {
	return []content.Icon{{Src: "https://example.com/i.png"}}
}

// HTTPStatusPrompt has no arguments.
type HTTPStatusPrompt struct{ prompts.Prompt }

func (*HTTPStatusPrompt) Description() string { return "" }

func (*HTTPStatusPrompt) Handle(context.Context, *prompts.Request) (prompts.Result, error) {
	return nil, nil
}

func compile(t *testing.T, prompt prompts.Interface) *prompts.Compiled {
	t.Helper()
	compiled, err := prompts.Compile(prompt)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestADefinitionIsMadeOfThePromptsMethods(t *testing.T) {
	t.Parallel()
	const arguments = `"arguments":[{"name":"code","description":"The code to review.","required":true},{"name":"style","title":"Style"},{"name":"language"}]`
	for name, test := range map[string]struct {
		prompt prompts.Interface
		want   string
	}{
		"defaults":     {&CodeReviewPrompt{}, `{"name":"code-review-prompt","title":"Code Review Prompt","description":"Asks for a review of code.",` + arguments + `}`},
		"all":          {&pinned{}, `{"name":"code_review","title":"Review","description":"Asks for a review of code.","icons":[{"src":"https://example.com/i.png"}],` + arguments + `,"_meta":{"k":"v"}}`},
		"no arguments": {&HTTPStatusPrompt{}, `{"name":"http-status-prompt","title":"HTTP Status Prompt"}`},
		"at run time": {prompts.New(prompts.Definition{Name: "greet", Arguments: []prompts.ArgumentDefinition{{Name: "who", Required: true}}}, nil),
			`{"name":"greet","arguments":[{"name":"who","required":true}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(compile(t, test.prompt).JSON); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestATimeoutIsTheRequestsOwn(t *testing.T) {
	t.Parallel()
	if got := compile(t, &pinned{}).Timeout; got != time.Second {
		t.Errorf("got %v", got)
	}
	if got := compile(t, prompts.New(prompts.Definition{Name: "a", Timeout: time.Minute}, nil)).Timeout; got != time.Minute {
		t.Errorf("got %v", got)
	}
}

func TestAPromptMadeAtRunTimeCallsItsFunction(t *testing.T) {
	t.Parallel()
	prompt := prompts.New(prompts.Definition{Name: "greet", Arguments: []prompts.ArgumentDefinition{{Name: "who"}}},
		func(_ context.Context, request *prompts.Request) (prompts.Result, error) {
			return prompts.User("Hello, " + request.String("who")), nil
		})
	request, err := prompts.NewRequest(nil, compile(t, prompt), []byte(`{"who":"Ada"}`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := prompt.Handle(t.Context(), &request)
	if err != nil {
		t.Fatal(err)
	}
	if got := wire(t, result); got != `{"messages":[{"role":"user","content":{"type":"text","text":"Hello, Ada"}}]}` {
		t.Errorf("got %s", got)
	}
}

func TestDefinitionsComeBackFromTheWire(t *testing.T) {
	t.Parallel()
	for wire, want := range map[string]prompts.Definition{
		`{"name":"n"}`: {Name: "n"},
		`{"name":"n","title":"N","description":"d","icons":[{"src":"data:,x","theme":"dark"}],` +
			`"arguments":[{"name":"a","title":"A","description":"b","required":true},{"name":"c"}],"_meta":{"k":"v"}}`: {
			Name: "n", Title: "N", Description: "d", Icons: []content.Icon{{Src: "data:,x", Theme: "dark"}},
			Arguments: []prompts.ArgumentDefinition{{Name: "a", Title: "A", Description: "b", Required: true}, {Name: "c"}}, Meta: map[string]any{"k": "v"},
		},
	} {
		encoded, err := codec.Marshal(want)
		if err != nil || string(encoded) != wire {
			t.Fatalf("got\n%s, %v\nwant\n%s", encoded, err, wire)
		}
		var got prompts.Definition
		if err := codec.Unmarshal(encoded, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s came back as %+v, %v", wire, got, err)
		}
	}
}

// declaring has the arguments that a function declares.
type declaring struct {
	CodeReviewPrompt
	declare func(*prompts.Arguments)
}

func (d *declaring) Arguments(arguments *prompts.Arguments) { d.declare(arguments) }

func TestMistakesAreFoundAtRegistration(t *testing.T) {
	t.Parallel()
	with := func(declare func(*prompts.Arguments)) prompts.Interface { return &declaring{declare: declare} }
	for name, test := range map[string]struct {
		prompt prompts.Interface
		want   []string
	}{
		"no name":     {prompts.New(prompts.Definition{}, nil), []string{"it has no name"}},
		"bad name":    {prompts.New(prompts.Definition{Name: "code review"}, nil), []string{`its name is "code review"; it must be 1 to 128 letters`}},
		"long name":   {prompts.New(prompts.Definition{Name: strings.Repeat("a", 129)}, nil), []string{"it must be 1 to 128 letters"}},
		"bad timeout": {prompts.New(prompts.Definition{Name: "a", Timeout: -1}, nil), []string{"its Timeout is -1ns"}},
		"bad meta":    {prompts.New(prompts.Definition{Name: "a", Meta: map[string]any{"f": func() {}}}, nil), []string{"func()"}},
		"duplicate": {with(func(a *prompts.Arguments) { a.Argument("x"); a.Argument("x") }),
			[]string{`the argument "x" is declared twice`}},
		"empty argument":  {with(func(a *prompts.Arguments) { a.Argument("") }), []string{`the argument "": it has no name`}},
		"bad argument":    {with(func(a *prompts.Arguments) { a.Argument("é") }), []string{`the argument "é": its name must be`}},
		"never a default": {with(func(a *prompts.Arguments) { a.Argument("x").Required().Default("1") }), []string{`it is required, so its default "1" would never be used`}},
		"default outside": {with(func(a *prompts.Arguments) { a.Argument("x").Enum("a", "b").Default("c") }),
			[]string{`its default "c" is not one of the values of its Enum: "a", "b"`}},
		"two sources": {with(func(a *prompts.Arguments) { a.Argument("x").Enum("a").Complete(completion.Values("b")) }),
			[]string{"Enum suggests its values already"}},
		"empty enum":  {with(func(a *prompts.Arguments) { a.Argument("x").Enum() }), []string{"its Enum has no values"}},
		"enum twice":  {with(func(a *prompts.Arguments) { a.Argument("x").Enum("a", "a") }), []string{`its Enum has the value "a" twice`}},
		"nil source":  {with(func(a *prompts.Arguments) { a.Argument("x").Complete(nil) }), []string{"its completion source is nil"}},
		"all at once": {with(func(a *prompts.Arguments) { a.Argument("").Enum(); a.Argument("é") }), []string{"has no name", "has no values", `"é"`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := prompts.Compile(test.prompt)
			if err == nil {
				t.Fatal("nothing was found")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got\n%v\nwant …%s…", err, want)
				}
			}
		})
	}
}

func TestAnEnumAndASourceSuggestValues(t *testing.T) {
	t.Parallel()
	compiled := compile(t, &CodeReviewPrompt{})
	if len(compiled.Sources) != 2 {
		t.Fatalf("got sources for %v", compiled.Sources)
	}
	for argument, want := range map[string]string{
		"style":    `{"values":["casual","formal"],"total":2,"hasMore":false}`,
		"language": `{"values":["go","php"],"total":2,"hasMore":false}`,
	} {
		request := completion.NewRequest(nil, "", nil)
		result, err := compiled.Sources[argument].Complete(t.Context(), &request)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := codec.Marshal(result); string(got) != want {
			t.Errorf("%s: got %s, want %s", argument, got, want)
		}
	}
	if got := compile(t, &HTTPStatusPrompt{}).Sources; got != nil {
		t.Errorf("a prompt without completion has the sources %v", got)
	}
}
