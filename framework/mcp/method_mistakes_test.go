package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// Each of these has methods that the framework never calls.
type (
	publicTool struct{ plain }
	hintedTool struct{ plain }
	schemaTool struct{ plain }
	valueTool  struct{ plain }
	deepTool   struct {
		tools.Tool
		Gates
	}
	Gates       struct{ DeepGates }
	DeepGates   struct{ StaffOnly }
	StaffOnly   struct{}
	page        struct{ resources.Resource }
	publicPage  struct{ page }
	greeting    struct{ prompts.Prompt }
	publicGreet struct{ greeting }
	openServer  struct{ servers.Server }
)

func (*publicTool) ShouldRegister(context.Context) bool { return false }
func (*publicTool) ShouldRegster(context.Context) bool  { return false }
func (*publicTool) Visible() bool                       { return false }
func (*publicTool) Guardrail() []guardrails.Guardrail   { return nil }
func (*publicTool) Guards() []guardrails.Guardrail      { return nil }
func (*publicTool) TimeOut() time.Duration              { return time.Second }
func (*publicTool) Desc() string                        { return "" }

func (*hintedTool) ReadOnly() bool         { return true }
func (*hintedTool) Destructive() bool      { return true }
func (*hintedTool) Idempotent() bool       { return true }
func (*hintedTool) IsOpenWorld() bool      { return true }
func (*hintedTool) IdempotentHint() string { return "" }
func (*hintedTool) Annotation() []string   { return nil } // its own

func (*schemaTool) InputSchema(*schema.Object) {}
func (*schemaTool) OutputSchma(*schema.Object) {}

func (*valueTool) ReadOnlyHint() bool { return true }

func (StaffOnly) VisibleTo(context.Context) bool     { return false }
func (StaffOnly) Guardrails() []guardrails.Guardrail { return nil }
func (*deepTool) Description() string                { return "A tool." }
func (*deepTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(""), nil
}

func (*page) URI() string { return "docs://page" }
func (*page) Handle(context.Context, *resources.Request) (resources.Result, error) {
	return resources.Text(""), nil
}

func (*publicPage) ShouldRegister(context.Context) bool { return false }
func (*publicPage) MimeType() string                    { return "" }
func (*publicPage) Uri() string                         { return "" } //nolint:staticcheck,revive // users write it so
func (*publicPage) URL() string                         { return "" }
func (*publicPage) Variable(*resources.Variables)       {}

func (*greeting) Description() string { return "Greets." }
func (*greeting) Handle(context.Context, *prompts.Request) (prompts.Result, error) {
	return prompts.User("Hello."), nil
}

func (*publicGreet) Guardrail() []guardrails.Guardrail { return nil }
func (*publicGreet) Argument(*prompts.Arguments)       {}
func (*publicGreet) InputSchema(*schema.Object)        {}

func (*openServer) Instruction() string                { return "" }
func (*openServer) PageSise() int                      { return 0 }
func (*openServer) Guards() []guardrails.Guardrail     { return nil }
func (*openServer) VisibleTo(ctx context.Context) bool { return false }
func (*openServer) WebsiteUrl() string                 { return "" }  //nolint:staticcheck,revive // users write it so
func (*openServer) Store() string                      { return "" }  // its own
func (*openServer) Tool(name string) servers.Tool      { return nil } // its own

