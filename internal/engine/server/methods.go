package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/engine/methods"
	"github.com/bowline-mcp/bowline/internal/engine/request"
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
	own := slices.Concat(v.OwnMethods(), []string{"Confirmation"}) // which checkConfirmed checks
	if request.TypesOf(v) != nil {
		own = append(own, "Call") // which bindTyped checks
	}
	problems := []error{contract.Check(of, own)}
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
	switch v.(type) {
	case tools.Interface:
		contract := toolContract()
		if types := request.TypesOf(v); types != nil {
			contract.Base, contract.Optional = types.Base(), append(slices.Clip(contract.Optional), types.Method())
		}
		return contract
	case resources.Interface:
		return resourceContract()
	case prompts.Interface:
		return promptContract()
	default:
		return serverContract()
	}
}

// The contracts are made once. For each tool anew, they took 0.1 ms when the reference app
// starts.
//
//nolint:gochecknoglobals // never change
var (
	toolContract = sync.OnceValue(func() methods.Contract {
		contract := contractFor[tools.Interface, tools.Tool](map[string]string{"InputSchema": "Schema"})
		contract.Optional = append(hintMethods(), reflect.TypeFor[confirmer]())
		for name, hint := range map[string]string{
			"ReadOnly": "ReadOnlyHint", "Destructive": "DestructiveHint", "Idempotent": "IdempotentHint", "OpenWorld": "OpenWorldHint",
		} {
			contract.Meant[name] = fmt.Sprintf("did you mean %s() bool, or to embed annotations.Is%s?", hint, name)
			contract.Meant["Is"+name] = contract.Meant[name]
		}
		return contract
	})
	resourceContract = sync.OnceValue(func() methods.Contract {
		return contractFor[resources.Interface, resources.Resource](map[string]string{"URL": "URI", "URITemplate": "URI", "Variable": "Variables"})
	})
	promptContract = sync.OnceValue(func() methods.Contract {
		return contractFor[prompts.Interface, prompts.Prompt](map[string]string{"Argument": "Arguments", "Schema": "Arguments", "InputSchema": "Arguments"})
	})
	serverContract = sync.OnceValue(func() methods.Contract {
		contract := contractFor[servers.Interface, servers.Server](map[string]string{"Instruction": "Instructions", "WebsiteURL": "Website"})
		for _, name := range []string{"VisibleTo", "ShouldRegister", "Visible", "IsVisible"} {
			contract.Meant[name] = "every client of a route sees its server: guard the route, or return a guardrails.Permission from Guardrails."
		}
		return contract
	})
	// onlyTools lists the methods that only tools have.
	onlyTools = sync.OnceValue(func() methods.Contract {
		contract := contractFor[tools.Interface, tools.Tool](map[string]string{
			"ReadOnly": "ReadOnlyHint", "Destructive": "DestructiveHint", "Idempotent": "IdempotentHint", "OpenWorld": "OpenWorldHint",
			"IsReadOnly": "ReadOnlyHint", "IsDestructive": "DestructiveHint", "IsIdempotent": "IdempotentHint", "IsOpenWorld": "OpenWorldHint",
			"InputSchema": "Schema",
		})
		contract.Optional = append(hintMethods(), reflect.TypeFor[interface {
			VisibleTo(ctx context.Context) bool
		}](),
			reflect.TypeFor[interface{ Guardrails() []guardrails.Guardrail }](),
			reflect.TypeFor[interface{ Schema(s *schema.Object) }](), reflect.TypeFor[interface{ OutputSchema(s *schema.Object) }]())
		return contract
	})
)

// contractFor returns a contract for types that embed Base. Meant has names for these types
// only; the contract adds those for all kinds.
func contractFor[Interface, Base any](meant map[string]string) methods.Contract {
	maps.Copy(meant, map[string]string{
		"ShouldRegister": "VisibleTo", "Visible": "VisibleTo", "IsVisible": "VisibleTo",
		"CacheHints": "CacheHint", "CacheScope": "CacheHint", "CacheControl": "CacheHint",
		"Guard": "Guardrails", "Guards": "Guardrails", "Guardrail": "Guardrails", "Desc": "Description",
	})
	return methods.Contract{Interface: reflect.TypeFor[Interface](), Base: reflect.TypeFor[Base](), Meant: meant}
}

// hintMethods returns the methods of a tool that state hints.
func hintMethods() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[interface{ ReadOnlyHint() bool }](), reflect.TypeFor[interface{ DestructiveHint() bool }](),
		reflect.TypeFor[interface{ IdempotentHint() bool }](), reflect.TypeFor[interface{ OpenWorldHint() bool }](),
	}
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

// checkArguments refuses a struct of arguments that has methods of a tool, spelled
// correctly or not: they would never be called. Data may have methods such as Title, so
// it refuses only methods whose name and signature only tools have.
func checkArguments(handler servers.Tool) error {
	types := request.TypesOf(handler)
	if types == nil {
		return nil
	}
	of, fix := types.Arguments(), "define it on the tool"
	if isMade(handler) {
		fix = "define a type that embeds tools.Typed, or call tools.New"
	}
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
		if !slices.Contains(own, method.Name) && onlyTools().Resembles(method) {
			problems = append(problems, fmt.Errorf("its arguments, %s, have a method %s, which is never called there; %s. "+
				"If the method is your own, return its name from OwnMethods() []string", of.Elem(), method.Name, fix))
		}
	}
	return errors.Join(problems...)
}

// checkResults refuses a type of results that isn't encoded as its output schema says.
func checkResults(handler servers.Tool) error {
	if types := request.TypesOf(handler); types != nil {
		return codec.CheckEncoded(types.Result())
	}
	return nil
}
