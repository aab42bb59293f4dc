package prompts

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/engine/declaration"
)

// Wrap makes a result from the values that prompts return in other SDKs:
//
//	a Result                                        itself
//	[]Message, or any list of these values          the messages, in order
//	a map with "role" and "content"                 one message
//	a map with "user", "assistant" or both          one message each, the user's first
//	a map with "messages", "description" optional   the whole result
//
// The content of a message may be
//
//	a string                                        a text
//	a content.Block, or a map with "type"           that block
//	a list with a block or such a map in it         several blocks
//	nil                                             the text (null)
//	anything else                                   its JSON as a text
//
// The role "system" means [System], and a resource in the wire form without contents
// means a link. MCP defines neither, so the server logs a warning about each, once per
// prompt.
func Wrap(v any) (Result, error) {
	switch v := v.(type) {
	case nil:
		return nil, declaration.ErrNoMessages
	case Result:
		return v, nil
	case []Message:
		return Messages(v), nil
	}
	r := reflect.ValueOf(v)
	if object, ok := toMap(r); ok {
		return wrapMap(object)
	}
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return nil, fmt.Errorf("a value of type %T is not a message; return prompts.User(\"…\"), a list of messages, or a map with \"role\" and \"content\"", v)
	}
	messages := Messages{}
	for i := range r.Len() {
		list, err := wrapItem(r.Index(i).Interface())
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		messages = append(messages, list...)
	}
	return messages, nil
}

// wrapItem wraps one item of a list.
func wrapItem(v any) (Messages, error) {
	result, err := Wrap(v)
	if err != nil {
		return nil, err
	}
	switch result := result.(type) {
	case Message:
		return Messages{result}, nil
	case Messages:
		return result, nil
	case Pair:
		return result.Messages()
	}
	return nil, errors.New("a whole result can't be one of several messages; return it alone")
}

func wrapMap(object map[string]any) (Result, error) {
	if messages, ok := object["messages"]; ok {
		result, err := wrapItem(messages)
		if err != nil {
			return nil, err
		}
		description, ok := object["description"].(string)
		if !ok && object["description"] != nil {
			return nil, fmt.Errorf("the description of a result must be a string, not %T", object["description"])
		}
		return &GetResult{Description: description, Messages: result}, nil
	}
	if role, ok := object["role"]; ok {
		message, err := contentOf(content.Role(fmt.Sprint(role)), object, "content")
		if err != nil {
			return nil, err
		}
		if message.Role == roleSystem {
			message.Warnings = append(message.Warnings, doubtSystem)
		}
		if err := message.checkRole(); err != nil {
			return nil, err
		}
		return message, nil
	}
	var messages Messages
	for _, role := range []content.Role{content.User, content.Assistant} {
		if _, ok := object[string(role)]; !ok {
			continue
		}
		message, err := contentOf(role, object, string(role))
		if err != nil {
			return nil, err
		}
		messages = append(messages, message)
	}
	if messages == nil {
		return nil, errors.New("a map is a message if it has \"role\" and \"content\", or \"user\" or \"assistant\", and a result if it has \"messages\"")
	}
	return messages, nil
}

// doubtSystem warns about a role that the protocol doesn't define.
const doubtSystem = `a map with the role "system" is sent as the user's message, before the others; return prompts.System instead`

func contentOf(role content.Role, object map[string]any, key string) (Message, error) {
	value, ok := object[key]
	if !ok {
		return Message{}, fmt.Errorf("a message has no %q; give it a text or a block", key)
	}
	return coerce(role, value)
}

// toMap converts a map with string keys to a map of any values.
func toMap(r reflect.Value) (map[string]any, bool) {
	if r.Kind() != reflect.Map || r.Type().Key().Kind() != reflect.String {
		return nil, false
	}
	object := make(map[string]any, r.Len())
	for key, value := range r.Seq2() {
		object[key.String()] = value.Interface()
	}
	return object, true
}
