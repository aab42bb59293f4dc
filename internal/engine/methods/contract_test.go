package methods_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/methods"
)

type rail struct{}

// tool is an example of a kind.
type tool interface {
	Name() string
	Title() string
	Schema(fields map[string]string)
	OutputSchema(fields map[string]string)
	Tools() []string
	Timeout() int
	MIMEType() string
	Guardrails() []rail
	VisibleTo(ctx context.Context) bool
	OwnMethods() []string
	mustEmbed()
}

type toolBase struct{ tool }

func (toolBase) AddTool(string) {}

func contract() methods.Contract {
	return methods.Contract{
		Interface: reflect.TypeFor[tool](), Base: reflect.TypeFor[toolBase](),
		Optional: []reflect.Type{reflect.TypeFor[interface{ ReadOnlyHint() bool }](), reflect.TypeFor[interface{ DestructiveHint() bool }]()},
		Meant: map[string]string{
			"ShouldRegister": "VisibleTo", "Visible": "VisibleTo", "InputSchema": "Schema", "Guardrail": "Guardrails",
			"URL": "Name", "Annotations": "state hints by ReadOnlyHint.",
		},
	}
}

// Each type has methods that are likely mistakes.
type (
	registers    struct{ toolBase }
	misspelt     struct{ toolBase }
	shortOnes    struct{ toolBase }
	foreign      struct{ toolBase }
	wrongHint    struct{ toolBase }
	misspeltHint struct{ toolBase }
	mixin        struct{}
	withMixin    struct {
		toolBase
		mixin
	}
)

func (*registers) ShouldRegister() bool { return false }
func (*registers) ShouldRegster() bool  { return false }
func (*registers) Visible() bool        { return false }

func (*misspelt) TimeOut() string      { return "" }
func (*misspelt) OutputSchma() string  { return "" }
func (*misspelt) Gaurdrail() string    { return "" }
func (*misspelt) GuardRials() string   { return "" }
func (*misspelt) MimeType() string     { return "" }
func (*misspelt) VisableTo() bool      { return false }
func (*misspelt) InputShema() struct{} { return struct{}{} }

func (*shortOnes) NAME() int                 { return 0 }
func (*shortOnes) Titel() string             { return "" }
func (*shortOnes) Tool() []string            { return nil }
func (*shortOnes) Shema(map[string]string)   {}
func (*shortOnes) Schemaa(map[string]string) {}

func (*foreign) InputSchema() string     { return "" }
func (*foreign) Annotations() []string   { return nil }
func (*foreign) Url() string             { return "" } //nolint:staticcheck,revive // users write it so
func (wrongHint) ReadOnlyHint() string   { return "" }
func (*wrongHint) DestructiveHint() bool { return false }
func (misspeltHint) ReadonlyHint() bool  { return true }
func (misspeltHint) DestrctivHint() int  { return 0 }
func (mixin) Guardrail() rail            { return rail{} }

func TestCheckSuggestsTheMethod(t *testing.T) {
	t.Parallel()
	const (
		visible    = "did you mean VisibleTo(context.Context) bool?"
		guardrails = "did you mean Guardrails() []methods_test.rail?"
		schema     = "did you mean Schema(map[string]string)?"
	)
	for _, test := range []struct {
		of   any
		want map[string]string
	}{
		{&registers{}, map[string]string{"ShouldRegister": visible, "ShouldRegster": visible, "Visible": visible}},
		{&misspelt{}, map[string]string{
			"Gaurdrail": guardrails, "GuardRials": guardrails, "InputShema": schema, "MimeType": "did you mean MIMEType() string?",
			"OutputSchma": "did you mean OutputSchema(map[string]string)?", "TimeOut": "did you mean Timeout() int?", "VisableTo": visible,
		}},
		{&shortOnes{}, map[string]string{
			"NAME": "did you mean Name() string?", "Schemaa": schema, "Shema": schema, "Titel": "did you mean Title() string?",
			"Tool": "did you mean Tools() []string?",
		}},
		{&foreign{}, map[string]string{"Annotations": "state hints by ReadOnlyHint.", "InputSchema": schema, "Url": "did you mean Name() string?"}},
		{misspeltHint{}, map[string]string{"DestrctivHint": "did you mean DestructiveHint() bool?", "ReadonlyHint": "did you mean ReadOnlyHint() bool?"}},
		{&withMixin{}, map[string]string{"Guardrail": guardrails}},
	} {
		var lines []string
		if err := contract().Check(reflect.TypeOf(test.of), nil); err != nil {
			lines = strings.Split(err.Error(), "\n")
		}
		for name, fix := range test.want {
			want := "the method " + name + " is never called; " + fix + " If the method is your own, return \"" + name + "\" from OwnMethods() []string"
			if !strings.Contains("\n"+strings.Join(lines, "\n")+"\n", "\n"+want+"\n") {
				t.Errorf("%T: want %s", test.of, want)
			}
		}
		if len(lines) != len(test.want) {
			t.Errorf("%T: got %d problems:\n%s", test.of, len(lines), strings.Join(lines, "\n"))
		}
	}
}

