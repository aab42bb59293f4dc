package server

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/engine/methods"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// An authored value has a type of the program: it is a server, a tool, a resource or a prompt.
type authored interface{ OwnMethods() []string }

// checkHooks returns an error for each method that the framework doesn't call although
// its name suggests it. The compiler accepts a misspelled VisibleTo, for example, and the
// tool would be visible to everyone.
func checkHooks(v authored) error {
	if isMade(v) {
		return nil // its type is ours; a look at each of its methods takes 0.05 ms for each tool
	}
	of, contract := reflect.TypeOf(v), contractOf(v)
	problems := []error{contract.Check(of, v.OwnMethods())}
	for _, name := range []string{"VisibleTo", "Guardrails"} {
		for _, hidden := range methods.Hidden(of, contract.Base, name) {
			problems = append(problems, fmt.Errorf("the method %s of %s is never called, since %s is embedded less deeply and has one too; "+
				"define %s on the type itself and call the other there", name, hidden, contract.Base, name))
		}
	}
	return errors.Join(problems...)
}

// contractOf returns the contract that the type of v must fulfill.
func contractOf(v authored) methods.Contract {
	meant := map[string]string{
		"ShouldRegister": "VisibleTo", "Visible": "VisibleTo", "IsVisible": "VisibleTo",
		"Guard": "Guardrails", "Guards": "Guardrails", "Guardrail": "Guardrails", "Desc": "Description",
	}
	contract := methods.Contract{Meant: meant}
	switch v.(type) {
	case tools.Interface:
		contract.Interface, contract.Base = reflect.TypeFor[tools.Interface](), reflect.TypeFor[tools.Tool]()
		contract.Optional = map[string]reflect.Type{}
		for _, hint := range []string{"ReadOnlyHint", "DestructiveHint", "IdempotentHint", "OpenWorldHint"} {
			contract.Optional[hint] = reflect.TypeFor[func() bool]()
		}
		meant["InputSchema"] = "Schema"
		for name, hint := range map[string]string{
			"ReadOnly": "ReadOnlyHint", "Destructive": "DestructiveHint", "Idempotent": "IdempotentHint", "OpenWorld": "OpenWorldHint",
		} {
			meant[name] = fmt.Sprintf("did you mean %s() bool, or to embed annotations.Is%s?", hint, name)
			meant["Is"+name] = meant[name]
		}
	case resources.Interface:
		contract.Interface, contract.Base = reflect.TypeFor[resources.Interface](), reflect.TypeFor[resources.Resource]()
		meant["URL"], meant["URITemplate"], meant["Variable"] = "URI", "URI", "Variables"
	case prompts.Interface:
		contract.Interface, contract.Base = reflect.TypeFor[prompts.Interface](), reflect.TypeFor[prompts.Prompt]()
		meant["Argument"], meant["Schema"], meant["InputSchema"] = "Arguments", "Arguments", "Arguments"
	case servers.Interface:
		contract.Interface, contract.Base = reflect.TypeFor[servers.Interface](), reflect.TypeFor[servers.Server]()
		meant["Instruction"], meant["WebsiteURL"] = "Instructions", "Website"
		for _, name := range []string{"VisibleTo", "ShouldRegister", "Visible", "IsVisible"} {
			meant[name] = "every client of a route sees its server: guard the route, or return a guardrails.Permission from Guardrails."
		}
	}
	return contract
}

// visibleTo returns the method that decides whether a client sees a tool, resource or
// prompt. It returns nil if the type doesn't override the default, which shows it to
// everyone. The core can then skip the check for each request, and send all clients the
// same lists.
func visibleTo(thing any) func(context.Context) bool {
	of, ok := thing.(interface {
		authored
		VisibleTo(ctx context.Context) bool
	})
	if !ok || !methods.Overrides(reflect.TypeOf(thing), contractOf(of).Base, "VisibleTo") {
		return nil
	}
	return of.VisibleTo
}

