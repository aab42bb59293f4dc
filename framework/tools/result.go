package tools

import (
	"io"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A Result is what a tool returns: a [*CallResult], or a [Stream] or [Seq] that ends in
// one.
type Result interface{ result() }

// A CallResult is the answer of a tool (specification: CallToolResult). The functions of
// this package make one.
type CallResult struct {
	Content           []content.Block `json:"content"`
	StructuredContent any             `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError,omitempty"`
	Meta              map[string]any  `json:"_meta,omitempty"`

	structured bool // whether StructuredContent is set, since null is a value too
}

func (*CallResult) result()  {}
func (*CallResult) message() {}

// Items returns a result of several content blocks, in order.
func Items(blocks ...content.Block) *CallResult {
	if blocks == nil {
		blocks = []content.Block{}
	}
	return &CallResult{Content: blocks}
}

// Text returns a result of plain text.
func Text(text string) *CallResult { return Items(content.Text(text)) }

// Markdown returns a result of Markdown text.
func Markdown(text string) *CallResult { return Items(content.Markdown(text)) }

// Code returns a result of source code in a Markdown fence.
func Code(source, language string) *CallResult { return Items(content.Code(source, language)) }

// JSON returns a result of v as JSON text, indented by two spaces. It has no structured
// content; see [Structured].
func JSON(v any) (*CallResult, error) {
	text, err := codec.Indent(v)
	if err != nil {
		return nil, err
	}
	return Text(string(text)), nil
}

// Structured returns a result with v as structured content, for programs, and as JSON
// text, for models. Clients older than 2026-07-28 get the structured content only if v
// encodes as a JSON object, and clients older than 2025-06-18 never get it.
func Structured(v any) *CallResult {
	return &CallResult{StructuredContent: v, structured: true}
}

// Image returns a result with an image of a type such as image/png.
func Image(data []byte, mimeType string) *CallResult { return Items(content.Image(data, mimeType)) }

// ImageBase64 returns a result with an image in standard base64.
func ImageBase64(data, mimeType string) (*CallResult, error) {
	return one(content.ImageBase64(data, mimeType))
}

// ImageFile returns a result with an image file.
func ImageFile(path string) (*CallResult, error) { return one(content.ImageFile(path)) }

// ImageReader returns a result with the image read from r.
func ImageReader(r io.Reader, mimeType string) (*CallResult, error) {
	return one(content.ImageReader(r, mimeType))
}

// Audio returns a result with audio of a type such as audio/wav.
func Audio(data []byte, mimeType string) *CallResult { return Items(content.Audio(data, mimeType)) }

// AudioBase64 returns a result with audio in standard base64.
func AudioBase64(data, mimeType string) (*CallResult, error) {
	return one(content.AudioBase64(data, mimeType))
}

// AudioFile returns a result with an audio file.
func AudioFile(path string) (*CallResult, error) { return one(content.AudioFile(path)) }

// AudioReader returns a result with the audio read from r.
func AudioReader(r io.Reader, mimeType string) (*CallResult, error) {
	return one(content.AudioReader(r, mimeType))
}

// Resource returns a result that embeds a text resource.
func Resource(uri, mimeType, text string) *CallResult {
	return Items(content.EmbedText(uri, mimeType, text))
}

// ResourceBytes returns a result that embeds a binary resource.
func ResourceBytes(uri, mimeType string, data []byte) *CallResult {
	return Items(content.EmbedBytes(uri, mimeType, data))
}

// ResourceBase64 returns a result that embeds a binary resource in standard base64.
func ResourceBase64(uri, mimeType, data string) (*CallResult, error) {
	return one(content.EmbedBase64(uri, mimeType, data))
}

// ResourceFile returns a result that embeds a file, as text if it is text.
func ResourceFile(uri, path string) (*CallResult, error) { return one(content.EmbedFile(uri, path)) }

// ResourceReader returns a result that embeds the bytes read from r.
func ResourceReader(uri, mimeType string, r io.Reader) (*CallResult, error) {
	return one(content.EmbedReader(uri, mimeType, r))
}

// Link returns a result that links to a resource. An empty name becomes the last part of
// the URI.
func Link(uri, name string) *CallResult { return Items(content.Link(uri, name)) }

func one(block content.Block, err error) (*CallResult, error) {
	if err != nil {
		return nil, err
	}
	return Items(block), nil
}

// WithMeta sets metadata for the client program, sent as the result's _meta.
func (r *CallResult) WithMeta(meta map[string]any) *CallResult {
	r.Meta = meta
	return r
}

// HasStructured reports whether the result has structured content, which may be null.
func (r *CallResult) HasStructured() bool { return r.structured || r.StructuredContent != nil }

// wireResult is the wire form of a [CallResult].
type wireResult struct {
	Content           []content.Block `json:"content"`
	StructuredContent codec.Value     `json:"structuredContent,omitzero"`
	IsError           bool            `json:"isError,omitempty"`
	Meta              map[string]any  `json:"_meta,omitempty"`
}

// MarshalJSON encodes the result in its wire form. If the result has only structured
// content, MarshalJSON adds a block with its JSON text.
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

// Error returns a result with isError set. Its message tells the model what went wrong,
// so that the model can correct its call.
func Error(message string) *CallResult {
	result := Text(message)
	result.IsError = true
	return result
}

// With adds fields to a result, for programs. They become its structured content, and
// their JSON text becomes its last block.
func (r *CallResult) With(fields map[string]any) *CallResult {
	r.StructuredContent, r.structured = fields, true
	if text, err := codec.Marshal(fields); err == nil {
		r.Content = append(r.Content, content.Text(string(text)))
	}
	return r
}

// Errorf returns an [*exchange.PublicError], whose text the model reads. It formats like
// [fmt.Errorf], including %w. Any other error is logged, and the model reads only that
// the tool failed.
func Errorf(format string, args ...any) error { return exchange.Errorf(format, args...) }
