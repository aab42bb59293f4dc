package content

import (
	"errors"
	"maps"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A Resource is the contents of a resource (specification: TextResourceContents
// and BlobResourceContents): text, or bytes if Blob is not nil.
type Resource struct {
	URI      string
	MIMEType string
	Text     string
	Blob     []byte // not encoded in base64

	// Name and Title are labels for clients to show. The protocol defines them only in
	// lists, so they are sent as the members name and title of _meta.
	Name  string
	Title string

	Meta map[string]any
}

type (
	wireTextResource struct {
		URI      string         `json:"uri"`
		MIMEType string         `json:"mimeType,omitempty"`
		Text     string         `json:"text"`
		Meta     map[string]any `json:"_meta,omitempty"`
	}
	wireBlobResource struct {
		URI      string         `json:"uri"`
		MIMEType string         `json:"mimeType,omitempty"`
		Blob     []byte         `json:"blob"`
		Meta     map[string]any `json:"_meta,omitempty"`
	}
)

// ErrTextAndBlob is returned for a resource that has both text and bytes.
var ErrTextAndBlob = errors.New("a resource holds a text or a blob, not both")

// MarshalJSON encodes the resource in its wire form.
func (r Resource) MarshalJSON() ([]byte, error) {
	switch {
	case r.Blob == nil:
		return codec.Marshal(wireTextResource{r.URI, r.MIMEType, r.Text, r.wireMeta()})
	case r.Text != "":
		return nil, ErrTextAndBlob
	}
	return codec.Marshal(wireBlobResource{r.URI, r.MIMEType, r.Blob, r.wireMeta()})
}

// wireMeta returns Meta with the name and title in it.
func (r Resource) wireMeta() map[string]any {
	if r.Name == "" && r.Title == "" {
		return r.Meta
	}
	meta := map[string]any{}
	maps.Copy(meta, r.Meta)
	if r.Name != "" {
		meta["name"] = r.Name
	}
	if r.Title != "" {
		meta["title"] = r.Title
	}
	return meta
}

// takeLabels moves the name and title out of Meta.
func (r *Resource) takeLabels() {
	for label, field := range map[string]*string{"name": &r.Name, "title": &r.Title} {
		if text, ok := r.Meta[label].(string); ok {
			*field = text
			delete(r.Meta, label)
		}
	}
	if len(r.Meta) == 0 {
		r.Meta = nil
	}
}

// UnmarshalJSON decodes a resource from its wire form.
func (r *Resource) UnmarshalJSON(data []byte) error {
	var w struct {
		wireTextResource
		Blob *[]byte `json:"blob"`
	}
	if err := codec.Unmarshal(data, &w); err != nil {
		return err
	}
	*r = Resource{URI: w.URI, MIMEType: w.MIMEType, Text: w.Text, Meta: w.Meta}
	r.takeLabels()
	if w.Blob != nil {
		r.Blob = *w.Blob
	}
	if r.Blob != nil && r.Text != "" {
		return ErrTextAndBlob
	}
	return nil
}
