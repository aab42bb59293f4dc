package completion

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A List is a source with a fixed list of values. It suggests the values that begin with
// the typed text, in the order of the list. [Values] and [Enum] make one.
type List struct {
	values  []string
	fold    bool
	problem error
}

var _ Source = List{}

// Values returns a list of the values.
func Values(values ...string) List { return List{values: slices.Clone(values)} }

// Enum returns a list of the constants of a type. The text of a constant is its value if
// it is a string, and otherwise the result of its String method.
//
//	completion.Enum(Draft, Published, Archived)
func Enum[T any](values ...T) List {
	list := List{values: make([]string, 0, len(values))}
	for _, value := range values {
		if r := reflect.ValueOf(value); r.Kind() == reflect.String {
			list.values = append(list.values, r.String())
		} else if named, ok := any(value).(fmt.Stringer); ok {
			list.values = append(list.values, named.String())
		} else {
			list.problem = fmt.Errorf("completion.Enum can't convert the type %s to text; give it a method String, or use completion.Values", reflect.TypeFor[T]())
		}
	}
	return list
}

// Fold returns a copy of the list that ignores case.
func (l List) Fold() List {
	l.fold = true
	return l
}

// Complete returns the values that begin with the typed text. It returns an error if one
// of the values has no text; a server with such a list doesn't start.
func (l List) Complete(_ context.Context, request *Request) (Result, error) {
	if l.problem != nil {
		return Result{}, l.problem
	}
	typed := request.Value
	if l.fold {
		typed = strings.ToLower(typed)
	}
	var found []string
	for _, value := range l.values {
		candidate := value
		if l.fold {
			candidate = strings.ToLower(value)
		}
		if strings.HasPrefix(candidate, typed) {
			found = append(found, value)
		}
	}
	return Of(found...), nil
}
