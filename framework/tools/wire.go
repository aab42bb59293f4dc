package tools

import (
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/codec"
)

// wireResult is the wire form of a [CallResult].
type wireResult struct {
	Content           []content.Block `json:"content"`
	StructuredContent codec.Value     `json:"structuredContent,omitzero"`
	IsError           bool            `json:"isError,omitempty"`
	Meta              map[string]any  `json:"_meta,omitempty"`
}

// MarshalJSON encodes the result in its wire form. A result that is only
// structured is mirrored as text.
func (r *CallResult) MarshalJSON() ([]byte, error) {
	wire := wireResult{Content: r.Content, IsError: r.IsError, Meta: r.Meta}
	if r.HasStructured() {
		structured, err := codec.Marshal(r.StructuredContent)
		if err != nil {
			return nil, err
		}
		wire.StructuredContent = structured
		if r.Content == nil {
			wire.Content = []content.Block{content.Text(string(structured))}
		}
	}
	return codec.Marshal(wire)
}

// UnmarshalJSON decodes a result from its wire form.
func (r *CallResult) UnmarshalJSON(data []byte) error {
	var wire wireResult
	if err := codec.Unmarshal(data, &wire); err != nil {
		return err
	}
	*r = CallResult{Content: wire.Content, IsError: wire.IsError, Meta: wire.Meta, structured: wire.StructuredContent != nil}
	if r.structured {
		return codec.Unmarshal(wire.StructuredContent, &r.StructuredContent)
	}
	return nil
}
