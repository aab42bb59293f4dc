package content

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// The wire forms of a block. Each has only the members of its type, so that an empty text
// is encoded and an absent title is omitted.
type (
	wireText struct {
		Type        string         `json:"type"`
		Text        string         `json:"text"`
		Annotations *Annotations   `json:"annotations,omitempty"`
		Meta        map[string]any `json:"_meta,omitempty"`
	}
	wireMedia struct {
		Type        string         `json:"type"`
		Data        []byte         `json:"data"`
		MIMEType    string         `json:"mimeType"`
		Annotations *Annotations   `json:"annotations,omitempty"`
		Meta        map[string]any `json:"_meta,omitempty"`
	}
	wireLink struct {
		Type        string         `json:"type"`
		URI         string         `json:"uri"`
		Name        string         `json:"name"`
		Title       string         `json:"title,omitempty"`
		Description string         `json:"description,omitempty"`
		MIMEType    string         `json:"mimeType,omitempty"`
		Size        int64          `json:"size,omitempty"`
		Icons       []Icon         `json:"icons,omitempty"`
		Annotations *Annotations   `json:"annotations,omitempty"`
		Meta        map[string]any `json:"_meta,omitempty"`
	}
	wireEmbedded struct {
		Type        string         `json:"type"`
		Resource    *Resource      `json:"resource"`
		Annotations *Annotations   `json:"annotations,omitempty"`
		Meta        map[string]any `json:"_meta,omitempty"`
	}
)

// ErrUnknownType is returned for a block of a type that this package doesn't define.
var ErrUnknownType = errors.New("unknown type of content block")

// ErrNoResource is returned for a block of the type resource without a resource.
var ErrNoResource = errors.New("a block of type resource has no resource; make it with content.Embed")

// MarshalJSON encodes the block in its wire form.
func (b Block) MarshalJSON() ([]byte, error) {
	switch b.Type {
	case TypeText:
		return codec.Marshal(wireText{b.Type, b.Text, b.Annotations, b.Meta})
	case TypeImage, TypeAudio:
		if err := b.checkMIMEType(); err != nil {
			return nil, err
		}
		return codec.Marshal(wireMedia{b.Type, b.Data, b.MIMEType, b.Annotations, b.Meta})
	case TypeResourceLink:
		return codec.Marshal(wireLink{b.Type, b.URI, b.Name, b.Title, b.Description, b.MIMEType, b.Size, b.Icons, b.Annotations, b.Meta})
	case TypeResource:
		if b.Resource == nil {
			return nil, ErrNoResource
		}
		return codec.Marshal(wireEmbedded{b.Type, b.Resource, b.Annotations, b.Meta})
	}
	return nil, fmt.Errorf("%w: %q", ErrUnknownType, b.Type)
}

// checkMIMEType returns an error if the MIME type of an image or audio has no subtype.
func (b Block) checkMIMEType() error {
	if !strings.Contains(b.MIMEType, "/") {
		return fmt.Errorf("the MIME type of the %s is %q; it must be a type such as image/png or audio/wav", b.Type, b.MIMEType)
	}
	return nil
}

// UnmarshalJSON decodes a block from its wire form. A block that it accepts can be encoded
// again.
func (b *Block) UnmarshalJSON(data []byte) error {
	var head struct {
		Type string `json:"type"`
	}
	if err := codec.Unmarshal(data, &head); err != nil {
		return err
	}
	switch head.Type {
	case TypeText:
		var w wireText
		err := codec.Unmarshal(data, &w)
		*b = Block{Type: w.Type, Text: w.Text, Annotations: w.Annotations, Meta: w.Meta}
		return err
	case TypeImage, TypeAudio:
		var w wireMedia
		if err := codec.Unmarshal(data, &w); err != nil {
			return err
		}
		*b = Block{Type: w.Type, Data: w.Data, MIMEType: w.MIMEType, Annotations: w.Annotations, Meta: w.Meta}
		return b.checkMIMEType()
	case TypeResourceLink:
		var w wireLink
		err := codec.Unmarshal(data, &w)
		*b = Block{Type: w.Type, URI: w.URI, Name: w.Name, Title: w.Title, Description: w.Description, MIMEType: w.MIMEType,
			Size: w.Size, Icons: w.Icons, Annotations: w.Annotations, Meta: w.Meta}
		return err
	case TypeResource:
		var w wireEmbedded
		if err := codec.Unmarshal(data, &w); err != nil {
			return err
		}
		if w.Resource == nil {
			return ErrNoResource
		}
		*b = Block{Type: w.Type, Resource: w.Resource, Annotations: w.Annotations, Meta: w.Meta}
		return nil
	}
	return fmt.Errorf("%w: %q", ErrUnknownType, head.Type)
}