func TestCheckFindsOptionalMethodsThatAreNotCalled(t *testing.T) {
	t.Parallel()
	const signature = "the method ReadOnlyHint must be: ReadOnlyHint() bool"
	const receiver = "the method DestructiveHint is never called, since it has a pointer receiver and the methods_test.wrongHint is given by value: give &methods_test.wrongHint{…}"
	if err := contract().Check(reflect.TypeFor[*wrongHint](), nil); err == nil || err.Error() != signature {
		t.Errorf("a pointer: got %v", err)
	}
	if err := contract().Check(reflect.TypeFor[wrongHint](), nil); err == nil || err.Error() != receiver+"\n"+signature {
		t.Errorf("a value: got %v", err)
	}
}

// modest has methods of its own.
type modest struct{ toolBase }

func (modest) Name() string          { return "" } // the framework's
func (modest) AddTool(string)        {}
func (modest) DestructiveHint() bool { return false }
func (modest) Annotate()             {}
func (modest) Augment()              {}
func (modest) Close() error          { return nil }
func (modest) Client() string        { return "" }
func (modest) Guardian() string      { return "" }
func (modest) IsVisible() bool       { return true }
func (modest) Len() int              { return 0 }
func (modest) Name2() string         { return "" }
func (modest) Names() []string       { return nil }
func (modest) ReadOne() string       { return "" }
func (modest) Register()             {}
func (modest) Schemas() []string     { return nil }
func (modest) Store() string         { return "" }
func (modest) Tile() int             { return 0 }
func (modest) Title2() string        { return "" }
func (modest) Titles() string        { return "" }
func (modest) Tool(string) string    { return "" }
func (modest) Validate() error       { return nil }
func (modest) Timeouts() int         { return 0 }

func TestCheckLeavesTheAuthorsOwnMethodsAlone(t *testing.T) {
	t.Parallel()
	for _, of := range []reflect.Type{reflect.TypeFor[modest](), reflect.TypeFor[*modest](), reflect.TypeFor[struct{ toolBase }]()} {
		if err := contract().Check(of, nil); err != nil {
			t.Errorf("%s: %v", of, err)
		}
	}
	if err := contract().Check(reflect.TypeFor[*registers](), []string{"ShouldRegister", "ShouldRegster", "Visible"}); err != nil {
		t.Errorf("methods that are said to be its own: %v", err)
	}
}

// arguments are data with methods, as an argument of a function may have.
type arguments struct{}

func (arguments) ReadOnlyHint() bool            { return true }
func (arguments) ReadonlyHint() bool            { return true }
func (arguments) Schema(map[string]string)      {}
func (arguments) InputSchema(map[string]string) {}
func (arguments) InputShema(map[string]string)  {}
func (arguments) DestructiveHint() string       { return "" } // another signature
func (arguments) Sort()                         {}

func TestResemblesNeedsASimilarNameAndTheSameSignature(t *testing.T) {
	t.Parallel()
	only := methods.Contract{
		Optional: []reflect.Type{
			reflect.TypeFor[interface{ ReadOnlyHint() bool }](), reflect.TypeFor[interface{ DestructiveHint() bool }](),
			reflect.TypeFor[interface{ Schema(map[string]string) }](),
		},
		Meant: map[string]string{"InputSchema": "Schema"},
	}
	want := map[string]bool{"ReadOnlyHint": true, "ReadonlyHint": true, "Schema": true, "InputSchema": true, "InputShema": true}
	for method := range reflect.TypeFor[arguments]().Methods() {
		if got := only.Resembles(method); got != want[method.Name] {
			t.Errorf("%s resembles a method of the contract: %t, want %t", method.Name, got, want[method.Name])
		}
	}
}
