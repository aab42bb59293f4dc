package tools

import (
	"context"
	"encoding"
	"fmt"
	"reflect"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Func returns a tool that calls fn. Its input schema comes from the struct In (see
// [schema.Object.Struct] for the tags), and [Wrap] converts its results. If Out is a
// struct or a pointer to one, the tool's output schema comes from it, unless Out has its
// own JSON form and doesn't describe it as an object (see [schema.Describer]). A nil
// result then violates the schema.
//
//	tools.Func("add", "Adds two numbers.", func(ctx context.Context, in AddIn) (AddOut, error) { … })
//
// Values of In and Out are encoded and decoded when the tool is registered, so that a tag or
// a type that can't keep the promise of its schema is found then.
//
// To use the request, hints or icons, define a type.
func Func[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) Interface {
	out := reflect.TypeFor[Out]()
	structured := out.Kind() == reflect.Struct && !isContent(out) && !encodesItself(out)
	return &function[In, Out]{name: name, description: description, fn: fn, structured: structured}
}

// function is a tool made from a function.
type function[In, Out any] struct {
	Tool
	name, description string
	fn                func(context.Context, In) (Out, error)
	structured        bool // whether every result is structured
}

func (f *function[In, Out]) Name() string        { return f.name }
func (f *function[In, Out]) Title() string       { return "" }
func (f *function[In, Out]) Description() string { return f.description }

func (f *function[In, Out]) Schema(schema *schema.Object) {
	schema.Struct(reflect.TypeFor[In]())
}

func (f *function[In, Out]) OutputSchema(schema *schema.Object) {
	t := reflect.TypeFor[Out]()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && !isContent(t) && (!encodesItself(t) || describesObject(t)) {
		schema.Struct(t)
	}
}

func (f *function[In, Out]) Handle(ctx context.Context, request *Request) (Result, error) {
	var in In
	if err := request.Bind(&in); err != nil {
		return nil, err
	}
	out, err := f.fn(ctx, in)
	if err != nil {
		return nil, err
	}
	if f.structured {
		return Structured(&out), nil // a pointer saves the encoder a copy
	}
	return Wrap(out)
}

// isContent reports whether [Wrap] turns a type into content.
func isContent(t reflect.Type) bool {
	return t == reflect.TypeFor[Nothing]() || t == reflect.TypeFor[content.Block]() || t == reflect.TypeFor[CallResult]()
}

// ArgumentType returns the struct that the arguments are bound to.
func (f *function[In, Out]) ArgumentType() reflect.Type { return reflect.TypeFor[In]() }

// ResultType returns the type of the results.
func (f *function[In, Out]) ResultType() reflect.Type { return reflect.TypeFor[Out]() }

// describesObject reports whether a type describes its JSON form, and that is an object.
func describesObject(t reflect.Type) bool {
	if !reflect.PointerTo(t).Implements(reflect.TypeFor[schema.Describer]()) {
		return false
	}
	var root struct {
		Type string `json:"type"`
	}
	described, _ := schema.For(t) // its mistakes are found when the tool is registered
	encoded, err := described.MarshalJSON()
	return err == nil && codec.Unmarshal(encoded, &root) == nil && root.Type == "object"
}

// encodesItself reports whether a struct has a JSON form other than its fields.
func encodesItself(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	_, writes := pointer.MethodByName("MarshalJSONTo")
	return writes || pointer.Implements(reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]()) ||
		pointer.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// Constructor returns the name of the function that made the value, for error messages,
// and reports whether that function got a handler.
func (f *function[In, Out]) Constructor() (name string, complete bool) {
	return "tools.Func", f.fn != nil
}

// GoString returns the tool's name with its constructor, for error messages.
func (f *function[In, Out]) GoString() string {
	return fmt.Sprintf("tools.Func(%q, …)", f.name)
}
