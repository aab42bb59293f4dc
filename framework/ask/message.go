package ask

import (
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Message is one turn of a conversation with a model (specification:
// SamplingMessage). [User], [Assistant] and [Results] make one.
type Message struct {
	Role        content.Role
	Content     []content.Block // text, images and audio
	ToolUses    []ToolUse       // of the assistant; sent after the content
	ToolResults []ToolResult    // of the user; excludes all other content
	Meta        map[string]any
}

// User returns a message of the user: a text block, followed by other blocks such as an
// image. An empty text is omitted if there are blocks.
func User(text string, blocks ...content.Block) Message {
	return message(content.User, text, blocks)
}

// Assistant returns a message of the model, such as an earlier answer: a text block,
// followed by other blocks. An empty text is omitted if there are blocks.
func Assistant(text string, blocks ...content.Block) Message {
	return message(content.Assistant, text, blocks)
}

func message(role content.Role, text string, blocks []content.Block) Message {
	if text != "" || len(blocks) == 0 {
		blocks = append([]content.Block{content.Text(text)}, blocks...)
	}
	return Message{Role: role, Content: blocks}
}

// Results returns the user message that answers an assistant's tool uses. Each [ToolUse]
// needs one result.
func Results(results ...ToolResult) Message {
	return Message{Role: content.User, ToolResults: results}
}

// A ToolUse is a model's request to call a tool (specification: ToolUseContent).
type ToolUse struct {
	ID    string
	Name  string
	Input []byte // the arguments, a JSON object
	Meta  map[string]any
}

// Bind decodes the arguments into v, a pointer to a struct.
func (u ToolUse) Bind(v any) error {
	if err := codec.Unmarshal(u.Input, v); err != nil {
		return fmt.Errorf("the arguments of %s do not fit: %s", u.Name, codec.Explain(err))
	}
	return nil
}

// A ToolResult is the result of a tool that a model asked for (specification:
// ToolResultContent).
type ToolResult struct {
	ToolUseID         string // the ID of the ToolUse
	Content           []content.Block
	StructuredContent any // nil means none
	IsError           bool
	Meta              map[string]any
}

type (
	wireToolUse struct {
		Type  string         `json:"type"`
		ID    string         `json:"id"`
		Name  string         `json:"name"`
		Input codec.Value    `json:"input"`
		Meta  map[string]any `json:"_meta,omitempty"`
	}
	wireToolResult struct {
		Type              string          `json:"type"`
		ToolUseID         string          `json:"toolUseId"`
		Content           []content.Block `json:"content"`
		StructuredContent any             `json:"structuredContent,omitempty"`
		IsError           bool            `json:"isError,omitempty"`
		Meta              map[string]any  `json:"_meta,omitempty"`
	}
)

// The types of the blocks that only samples have.
const (
	typeToolUse    = "tool_use"
	typeToolResult = "tool_result"
)

// blocks returns the wire forms of the message's content, tool uses and tool results.
func (m Message) blocks(version spec.Version) ([]codec.Value, error) {
	var list []codec.Value
	var problems []error
	add := func(v any) {
		encoded, err := codec.Marshal(v)
		list, problems = append(list, encoded), append(problems, err)
	}
	for _, block := range m.Content {
		encoded, err := codec.Marshal(block)
		list, problems = append(list, spec.DowngradeBlock(encoded, version)), append(problems, err)
	}
	for _, use := range m.ToolUses {
		input := codec.Value(use.Input)
		if input == nil {
			input = codec.Value(`{}`)
		}
		add(wireToolUse{typeToolUse, use.ID, use.Name, input, use.Meta})
	}
	for _, result := range m.ToolResults {
		add(wireToolResult{typeToolResult, result.ToolUseID, result.Content, result.StructuredContent, result.IsError, result.Meta})
	}
	return list, errors.Join(problems...)
}
