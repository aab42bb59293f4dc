package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
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

// pinned overrides all methods of a prompt's definition.
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

// declaring is a prompt whose arguments a function declares.
type declaring struct {
	CodeReviewPrompt
	declare func(*prompts.Arguments)
}

func (d *declaring) Arguments(arguments *prompts.Arguments) { d.declare(arguments) }

// ungot is the handler of a prompt that no test gets.
func ungot(context.Context, *prompts.Request) (prompts.Result, error) {
	return nil, errors.New("nobody should get this")
}

// prompting returns a client of a server with the prompts.
func prompting(list ...prompts.Interface) *servertest.Client {
	return servertest.Of(&servertest.Server{PromptList: list})
}

func TestADefinitionIsMadeOfThePromptsMethods(t *testing.T) {
	t.Parallel()
	const arguments = `"arguments":[{"name":"code","description":"The code to review.","required":true},{"name":"style","title":"Style"},{"name":"language"}]`
	for name, test := range map[string]struct {
		prompt prompts.Interface
		want   string
	}{
		"defaults":     {&CodeReviewPrompt{}, `{"name":"code-review","title":"Code Review","description":"Asks for a review of code.",` + arguments + `}`},
		"all":          {&pinned{}, `{"name":"code_review","title":"Review","description":"Asks for a review of code.","icons":[{"src":"https://example.com/i.png"}],` + arguments + `,"_meta":{"k":"v"}}`},
		"no arguments": {&HTTPStatusPrompt{}, `{"name":"http-status","title":"HTTP Status"}`},
		"at run time": {prompts.New(prompts.Definition{Name: "greet", Arguments: []prompts.ArgumentDefinition{{Name: "who", Required: true}}}, ungot),
			`{"name":"greet","arguments":[{"name":"who","required":true}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := prompting(test.prompt).List("prompts"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestAPromptMayHaveItsOwnTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := prompts.New(prompts.Definition{Name: "slow", Timeout: time.Second}, func(ctx context.Context, _ *prompts.Request) (prompts.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		if got := prompting(slow).Get("slow", "{}"); got != "error -32603: The request timed out after 1s (request ID)" {
			t.Errorf("got %s", got)
		}
		time.Sleep(time.Second) // for the watchdog
	})
}

func TestMistakesOfPromptsAreFoundAtRegistration(t *testing.T) {
	t.Parallel()
	with := func(declare func(*prompts.Arguments)) prompts.Interface { return &declaring{declare: declare} }
	for name, test := range map[string]struct {
		prompt prompts.Interface
		want   []string
	}{
		"no name":     {prompts.New(prompts.Definition{}, ungot), []string{"it has no name"}},
		"bad name":    {prompts.New(prompts.Definition{Name: "code review"}, ungot), []string{`its name is "code review"; it must be 1 to 128 letters`}},
		"long name":   {prompts.New(prompts.Definition{Name: strings.Repeat("a", 129)}, ungot), []string{"it must be 1 to 128 letters"}},
		"bad timeout": {prompts.New(prompts.Definition{Name: "a", Timeout: -1}, ungot), []string{"its Timeout is -1ns"}},
		"bad meta":    {prompts.New(prompts.Definition{Name: "a", Meta: map[string]any{"f": func() {}}}, ungot), []string{"func()"}},
		"duplicate": {with(func(a *prompts.Arguments) { a.Argument("x"); a.Argument("x") }),
			[]string{`the argument "x" is declared twice`}},
		"empty argument":  {with(func(a *prompts.Arguments) { a.Argument("") }), []string{`the argument "": it has no name`}},
		"bad argument":    {with(func(a *prompts.Arguments) { a.Argument("é") }), []string{`the argument "é": its name must be`}},
		"never a default": {with(func(a *prompts.Arguments) { a.Argument("x").Required().Default("1") }), []string{`it is required, so its default "1" would never be used`}},
		"default outside": {with(func(a *prompts.Arguments) { a.Argument("x").Enum("a", "b").Default("c") }),
			[]string{`its default "c" is not one of the values of its Enum: "a", "b"`}},
		"two sources": {with(func(a *prompts.Arguments) { a.Argument("x").Enum("a").Complete(completion.Values("b")) }),
			[]string{"Enum already suggests its values"}},
		"empty enum":   {with(func(a *prompts.Arguments) { a.Argument("x").Enum() }), []string{"its Enum is empty"}},
		"enum twice":   {with(func(a *prompts.Arguments) { a.Argument("x").Enum("a", "a") }), []string{`its Enum has the value "a" twice`}},
		"nil source":   {with(func(a *prompts.Arguments) { a.Argument("x").Complete(nil) }), []string{"its completion source is nil"}},
		"nil function": {with(func(a *prompts.Arguments) { a.Argument("x").Complete(completion.Func(nil)) }), []string{"its completion source is nil"}},
		"nil list":     {with(func(a *prompts.Arguments) { a.Argument("x").Complete((*ownSource)(nil)) }), []string{"its completion source is nil"}},
		"bad enum": {with(func(a *prompts.Arguments) { a.Argument("x").Complete(completion.Enum(1, 2)) }),
			[]string{"completion.Enum can't convert the type int to text"}},
		"no function": {prompts.New(prompts.Definition{Name: "a"}, nil), []string{"it has no function to call; give prompts.New one"}},
		"nothing":     {nil, []string{"it is nil; give a pointer to a prompt"}},
		"all at once": {with(func(a *prompts.Arguments) { a.Argument("").Enum(); a.Argument("é") }), []string{"has no name", "its Enum is empty", `"é"`}},
	} {
		t.Run(name, func(t *testing.T) {
			assertMistake(t, &servertest.Server{PromptList: []prompts.Interface{test.prompt}}, test.want...)
		})
	}
}

func TestAnEnumAndASourceSuggestValues(t *testing.T) {
	t.Parallel()
	client := prompting(&CodeReviewPrompt{}, &HTTPStatusPrompt{})
	const review, status = `{"type":"ref/prompt","name":"code-review"}`, `{"type":"ref/prompt","name":"http-status"}`
	assertSuggests(t, client, review, "style", `{"completion":{"values":["casual","formal"],"total":2,"hasMore":false}}`)
	assertSuggests(t, client, review, "language", `{"completion":{"values":["go","php"],"total":2,"hasMore":false}}`)
	assertSuggests(t, client, review, "code", `{"completion":{"values":[],"total":0,"hasMore":false}}`)
	assertSuggests(t, client, status, "code", `{"completion":{"values":[]}}`)
}

// assertSuggests checks the suggestions for an argument of a prompt or a variable of a
// template. Ref is a raw reference.
func assertSuggests(t *testing.T, client *servertest.Client, ref, argument, want string) {
	t.Helper()
	got := client.Result("completion/complete", fmt.Sprintf(`{"ref":%s,"argument":{"name":%q,"value":""}}`, ref, argument))
	if got != want {
		t.Errorf("%s of %s: got %s, want %s", argument, ref, got, want)
	}
}

// ownSource is a custom source.
type ownSource struct{}

func (*ownSource) Complete(_ context.Context, request *completion.Request) (completion.Result, error) {
	return completion.Of(request.Value, request.Argument("country")), nil
}

func TestSourcesKnowTheOtherArguments(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]completion.Source{"values": completion.Values(), "an enum": completion.Enum("a"), "an own one": &ownSource{}} {
		prompt := &declaring{declare: func(a *prompts.Arguments) { a.Argument("city").Complete(source) }}
		got := prompting(prompt).Result("completion/complete",
			`{"ref":{"type":"ref/prompt","name":"declaring"},"argument":{"name":"city","value":"Os"},"context":{"arguments":{"country":"Norway"}}}`)
		want := `{"completion":{"values":[],"total":0,"hasMore":false}}`
		if name == "an own one" {
			want = `{"completion":{"values":["Os","Norway"],"total":2,"hasMore":false}}`
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestArgumentsOfAPromptAreCheckedBeforeTheHandlerIsCalled(t *testing.T) {
	t.Parallel()
	two := &declaring{declare: func(a *prompts.Arguments) {
		a.Argument("a").Required()
		a.Argument("b").Required()
		a.Argument("c").Enum("x", "y")
	}}
	for name, test := range map[string]struct{ arguments, want string }{
		"all missing":     {``, `"a" is missing; "b" is missing`},
		"one missing":     {`{"a":""}`, `"b" is missing`},
		"number":          {`{"a":"1","b":2}`, `"b" must be a string, not 2`},
		"null":            {`{"a":"1","b":null}`, `"b" is missing`},
		"null in an enum": {`{"a":"1","b":null,"c":null}`, `"b" is missing`},
		"object":          {`{"a":"1","b":{"text":"x"}}`, `"b" must be a string, not {"text":"x"}`},
		"outside an enum": {`{"a":"1","b":"2","c":"z"}`, `"c" must be one of "x", "y", not "z"`},
		"empty in enum":   {`{"a":"1","b":"2","c":""}`, `"c" must be one of "x", "y", not ""`},
		"several":         {`{"b":true,"c":"X"}`, `"a" is missing; "b" must be a string, not true; "c" must be one of "x", "y", not "X"`},
	} {
		t.Run(name, func(t *testing.T) {
			params := `{"name":"declaring"}`
			if test.arguments != "" {
				params = fmt.Sprintf(`{"name":"declaring","arguments":%s}`, test.arguments)
			}
			got := prompting(two).Result("prompts/get", params)
			if want := "error -32602: The arguments of the prompt declaring are not valid: " + test.want + "."; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestALongValueIsTruncatedInErrors(t *testing.T) {
	t.Parallel()
	got := prompting(&CodeReviewPrompt{}).Get("code-review", `{"code":"","style":"`+strings.Repeat("é", 5000)+`"}`)
	if !strings.HasPrefix(got, "error -32602: ") || len(got) > 400 {
		t.Errorf("got %s", got)
	}
}
