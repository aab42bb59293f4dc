package prompts

import (
	"errors"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// A Result is what a prompt returns: a [Message], [Messages], a [Pair] or a [*GetResult].
// [Wrap] makes one from maps and lists.
type Result interface{ result() }

// A GetResult is the answer of a prompt (specification: GetPromptResult).
type GetResult struct {
	Description string         `json:"description,omitempty"`
	Messages    Messages       `json:"messages"`
	Meta        map[string]any `json:"_meta,omitempty"`
}

// A Pair is a message of the user and the assistant's answer to it. Each is a string, a
// [content.Block], a list of blocks, or anything else that [Wrap] accepts as content. Nil
// means no message.
type Pair struct {
	User      any
	Assistant any
}

var (
	_ Result = Message{}
	_ Result = Messages(nil)
	_ Result = Pair{}
	_ Result = (*GetResult)(nil)
)

func (Message) result()    {}
func (Messages) result()   {}
func (Pair) result()       {}
func (*GetResult) result() {}

// Messages returns the two messages, or the one that isn't nil.
func (p Pair) Messages() (Messages, error) {
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

// Errorf returns an [*exchange.PublicError], whose text the client reads. It formats like
// [fmt.Errorf], including %w. Any other error is logged, and the client reads only that
// something failed.
func Errorf(format string, args ...any) error { return exchange.Errorf(format, args...) }
