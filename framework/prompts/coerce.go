package prompts

import (
	"reflect"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// coerce converts any value to a message of the role, as [Wrap] describes.
func coerce(role content.Role, v any) (Message, error) {
	switch v := v.(type) {
	case nil:
		return Say(role, content.Text("(null)")), nil
	case content.Block:
		return Say(role, v), nil
	case []content.Block:
		return Say(role, v...), nil
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.String {
		return Say(role, content.Text(r.String())), nil
	}
	if object, ok := toMap(r); ok && object["type"] != nil {
		return coerceMap(role, object)
	}
	if isMixed(r) {
		message := Say(role)
		for i := range r.Len() {
			item, err := coerce(role, r.Index(i).Interface())
			if err != nil {
				return message, err
			}
			message.Content = append(message.Content, item.Content...)
			message.Warnings = append(message.Warnings, item.Warnings...)
		}
		return message, nil
	}
	text, err := codec.Indent(v)
	return Say(role, content.Text(string(text))), err
}

// isMixed reports whether a value is a list with a block, or with a map in the wire form
// of a block.
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

// doubtLink warns about a kind of block that the protocol doesn't define.
const doubtLink = `an embedded resource without "text" or "blob" is sent as a link; return content.Link instead`

// coerceMap makes a message from a block in its wire form. Some SDKs write a link as a
// resource without contents.
func coerceMap(role content.Role, object map[string]any) (Message, error) {
	if object["type"] == content.TypeResource {
		resource, _ := toMap(reflect.ValueOf(object["resource"]))
		if uri, ok := resource["uri"].(string); ok && resource["text"] == nil && resource["blob"] == nil {
			link := content.Link(uri, "")
			link.MIMEType, _ = resource["mimeType"].(string)
			message := Say(role, link)
			message.Warnings = []string{doubtLink}
			return message, nil
		}
	}
	encoded, err := codec.Marshal(object)
	if err != nil {
		return Message{}, err
	}
	var block content.Block
	err = codec.Unmarshal(encoded, &block)
	return Say(role, block), err
}
