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

// A Contract says which methods the framework calls on the types of one kind, such as tools.
type Contract struct {
	Interface reflect.Type            // the methods that every type of the kind has, since it embeds Base
	Base      reflect.Type            // what users embed, with the methods that they call
	Optional  map[string]reflect.Type // methods that are called if a type has them, as functions without the receiver

	// Meant has the names that the specification and other SDKs give to methods of Interface and Optional, each with
	// the name here, or with a sentence that says what to do instead.
	Meant map[string]string
}

// Check returns an error for each exported method of a type that the framework doesn't call although its author seems to
// expect it: the name is nearly that of a method that it calls, or the signature of an optional method is wrong. Own are
// the names of methods that the author has said to be the type's own.
func (c Contract) Check(t reflect.Type, own []string) error {
	of := t
	if t.Kind() != reflect.Pointer {
		of = reflect.PointerTo(t) // the methods of *T are the author's as well
	}
	called := c.called()
	var problems []error
	for method := range of.Methods() {
		want, optional := c.Optional[method.Name]
		_, callable := t.MethodByName(method.Name)
		switch {
		case slices.Contains(own, method.Name):
		case optional && !sameSignature(method, want):
			problems = append(problems, fmt.Errorf("the method %s must be: %s", method.Name, signature(method.Name, want)))
		case optional && !callable:
			problems = append(problems, fmt.Errorf("the method %s is never called, since it has a pointer receiver and the %s is given by value: give &%s{…}",
				method.Name, t, t))
		case called[method.Name] == nil && !c.isInherited(method.Name):
			problems = append(problems, c.misnamed(method, called))
		}
	}
	return errors.Join(problems...)
}

// called returns the signatures of all methods that the framework calls, by their names.
func (c Contract) called() map[string]reflect.Type {
	called := map[string]reflect.Type{}
	maps.Copy(called, c.Optional)
	for method := range c.Interface.Methods() {
		if method.IsExported() {
			called[method.Name] = method.Type
		}
	}
	return called
}

// isInherited reports whether the base has a method of that name, for users to call.
func (c Contract) isInherited(name string) bool {
	_, ok := reflect.PointerTo(c.Base).MethodByName(name)
	return ok
}

// misnamed returns an error if a method's name is nearly one that the framework calls.
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

// tolerance returns how many letters of a name may be wrong. A letter makes another word of many short names, as it
// makes Names, Same and Game of Name, but of hardly any long one.
func tolerance(name string) int {
	switch n := len(name); {
	case n >= 13:
		return 2
	case n >= 8:
		return 1
	}
	return 0
}

// isNear reports whether a method is probably meant to be the one of a name and signature. Where the name alone may well
// be a word of the author's own, the signature has to agree too.
func isNear(method reflect.Method, name string, want reflect.Type) bool {
	tolerated := tolerance(name)
	distance := naming.Distance(method.Name, name, max(tolerated, 1)+1)
	switch {
	case distance == 0:
		return true
	case strings.EqualFold(strings.TrimRight(method.Name, "0123456789"), name), strings.EqualFold(method.Name, name+"s"): // Title2, Titles
		return false
	case strings.EqualFold(method.Name+"s", name), tolerated == 0 && len(name) > 4: // a server's Tool may find one of its Tools
		return distance == 1 && sameSignature(method, want)
	}
	return distance <= tolerated
}

// sameSignature reports whether a method is such a function, but for its receiver.
func sameSignature(method reflect.Method, want reflect.Type) bool {
	in, out := slices.Collect(method.Type.Ins()), slices.Collect(method.Type.Outs())
	return reflect.FuncOf(in[1:], out, method.Type.IsVariadic()) == want
}

// signature returns a method as its author has to write it.
func signature(name string, of reflect.Type) string {
	return name + strings.TrimPrefix(of.String(), "func")
}