// checkAudience refuses a method that only resources have.
func checkAudience(handler servers.Tool) error {
	if _, ok := reflect.TypeOf(handler).MethodByName("Annotations"); !ok || slices.Contains(handler.OwnMethods(), "Annotations") {
		return nil
	}
	return errors.New("it has a method Annotations, as a resource has, which is not called for a tool; " +
		"embed hints such as annotations.IsReadOnly, and say whom a result is for by its blocks, as content.Text(…).For(content.User) does. " +
		"If the method is your own, return \"Annotations\" from OwnMethods() []string")
}

// checkHints refuses contradictory hints. A client that trusts a wrong ReadOnlyHint calls
// the tool without asking its user.
func checkHints(handler servers.Tool) error {
	stated := hints(handler)
	if stated.ReadOnly == nil || stated.Destructive == nil || !*stated.ReadOnly || !*stated.Destructive {
		return nil
	}
	const mistake = "it is both read-only and destructive; "
	if isMade(handler) {
		return errors.New(mistake + "leave Annotations.ReadOnly or Annotations.Destructive out")
	}
	return errors.New(mistake + "embed only one of annotations.IsReadOnly and annotations.IsDestructive, or let only one of ReadOnlyHint and DestructiveHint return true")
}

// checkArguments refuses a function whose arguments have methods of a tool, spelled
// correctly or not: they would never be called. Data may have methods such as Title, so
// it refuses only methods whose name and signature only tools have.
func checkArguments(handler servers.Tool) error {
	made, ok := handler.(interface{ ArgumentType() reflect.Type })
	if !ok || !isMade(handler) {
		return nil
	}
	of := made.ArgumentType()
	if of.Kind() == reflect.Interface {
		return nil // its schema is a mistake
	}
	if of.Kind() != reflect.Pointer {
		of = reflect.PointerTo(of)
	}
	var own []string
	if data, ok := reflect.New(of.Elem()).Interface().(authored); ok {
		own = data.OwnMethods()
	}
	problems := []error{codec.CheckDecoded(of)}
	for method := range of.Methods() {
		if !slices.Contains(own, method.Name) && ofTools.Resembles(method) {
			problems = append(problems, fmt.Errorf("its arguments, %s, have a method %s, which is never called there; define a type that embeds tools.Tool, or call tools.New. "+
				"If the method is your own, return its name from OwnMethods() []string", of.Elem(), method.Name))
		}
	}
	return errors.Join(problems...)
}

// checkResults refuses a function whose results aren't encoded as its output schema says.
func checkResults(handler servers.Tool) error {
	made, ok := handler.(interface{ ResultType() reflect.Type })
	if !ok || !isMade(handler) {
		return nil
	}
	return codec.CheckEncoded(made.ResultType())
}

// ofTools lists the methods that only tools have.
var ofTools = methods.Contract{ //nolint:gochecknoglobals // never changes
	Optional: map[string]reflect.Type{
		"ReadOnlyHint": reflect.TypeFor[func() bool](), "DestructiveHint": reflect.TypeFor[func() bool](),
		"IdempotentHint": reflect.TypeFor[func() bool](), "OpenWorldHint": reflect.TypeFor[func() bool](),
		"VisibleTo":  reflect.TypeFor[func(context.Context) bool](),
		"Guardrails": reflect.TypeFor[func() []guardrails.Guardrail](),
		"Schema":     reflect.TypeFor[func(*schema.Object)](), "OutputSchema": reflect.TypeFor[func(*schema.Object)](),
	},
	Meant: map[string]string{
		"ReadOnly": "ReadOnlyHint", "Destructive": "DestructiveHint", "Idempotent": "IdempotentHint", "OpenWorld": "OpenWorldHint",
		"IsReadOnly": "ReadOnlyHint", "IsDestructive": "DestructiveHint", "IsIdempotent": "IdempotentHint", "IsOpenWorld": "OpenWorldHint",
		"ShouldRegister": "VisibleTo", "Visible": "VisibleTo", "IsVisible": "VisibleTo",
		"Guard": "Guardrails", "Guards": "Guardrails", "Guardrail": "Guardrails", "InputSchema": "Schema",
	},
}
