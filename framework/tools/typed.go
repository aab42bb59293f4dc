package tools

import (
	"context"
	"encoding"
	"reflect"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Typed is the base of a tool whose arguments and result are Go types. Embed it by value
// instead of [Tool], and define Call:
//
//	type AddTool struct {
//		tools.Typed[AddArguments, AddResult]
//	}
//
//	func (*AddTool) Description() string { return "Adds two numbers." }
//
//	func (*AddTool) Call(ctx context.Context, request *tools.Request, arguments AddArguments) (AddResult, error) {
//		return AddResult{Sum: arguments.A + arguments.B}, nil
//	}
//
// The input schema comes from the struct In; [schema.Object.Struct] explains the tags. The
// arguments are validated and decoded before Call runs. [Wrap] converts the result. If Out is
// a struct or a pointer to one, the tool's output schema comes from it, unless Out has its own
// JSON form and doesn't describe it as an object (see [schema.Describer]). A nil result then
// violates the schema. Out may also be a [Result], for a stream, or [Nothing].
//
// The program doesn't start if Call is missing or has another signature, or if values of In
// and Out can't be encoded and decoded as their schemas promise.
//
// A tool may define all other methods of a tool. To add to a schema, it defines Schema or
// OutputSchema and calls the one of Typed first, as in t.Typed.Schema(s).
type Typed[In, Out any] struct {
	Tool
	signature[In, Out] //nolint:unused // the engine reads its types
}

type signature[In, Out any] = request.Signature[types[In, Out]] //nolint:unused // it is embedded

// Schema describes the fields of In.
func (Typed[In, Out]) Schema(s *schema.Object) {
	s.Struct(reflect.TypeFor[In]())
}

// OutputSchema describes the fields of Out if that is a struct.
func (Typed[In, Out]) OutputSchema(s *schema.Object) {
	t := reflect.TypeFor[Out]()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && !isContent(t) && (!encodesItself(t) || describesObject(t)) {
		s.Struct(t)
	}
}

// Handle decodes the arguments, runs the method Call of the tool, and converts its result.
//
//go:noinline
func (Typed[In, Out]) Handle(ctx context.Context, r *Request) (Result, error) { // internal/engine/methods says why it isn't inlined
	input := r.input()
	handler, ok := input.Subject.Typed.(*typedHandler[In, Out])
	if !ok || input.Typed { // a tool whose Call calls Handle would call itself until the stack is full
		return nil, request.NewMistake("Handle of a tool that embeds tools.Typed was called by %s, which doesn't embed it; call the method Call of that tool", input.Subject.Of)
	}
	return handler.Handle(ctx, r)
}

// A typedHandler runs the calls of a tool whose arguments and result are Go types.
type typedHandler[In, Out any] struct {
	call       func(context.Context, *Request, In) (Out, error)
	structured bool // whether every result is structured
}

func newTypedHandler[In, Out any](call func(context.Context, *Request, In) (Out, error)) *typedHandler[In, Out] {
	out := reflect.TypeFor[Out]()
	return &typedHandler[In, Out]{call, out.Kind() == reflect.Struct && !isContent(out) && !encodesItself(out)}
}

// Handle decodes the arguments of a call, runs it, and converts its result.
func (h *typedHandler[In, Out]) Handle(ctx context.Context, r *Request) (Result, error) {
	var in In
	if err := r.Bind(&in); err != nil {
		return nil, err
	}
	input := r.input()
	input.Typed = true
	out, err := h.call(ctx, r, in)
	input.Typed = false
	if err != nil {
		return nil, err
	}
	if h.structured {
		return Structured(&out), nil // a pointer saves the encoder a copy
	}
	return Wrap(out)
}

// types implements request.Types.
type types[In, Out any] struct{}

var _ request.Types = types[struct{}, Nothing]{}

func (types[In, Out]) Arguments() reflect.Type { return reflect.TypeFor[In]() }
func (types[In, Out]) Result() reflect.Type    { return reflect.TypeFor[Out]() }
func (types[In, Out]) Base() reflect.Type      { return reflect.TypeFor[Typed[In, Out]]() }
func (types[In, Out]) Method() reflect.Type    { return reflect.TypeFor[caller[In, Out]]() }

func (types[In, Out]) Handler(tool any) any {
	if tool, ok := tool.(caller[In, Out]); ok {
		return newTypedHandler(tool.Call)
	}
	return nil
}

// A caller is a tool with the method that Typed asks for.
type caller[In, Out any] interface {
	Call(ctx context.Context, request *Request, arguments In) (Out, error)
}

// isContent reports whether [Wrap] turns a type into content.
func isContent(t reflect.Type) bool {
	return t == reflect.TypeFor[Nothing]() || t == reflect.TypeFor[content.Block]() || t == reflect.TypeFor[CallResult]()
}

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
