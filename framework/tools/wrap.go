package tools

import (
	"errors"
	"reflect"
	"strconv"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Nothing is the output type of a [Func] function whose results have no content.
type Nothing struct{}

// Wrap makes a result from any value:
//
//	Nothing                               no content
//	nil, a nil pointer                    the text (null)
//	a nil slice or map                    an empty one
//	string, number, bool                  its text
//	content.Block, []content.Block        itself
//	a Result                              itself
//	[]any with a content.Block in it      item by item
//	any other slice or array              JSON text, indented
//	a struct or map                       structured content, also as JSON text
func Wrap(v any) (Result, error) {
	switch v := v.(type) {
	case nil:
		return Text("(null)"), nil
	case Nothing, *Nothing:
		return Items(), nil
	case string:
		return Text(v), nil
	case content.Block:
		return Items(v), nil
	case []content.Block:
		return Items(v...), nil
	case *CallResult:
		if v != nil {
			return v, nil
		}
	case Result:
		return v, nil
	case []any:
		if mixed(v) {
			return wrapItems(v)
		}
	}
	return wrapKind(v)
}

// wrapKind wraps by the kind of a value's type.
func wrapKind(v any) (Result, error) {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer, reflect.Interface:
		if r.IsNil() {
			return Text("(null)"), nil
		}
	}
	if text, ok := scalar(r); ok {
		return Text(text), nil
	}
	for r.Kind() == reflect.Pointer {
		r = r.Elem()
	}
	if r.Kind() == reflect.Slice || r.Kind() == reflect.Array {
		return JSON(v)
	}
	return Structured(v), nil
}

// scalar returns the text of a string, number or boolean.
func scalar(r reflect.Value) (string, bool) {
	switch r.Kind() {
	case reflect.String:
		return r.String(), true
	case reflect.Bool:
		return strconv.FormatBool(r.Bool()), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(r.Int(), 10), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(r.Uint(), 10), true
	case reflect.Float32:
		return strconv.FormatFloat(r.Float(), 'f', -1, 32), true
	case reflect.Float64:
		return strconv.FormatFloat(r.Float(), 'f', -1, 64), true
	}
	return "", false
}

func mixed(items []any) bool {
	for _, item := range items {
		if _, ok := item.(content.Block); ok {
			return true
		}
	}
	return false
}

// wrapItems wraps a list of blocks and other values, in order.
func wrapItems(items []any) (Result, error) {
	blocks := []content.Block{}
	for _, item := range items {
		result, err := Wrap(item)
		if err != nil {
			return nil, err
		}
		wrapped, ok := result.(*CallResult)
		if !ok {
			return nil, errors.New("a stream can't be an item of a list; return the stream itself")
		}
		if wrapped.Content == nil {
			text, err := codec.Marshal(wrapped.StructuredContent)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, content.Text(string(text)))
			continue
		}
		blocks = append(blocks, wrapped.Content...)
	}
	return Items(blocks...), nil
}
