// Package content defines the blocks of results: text, images, audio, links to
// resources, and embedded resources. A block is a value. Its methods return a changed
// copy, so calls can be chained:
//
//	content.Text("42").For(content.User).Priority(0.9)
package content

import (
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// The types of a block on the wire.
const (
	TypeText         = "text"
	TypeImage        = "image"
	TypeAudio        = "audio"
	TypeResourceLink = "resource_link"
	TypeResource     = "resource"
)

// A Block is one content block (specification: ContentBlock). The functions of this
// package make one. Which fields are set depends on Type.
type Block struct {
	Type string

	Text     string // of a text
	Data     []byte // of an image or audio, not encoded in base64
	MIMEType string // of an image, audio or link

	URI         string // of a link, like all fields up to Icons
	Name        string
	Title       string
	Description string
	Size        int64 // in bytes, 0 if unknown
	Icons       []Icon

	Resource *Resource // of an embedded resource

	Annotations *Annotations
	Meta        map[string]any
}

// An Icon is a picture for a client to show (specification: Icon).
type Icon struct {
	Src      string   `json:"src"` // an https: or data: URI
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"` // such as "48x48", or "any"
	Theme    string   `json:"theme,omitempty"` // "light" or "dark"
}

// A Role is the author of a message, or the audience of a block.
type Role string

// The two roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Annotations describe a block for clients (specification: Annotations).
type Annotations struct {
	Audience     []Role    `json:"audience,omitempty"`
	Priority     *float64  `json:"priority,omitempty"` // from 0 (optional) to 1 (required)
	LastModified time.Time `json:"lastModified,omitzero"`
}

// For returns a copy of the block with the audience.
func (b Block) For(audience ...Role) Block {
	b.Annotations = b.annotations()
	b.Annotations.Audience = audience
	return b
}

// Priority returns a copy of the block with the importance, from 0 to 1.
func (b Block) Priority(priority float64) Block {
	b.Annotations = b.annotations()
	b.Annotations.Priority = new(min(max(priority, 0), 1))
	return b
}

// Modified returns a copy of the block with the time of its last change.
func (b Block) Modified(at time.Time) Block {
	b.Annotations = b.annotations()
	b.Annotations.LastModified = at
	return b
}

// WithMeta returns a copy of the block with metadata for the client program. Keys follow
// the grammar of the specification, such as "example.com/key".
func (b Block) WithMeta(meta map[string]any) Block {
	b.Meta = meta
	return b
}

// annotations returns a copy, since blocks are values.
func (b Block) annotations() *Annotations {
	if b.Annotations == nil {
		return &Annotations{}
	}
	copied := *b.Annotations
	return &copied
}

// AppendJSON appends the wire form of the block. It appends nothing if MarshalJSON
// fails.
func (b Block) AppendJSON(dst []byte) []byte {
	if b.Type == TypeText && b.Annotations == nil && b.Meta == nil {
		dst = append(dst, `{"type":"text","text":`...)
		return append(codec.AppendQuote(dst, b.Text), '}')
	}
	encoded, err := codec.Marshal(b)
	if err != nil {
		return dst
	}
	return append(dst, encoded...)
}

// Text returns a block of plain text.
func Text(text string) Block { return Block{Type: TypeText, Text: text} }

// Markdown returns a block of Markdown text. The protocol has no type for it; clients
// display text as Markdown anyway.
func Markdown(text string) Block { return Text(text) }

// Code returns a block of source code in a Markdown fence, such as Code("fmt.Println()",
// "go"). The fence is longer than every fence in the source.
func Code(source, language string) Block {
	fence := "```"
	for strings.Contains(source, fence) {
		fence += "`"
	}
	return Text(fence + language + "\n" + strings.TrimSuffix(source, "\n") + "\n" + fence)
}