// The errors for the methods, by the item that has them.
var methodMistakes = []struct {
	name string
	add  func(*servers.Server) error
	want []string
}{
	{"a tool that is public", func(s *servers.Server) error { return s.AddTool(&publicTool{}) }, []string{
		`public (*mcp_test.publicTool): the method Desc is never called; did you mean Description() string? If the method is your own, return "Desc" from OwnMethods() []string`,
		"the method Guardrail is never called; did you mean Guardrails() []guardrails.Guardrail?",
		"the method Guards is never called; did you mean Guardrails() []guardrails.Guardrail?",
		"the method ShouldRegister is never called; did you mean VisibleTo(context.Context) bool?",
		"the method ShouldRegster is never called; did you mean VisibleTo(context.Context) bool?",
		"the method TimeOut is never called; did you mean Timeout() time.Duration?",
		"the method Visible is never called; did you mean VisibleTo(context.Context) bool?",
	}},
	{"a tool without hints", func(s *servers.Server) error { return s.AddTool(&hintedTool{}) }, []string{
		"hinted (*mcp_test.hintedTool): the method Destructive is never called; did you mean DestructiveHint() bool, or to embed annotations.IsDestructive?",
		"the method Idempotent is never called; did you mean IdempotentHint() bool, or to embed annotations.IsIdempotent?",
		"the method IdempotentHint must be: IdempotentHint() bool",
		"the method IsOpenWorld is never called; did you mean OpenWorldHint() bool, or to embed annotations.IsOpenWorld?",
		"the method ReadOnly is never called; did you mean ReadOnlyHint() bool, or to embed annotations.IsReadOnly?",
	}},
	{"a tool without schemas", func(s *servers.Server) error { return s.AddTool(&schemaTool{}) }, []string{
		"schema (*mcp_test.schemaTool): the method InputSchema is never called; did you mean Schema(*schema.Object)?",
		"the method OutputSchma is never called; did you mean OutputSchema(*schema.Object)?",
	}},
	{"a tool given by value", func(s *servers.Server) error { return s.AddTool(valueTool{}) }, []string{
		"value (mcp_test.valueTool): the method ReadOnlyHint is never called, since it has a pointer receiver and the mcp_test.valueTool is given by value: give &mcp_test.valueTool{…}",
	}},
	{"a tool whose gate is embedded too deeply", func(s *servers.Server) error { return s.AddTool(&deepTool{}) }, []string{
		"deep (*mcp_test.deepTool): the method Guardrails of mcp_test.StaffOnly is never called, since tools.Tool is embedded less deeply and has one too; define Guardrails on the type itself and call the other there",
		"the method VisibleTo of mcp_test.StaffOnly is never called, since tools.Tool is embedded less deeply and has one too; define VisibleTo on the type itself and call the other there",
	}},
	{"a resource", func(s *servers.Server) error { return s.AddResource(&publicPage{}) }, []string{
		"*mcp_test.publicPage: the method MimeType is never called; did you mean MIMEType() string?",
		"*mcp_test.publicPage: the method ShouldRegister is never called; did you mean VisibleTo(context.Context) bool?",
		"*mcp_test.publicPage: the method URL is never called; did you mean URI() string?",
		"*mcp_test.publicPage: the method Uri is never called; did you mean URI() string?",
		"*mcp_test.publicPage: the method Variable is never called; did you mean Variables(*resources.Variables)?",
	}},
	{"a prompt", func(s *servers.Server) error { return s.AddPrompt(&publicGreet{}) }, []string{
		"*mcp_test.publicGreet: the method Argument is never called; did you mean Arguments(*prompts.Arguments)?",
		"*mcp_test.publicGreet: the method Guardrail is never called; did you mean Guardrails() []guardrails.Guardrail?",
		"*mcp_test.publicGreet: the method InputSchema is never called; did you mean Arguments(*prompts.Arguments)?",
	}},
}

func TestMisspelledMethodsAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range methodMistakes {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			box := boxOf()
			box.boot = func(context.Context) error { return test.add(&box.Server) }
			err := mcp.Validate(box)
			wants(t, "in Boot", err, append(test.want, "the server toolbox: Boot: ")...)
			if n := strings.Count(err.Error(), "\n") + 1; n != len(test.want) {
				t.Errorf("there are %d problems, want %d:\n%v", n, len(test.want), err)
			}

			serving := boxOf(saying("fine", ""))
			p := probeServer(t, mcp.Config{}, serving)
			wants(t, "while serving", test.add(&serving.Server), test.want...)
			if names := p.ask("tools/list", nil).names(); names != "fine" {
				t.Errorf("the server has the tools %s", names)
			}
		})
	}
}

