package prompts

import (
	"reflect"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/codec"
)

// coerce makes content blocks of any value, as [Wrap] says.
func coerce(v any) ([]content.Block, error) {
	switch v := v.(type) {
	case nil:
		return []content.Block{content.Text("(null)")}, nil
	case content.Block:
		return []content.Block{v}, nil
	case []content.Block:
		return v, nil
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.String {
		return []content.Block{content.Text(r.String())}, nil
	}
	if object, ok := toMap(r); ok && object["type"] != nil {
		block, err := coerceMap(object)
		return []content.Block{block}, err
	}
	if isMixed(r) {
		var blocks []content.Block
		for i := range r.Len() {
			more, err := coerce(r.Index(i).Interface())
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, more...)
		}
		return blocks, nil
	}
	text, err := codec.Indent(v)
	return []content.Block{content.Text(string(text))}, err
}

// isMixed reports whether a value is a list with a block in it, or a map that is one.
func isMixed(r reflect.Value) bool {
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return false
	}
	for i := range r.Len() {
		item := r.Index(i).Interface()
		if _, ok := item.(content.Block); ok {
			return true
		}
		if object, ok := toMap(reflect.ValueOf(item)); ok && object["type"] != nil {
			return true
		}
	}
	return false
}

// coerceMap makes a block of a map in the wire form. A resource without contents is
// what some SDKs draw for a link.
func coerceMap(object map[string]any) (content.Block, error) {
	if object["type"] == content.TypeResource {
		resource, _ := toMap(reflect.ValueOf(object["resource"]))
		if uri, ok := resource["uri"].(string); ok && resource["text"] == nil && resource["blob"] == nil {
			link := content.Link(uri, "")
			link.MIMEType, _ = resource["mimeType"].(string)
			return link, nil
		}
	}
	var block content.Block
	encoded, err := codec.Marshal(object)
	if err != nil {
		return block, err
	}
	err = codec.Unmarshal(encoded, &block)
	return block, err
}
