package prompts

import (
	"errors"
	"fmt"
	"maps"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Message is a message of the user or the assistant (specification: PromptMessage). A
// message on the wire has one block, so a Message with several blocks is sent as several
// messages of the same role, in order.
type Message struct {
	Role    content.Role
	Content []content.Block

	// Warnings describe conversions by [Wrap] that the author may not have intended. They
	// aren't sent; the server logs each once.
	Warnings []string
}

// roleSystem is the role of [System]. It never reaches the wire.
const roleSystem content.Role = "system"

// User returns a message of the user: a text block, followed by more blocks.
//
//	prompts.User("What is in this picture?", content.Image(data, content.MIMEPNG))
func User(text string, more ...content.Block) Message {
	return Say(content.User, append([]content.Block{content.Text(text)}, more...)...)
}

// Assistant returns a message of the assistant: a text block, followed by more blocks.
func Assistant(text string, more ...content.Block) Message {
	return Say(content.Assistant, append([]content.Block{content.Text(text)}, more...)...)
}

// System returns a message that tells the model how to behave. The protocol has only the
// roles user and assistant, so the message is sent with the role user, before all other
// messages, and its blocks have the member originalRole "system" in their _meta.
func System(text string, more ...content.Block) Message {
	return Say(roleSystem, append([]content.Block{content.Text(text)}, more...)...)
}

// Say returns a message of the role with the blocks.
func Say(role content.Role, blocks ...content.Block) Message {
	return Message{Role: role, Content: blocks}
}

// Messages is a list of messages, in order.
type Messages []Message

// errSeveralBlocks is returned for a message that can't be encoded alone.
var errSeveralBlocks = errors.New("a message that is encoded alone must have one block; encode prompts.Messages instead, which makes a message for each block")

type wireMessage struct {
	Role    content.Role  `json:"role"`
	Content content.Block `json:"content"`
}

// MarshalJSON encodes a message with one block in its wire form.
func (m Message) MarshalJSON() ([]byte, error) {
	expanded, err := expand(Messages{m})
	if err != nil {
		return nil, err
	}
	if len(expanded) != 1 {
		return nil, errSeveralBlocks
	}
	return codec.Marshal(wireMessage{expanded[0].Role, expanded[0].Content[0]})
}

// UnmarshalJSON decodes a message from its wire form.
func (m *Message) UnmarshalJSON(data []byte) error {
	var wire wireMessage
	if err := codec.Unmarshal(data, &wire); err != nil {
		return err
	}
	*m = Message{Role: wire.Role, Content: []content.Block{wire.Content}}
	return nil
}

// MarshalJSON encodes the messages in their wire form, one for each block.
func (m Messages) MarshalJSON() ([]byte, error) {
	expanded, err := expand(m)
	if err != nil {
		return nil, err
	}
	return codec.Marshal([]Message(expanded))
}

// expand returns the messages in their wire form: one block each, with system messages
// first, as messages of the user.
func expand(messages Messages) (Messages, error) {
	var first, rest Messages
	for i, message := range messages {
		if err := message.checkRole(); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		if len(message.Content) == 0 {
			return nil, fmt.Errorf("message %d: it has no content; give it a text or a block", i+1)
		}
		for _, block := range message.Content {
			block, err := finishBlock(block)
			switch {
			case err != nil:
				return nil, fmt.Errorf("message %d: %w", i+1, err)
			case message.Role == roleSystem:
				first = append(first, Message{content.User, []content.Block{markSystem(block)}, message.Warnings})
			default:
				rest = append(rest, Message{message.Role, []content.Block{block}, message.Warnings})
			}
		}
	}
	return append(first, rest...), nil
}

// checkRole refuses roles that the protocol doesn't define.
func (m Message) checkRole() error {
	switch m.Role {
	case content.User, content.Assistant, roleSystem:
		return nil
	}
	return fmt.Errorf("its role is %q; it must be \"user\" or \"assistant\"", m.Role)
}

// markSystem returns a copy of the block that notes its original role.
func markSystem(block content.Block) content.Block {
	meta := maps.Clone(block.Meta)
	if meta == nil {
		meta = map[string]any{}
	}
	meta["originalRole"] = string(roleSystem)
	return block.WithMeta(meta)
}

// finishBlock checks that a block has the MIME type and valid URIs that the specification
// requires in prompts. It adds the MIME type of an embedded resource.
func finishBlock(block content.Block) (content.Block, error) {
	switch block.Type {
	case content.TypeImage, content.TypeAudio:
		if block.MIMEType == "" {
			return block, fmt.Errorf("the %s has no MIME type; give one, such as image/png", block.Type)
		}
	case content.TypeResourceLink:
		if !naming.IsURI(block.URI) {
			return block, fmt.Errorf("the URI %.60q of the link is not valid (RFC 3986); give one with a scheme, such as \"file:///notes.txt\"", block.URI)
		}
	case content.TypeResource:
		if block.Resource == nil || block.Resource.URI == "" {
			return block, errors.New("the embedded resource has no URI; give one, such as \"file:///notes.txt\"")
		}
		if !naming.IsURI(block.Resource.URI) {
			return block, fmt.Errorf("the URI %.60q of the embedded resource is not valid (RFC 3986); give one with a scheme, such as \"file:///notes.txt\"", block.Resource.URI)
		}
		if block.Resource.MIMEType == "" {
			resource := *block.Resource
			if resource.MIMEType = content.MIMEPlain; resource.Blob != nil {
				resource.MIMEType = content.MIMEBinary
			}
			block.Resource = &resource
		}
	}
	return block, nil
}