func TestMisspelledMethodsAreRefusedInLists(t *testing.T) {
	t.Parallel()
	wants(t, "a tool", mcp.Validate(boxOf(saying("fine", ""), &publicTool{})), "the server toolbox: tool 2: public (*mcp_test.publicTool): the method Desc is never called")
	wants(t, "others", mcp.Validate(&listingServer{}),
		"the server listingServer: resource 1: *mcp_test.publicPage: the method MimeType is never called",
		"the server listingServer: prompt 1: *mcp_test.publicGreet: the method Argument is never called")
}

type listingServer struct{ servers.Server }

func (*listingServer) Resources() []servers.Resource { return []servers.Resource{&publicPage{}} }
func (*listingServer) Prompts() []servers.Prompt     { return []servers.Prompt{&publicGreet{}} }

func TestMisspelledMethodsOfAServerAreRefused(t *testing.T) {
	t.Parallel()
	err := mcp.Validate(&openServer{})
	wants(t, "Validate", err,
		"the server openServer: the method Guards is never called; did you mean Guardrails() []guardrails.Guardrail?",
		"the server openServer: the method Instruction is never called; did you mean Instructions() string?",
		"the server openServer: the method PageSise is never called; did you mean PageSize() int?",
		"the server openServer: the method VisibleTo is never called; every client of a route sees its server: guard the route, or return a guardrails.Permission from Guardrails. If",
		"the server openServer: the method WebsiteUrl is never called; did you mean Website() string?")
	if n := strings.Count(err.Error(), "\n") + 1; n != 5 {
		t.Errorf("there are %d problems:\n%v", n, err)
	}
}

// ownTool has methods that look like mistakes, and lists them in OwnMethods.
type ownTool struct{ plain }

func (*ownTool) Guard() string         { return "" }
func (*ownTool) Visible() bool         { return false }
func (*ownTool) Annotations() []string { return nil }
func (*ownTool) OwnMethods() []string  { return []string{"Guard", "Visible", "Annotations"} }

func TestOwnMethodsAreAccepted(t *testing.T) {
	t.Parallel()
	if err := mcp.Validate(boxOf(&ownTool{})); err != nil {
		t.Error(err)
	}
}

type (
	rashTool  struct{ destroyer }
	destroyer struct {
		plain
		annotations.IsReadOnly
		annotations.IsDestructive
	}
	carefulTool struct{ destroyer }
	hintedIn    struct {
		annotations.IsReadOnly
		Page int `json:"page"`
	}
	gatedIn  struct{ Name string }
	songIn   struct{ Name string }
	missedIn struct{ Name string }
	ownIn    struct{ missedIn }
)

func (*carefulTool) DestructiveHint() bool          { return false }
func (*gatedIn) VisibleTo(context.Context) bool     { return false }
func (gatedIn) ShouldRegister(context.Context) bool { return false }
func (gatedIn) Guardrails() []guardrails.Guardrail  { return nil }
func (gatedIn) Schema(*schema.Object)               {}
func (missedIn) ShouldRegster(context.Context) bool { return false }
func (missedIn) Visible(context.Context) bool       { return false }
func (missedIn) Guards() []guardrails.Guardrail     { return nil }
func (missedIn) InputSchema(*schema.Object)         {}
func (missedIn) OutputSchma(*schema.Object)         {}
func (missedIn) ReadOnly() bool                     { return true }
func (missedIn) IsDestructive() bool                { return true }
func (ownIn) OwnMethods() []string {
	return []string{"ShouldRegster", "Visible", "Guards", "InputSchema", "OutputSchma", "ReadOnly", "IsDestructive"}
}
func (songIn) Visible() bool                     { return true }
func (songIn) ReadOnly() string                  { return "" }
func (songIn) Title() string                     { return "" }
func (songIn) Schema() string                    { return "" }
func (songIn) Annotations() *content.Annotations { return nil }

