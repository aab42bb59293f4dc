package server

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// A component is a server, or a tool, resource, prompt or features that are registered with one.
type component struct {
	value any
	at    place
}

// A place is where a component is registered.
type place struct {
	set    string // says where the program sets the component's fields
	yields bool   // whether an item that the server has by itself wins
}

// setWhereMade says where the fields of a server are set.
const setWhereMade = "set it where the program makes the server, such as routes/ai.go"

// added returns the place of what an Add method of a server registers.
func added() place { return place{set: "set it where it is added to the server"} }

// listed returns the place of what a method of a server lists.
func listed(method string, server any) place {
	return place{set: fmt.Sprintf("set it where %s() of %T lists it", method, server)}
}

// yielding returns the place of what a method of features lists.
func yielding(method string, features any) place {
	at := listed(method, features)
	at.yields = true
	return at
}

// A fieldCheck finds fields of components that aren't set. Until the server has booted, it keeps the
// components, since Boot may set fields.
type fieldCheck struct {
	lock   sync.Mutex
	kept   []component
	booted bool
}

// check returns an error for each exported field of a component that is a nil pointer or a nil
// interface. Until the server has booted, checkAll does.
func (f *fieldCheck) check(of component) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	if !f.booted {
		f.kept = append(f.kept, of)
		return nil
	}
	return of.unset()
}

// checkAll checks the components that have been registered. From then on, check checks each at
// once.
func (f *fieldCheck) checkAll() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	var problems []error
	for _, of := range f.kept {
		problems = append(problems, of.unset())
	}
	f.kept, f.booted = nil, true
	return errors.Join(problems...)
}

// unset returns an error for each field that is nil, and for each tag mcp that isn't known. For ten
// tools with two fields it takes 3 µs and no memory, so that nothing is kept about types.
func (c component) unset() error {
	if isMade(c.value) {
		return nil // its type is ours
	}
	var problems []error
	walkFields(reflect.ValueOf(c.value), nil, func(field reflect.StructField, value reflect.Value) {
		tag, tagged := field.Tag.Lookup("mcp")
		kind := value.Kind()
		switch {
		case !field.IsExported():
		case tagged && tag != "optional":
			problems = append(problems, fmt.Errorf("the field %s of %T has the tag mcp:%q, but the only word is optional; write mcp:\"optional\" if the field may be nil, or drop the tag",
				field.Name, c.value, tag))
		case !tagged && (kind == reflect.Pointer || kind == reflect.Interface) && value.IsNil():
			problems = append(problems, fmt.Errorf("the field %s of %T is nil; %s, or tag the field mcp:\"optional\" if it may be nil", field.Name, c.value, c.at.set))
		}
	})
	return errors.Join(problems...)
}
