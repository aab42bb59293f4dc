package prompts

import (
	"errors"

	"github.com/bowline-mcp/bowline/framework/content"
)

// A Result is what a prompt hands back: a [Message], [Messages], a [Pair] or a
// [*GetResult]. [Wrap] makes one of maps and lists.
type Result interface {
	// finish returns the whole result in the shape of the wire.
	finish() (*GetResult, error)
}

// A GetResult is the answer of a prompt (specification: GetPromptResult).
type GetResult struct {
	Description string         `json:"description,omitempty"`
	Messages    Messages       `json:"messages"`
	Meta        map[string]any `json:"_meta,omitempty"`
}

// A Pair is a message of the user and the assistant's answer to it. Each is a string,
// a [content.Block], a list of blocks, or anything else that [Wrap] takes as content;
// nil is no message.
type Pair struct {
	User      any
	Assistant any
}

var (
	_ Result = Message{}
	_ Result = Messages(nil)
	_ Result = Pair{}
	_ Result = (*GetResult)(nil)

	errNothing = errors.New("Handle returned neither a result nor an error; return a message, such as prompts.User(\"…\")")
)

func (m Message) finish() (*GetResult, error) { return Messages{m}.finish() }

func (m Messages) finish() (*GetResult, error) { return (&GetResult{Messages: m}).finish() }

func (p Pair) finish() (*GetResult, error) {
	messages, err := p.messages()
	if err != nil {
		return nil, err
	}
	return messages.finish()
}

func (r *GetResult) finish() (*GetResult, error) {
	if r == nil {
		return nil, errNothing
	}
	expanded, err := expand(r.Messages)
	if err != nil {
		return nil, err
	}
	finished := *r
	finished.Messages = expanded
	return &finished, nil
}

func (p Pair) messages() (Messages, error) {
	var messages Messages
	for _, side := range []struct {
		role  content.Role
		value any
	}{{content.User, p.User}, {content.Assistant, p.Assistant}} {
		if side.value == nil {
			continue
		}
		message, err := coerce(side.role, side.value)
		if err != nil {
			return nil, err
		}
		messages = append(messages, message)
	}
	if messages == nil {
		return nil, errors.New("a prompts.Pair has neither a user's message nor an assistant's; set one")
	}
	return messages, nil
}

// Doubts returns what [Wrap] made of a finished result that its author may not have
// meant. It is for the engine.
func Doubts(finished *GetResult) (doubts []string) {
	for _, message := range finished.Messages {
		doubts = append(doubts, message.doubts...)
	}
	return doubts
}

// Finish returns what a handler gave in the shape of the newest protocol version: one
// block in each message, the roles user and assistant only. The error says what is
// wrong with it. Its MarshalJSON gives the wire form. It is for the engine.
func Finish(result Result) (*GetResult, error) {
	if result == nil {
		return nil, errNothing
	}
	return result.finish()
}