func function[In any]() servers.Tool {
	return tools.Func("fn", "A function.", func(context.Context, In) (string, error) { return "", nil })
}

func TestADefinitionThatContradictsItselfIsRefused(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	rash := tools.New(tools.Definition{Name: "rash", Description: "Rash.", Annotations: annotations.Hints{ReadOnly: &yes, Destructive: &yes}}, (&plain{}).Handle)
	fine := tools.New(tools.Definition{Name: "fine", Description: "Fine.", Annotations: annotations.Hints{ReadOnly: &yes, Destructive: &no, Idempotent: &yes}}, (&plain{}).Handle)
	wants(t, "a type", mcp.Validate(boxOf(&rashTool{})),
		"rash (*mcp_test.rashTool): it is both read-only and destructive; embed only one of annotations.IsReadOnly and annotations.IsDestructive, or let")
	wants(t, "a definition", mcp.Validate(boxOf(rash)),
		"rash (*tools.defined): it is both read-only and destructive; leave Annotations.ReadOnly or Annotations.Destructive out")
	if err := mcp.Validate(boxOf(&carefulTool{}, fine)); err != nil {
		t.Errorf("hints that only say more than they have to: %v", err)
	}
}

func TestMethodsOfAnArgumentTypeAreNotMisspellings(t *testing.T) {
	t.Parallel()
	const fix = ", which is never called there; define a type that embeds tools.Typed, or call tools.New. If the method is your own, return its name from OwnMethods() []string"
	wants(t, "a marker", mcp.Validate(boxOf(function[hintedIn]())), "its arguments, mcp_test.hintedIn, have a method ReadOnlyHint"+fix)
	for _, tool := range []servers.Tool{function[gatedIn](), function[*gatedIn]()} {
		wants(t, "methods", mcp.Validate(boxOf(tool)), "its arguments, mcp_test.gatedIn, have a method VisibleTo"+fix,
			"have a method ShouldRegister"+fix, "have a method Guardrails"+fix, "have a method Schema"+fix)
	}
	for _, name := range []string{"ShouldRegster", "Visible", "Guards", "InputSchema", "OutputSchma", "ReadOnly", "IsDestructive"} {
		wants(t, "a misspelling", mcp.Validate(boxOf(function[missedIn]())), "its arguments, mcp_test.missedIn, have a method "+name+fix)
	}
	if err := mcp.Validate(boxOf(function[songIn](), tools.Func("own", "Own.", func(context.Context, ownIn) (string, error) { return "", nil }))); err != nil {
		t.Errorf("methods of the data's own: %v", err)
	}
}

// A levelIn has fields that its schema accepts but that are never decoded.
type (
	level   int
	levelIn struct {
		Level  level               `json:"level"`
		Inner  []struct{ L level } `json:"inner"`
		Writer fmt.Stringer        `json:"writer"`
		At     time.Time           `json:"at"`
		Any    any                 `json:"any"`
	}
)

func (level) MarshalText() ([]byte, error) { return []byte("high"), nil }

func TestAFieldThatCannotBeDecodedIsFoundAtBoot(t *testing.T) {
	t.Parallel()
	err := mcp.Validate(boxOf(function[levelIn]()))
	wants(t, "a text without UnmarshalText", err, "fn (*tools.function[github.com/bowline-mcp/bowline/framework/mcp_test.levelIn,string]): "+
		"the field Level of mcp_test.levelIn is of type mcp_test.level, which is written as a text by MarshalText, but can't be read from one; give *mcp_test.level an UnmarshalText method")
	wants(t, "a nested one", err, "the field L of struct { L mcp_test.level } is of type mcp_test.level")
	wants(t, "an interface", err, "the field Writer of mcp_test.levelIn is of the interface type fmt.Stringer, which can't be decoded; use a struct, or any")
	if strings.Contains(err.Error(), "field At ") || strings.Contains(err.Error(), "field Any ") {
		t.Errorf("it refuses others: %v", err)
	}
}
