// Package methods inspects by reflection which methods of a type the framework calls:
// whether a type overrides a method of the base that it embeds, and whether a method is
// misspelled, so that the framework never calls it.
//
// The framework does so once, when a tool, resource, prompt or server is registered.
package methods

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Contract lists the methods that the framework calls on types of one kind, such as tools.
type Contract struct {
	Interface reflect.Type   // the methods of every type of the kind
	Base      reflect.Type   // the struct that such types embed; it may have more methods, for users to call
	Optional  []reflect.Type // methods that a type may have, each as an interface with this method only

	// Meant maps names that the specification and other SDKs use to the name of the
	// method in Interface or Optional, or to a sentence with the fix.
	Meant map[string]string
}

// Check returns an error for each exported method that the framework doesn't call
// although its author probably expects it to: the name is similar to the name of a method
// in the contract, or the signature of an optional method is wrong. It ignores the
// methods in own.
func (c Contract) Check(t reflect.Type, own []string) error {
	of := t
	if t.Kind() != reflect.Pointer {
		of = reflect.PointerTo(t) // to find methods with pointer receivers too
	}
	if c.hasNoOther(t, of) {
		return nil
	}
	called, optional := c.called(), c.optional()
	var problems []error
	for method := range of.Methods() {
		want := optional[method.Name]
		switch {
		case slices.Contains(own, method.Name):
		case want != nil && !SameSignature(method, want):
			problems = append(problems, fmt.Errorf("the method %s must be: %s", method.Name, signature(method.Name, want)))
		case want != nil && !has(t, method.Name):
			problems = append(problems, fmt.Errorf("the method %s is never called, since it has a pointer receiver and the %s is given by value: give &%s{…}",
				method.Name, t, t))
		case called[method.Name] == nil && !has(reflect.PointerTo(c.Base), method.Name):
			problems = append(problems, c.misnamed(method, called))
		}
	}
	return errors.Join(problems...)
}

// hasNoOther reports whether a type has no method but its base's and those that the framework
// calls, as most types have. It spares Check a look at each method, for which package reflect
// makes a type.
func (c Contract) hasNoOther(t, of reflect.Type) bool {
	methods := 0
	for method := range c.Interface.Methods() {
		if method.IsExported() {
			methods++
		}
	}
	if base := reflect.PointerTo(c.Base); base.NumMethod() > methods { // and each is promoted, since no other type is embedded
		if types := embedded(of.Elem()); len(types) != 1 || types[0] != c.Base {
			return false
		}
		methods = base.NumMethod()
	}
	for _, optional := range c.Optional {
		if t.Implements(optional) {
			methods++
		}
	}
	return of.Implements(c.Interface) && of.NumMethod() == methods
}

// Resembles reports whether a method has the signature of an optional method, and the
// name or a similar one.
func (c Contract) Resembles(method reflect.Method) bool {
	similar := func(name string) bool {
		tolerated := tolerance(name)
		return naming.Distance(method.Name, name, tolerated+1) <= tolerated
	}
	optional := c.optional()
	for name, want := range optional {
		if similar(name) && SameSignature(method, want) {
			return true
		}
	}
	for foreign, name := range c.Meant {
		if similar(foreign) && SameSignature(method, optional[name]) {
			return true
		}
	}
	return false
}

// called returns the signatures of all methods that the framework calls, by name.
func (c Contract) called() map[string]reflect.Type {
	called := c.optional()
	for method := range c.Interface.Methods() {
		if method.IsExported() {
			called[method.Name] = method.Type
		}
	}
	return called
}

// optional returns the signatures of the optional methods, by name.
func (c Contract) optional() map[string]reflect.Type {
	optional := map[string]reflect.Type{}
	for _, each := range c.Optional {
		optional[each.Method(0).Name] = each.Method(0).Type
	}
	return optional
}

// has reports whether a type has a method of that name.
func has(t reflect.Type, name string) bool {
	_, ok := t.MethodByName(name)
	return ok
}

// misnamed returns an error if a method's name is similar to the name of a method in the contract.
func (c Contract) misnamed(method reflect.Method, called map[string]reflect.Type) error {
	for _, foreign := range slices.Sorted(maps.Keys(c.Meant)) {
		if tolerated := tolerance(foreign); naming.Distance(method.Name, foreign, tolerated+1) > tolerated {
			continue
		}
		if meant := c.Meant[foreign]; called[meant] != nil {
			return neverCalled(method.Name, "did you mean "+signature(meant, called[meant])+"?")
		}
		return neverCalled(method.Name, c.Meant[foreign])
	}
	for _, name := range slices.Sorted(maps.Keys(called)) {
		if isNear(method, name, called[name]) {
			return neverCalled(method.Name, "did you mean "+signature(name, called[name])+"?")
		}
	}
	return nil
}

func neverCalled(name, fix string) error {
	return fmt.Errorf("the method %s is never called; %s If the method is your own, return %q from OwnMethods() []string", name, fix, name)
}

// tolerance returns the number of letters of a name that may differ. One letter turns
// many short names into other words, such as Name into Names, Same and Game, but few long
// names.
func tolerance(name string) int {
	switch n := len(name); {
	case n >= 13:
		return 2
	case n >= 8:
		return 1
	}
	return 0
}

// isNear reports whether a method is probably a misspelling of the given one. If the name
// may be intended, the signature must match too.
func isNear(method reflect.Method, name string, want reflect.Type) bool {
	tolerated := tolerance(name)
	distance := naming.Distance(method.Name, name, max(tolerated, 1)+1)
	switch {
	case distance == 0:
		return true
	case strings.EqualFold(strings.TrimRight(method.Name, "0123456789"), name), strings.EqualFold(method.Name, name+"s"): // Title2, Titles
		return false
	case strings.EqualFold(method.Name+"s", name), tolerated == 0 && len(name) > 4: // a server with Tools may well have a method Tool
		return distance == 1 && SameSignature(method, want)
	}
	return distance <= tolerated
}

// SameSignature reports whether a method has the given type, ignoring its receiver.
func SameSignature(method reflect.Method, want reflect.Type) bool {
	in, out := slices.Collect(method.Type.Ins()), slices.Collect(method.Type.Outs())
	return reflect.FuncOf(in[1:], out, method.Type.IsVariadic()) == want
}

// Signature returns the name and signature of a method with a receiver as Go source.
func Signature(method reflect.Method) string {
	in, out := slices.Collect(method.Type.Ins()), slices.Collect(method.Type.Outs())
	return signature(method.Name, reflect.FuncOf(in[1:], out, method.Type.IsVariadic()))
}

// signature returns a method's name and signature as Go source.
func signature(name string, of reflect.Type) string {
	return name + strings.TrimPrefix(of.String(), "func")
}
