package content

import (
	"io"
	"path"
	"strings"
	"unicode/utf8"
)

// Link returns a block that links to a resource. Clients show its name; an empty name
// becomes the last part of the URI. Protocol versions before 2025-06-18 have no links;
// their clients get the URI as text.
func Link(uri, name string) Block {
	if name == "" {
		name = path.Base(strings.TrimRight(uri, "/"))
	}
	return Block{Type: TypeResourceLink, URI: uri, Name: name}
}

// Embed returns a block that embeds a resource.
func Embed(resource Resource) Block {
	return Block{Type: TypeResource, Resource: &resource}
}

// EmbedText returns a block that embeds a text resource.
func EmbedText(uri, mimeType, text string) Block {
	return Embed(Resource{URI: uri, MIMEType: mimeType, Text: text})
}

// EmbedBytes returns a block that embeds a binary resource.
func EmbedBytes(uri, mimeType string, data []byte) Block {
	if data == nil {
		data = []byte{}
	}
	return Embed(Resource{URI: uri, MIMEType: mimeType, Blob: data})
}

// EmbedBase64 returns a block that embeds a binary resource in standard base64.
func EmbedBase64(uri, mimeType, data string) (Block, error) {
	decoded, err := DecodeBase64(data)
	return EmbedBytes(uri, mimeType, decoded), err
}

// EmbedFile returns a block that embeds a file: as text if it is text, and otherwise as bytes.
func EmbedFile(uri, file string) (Block, error) {
	data, mimeType, err := ReadFile(file)
	if err != nil {
		return Block{}, err
	}
	if IsText(mimeType) && utf8.Valid(data) {
		return EmbedText(uri, mimeType, string(data)), nil
	}
	return EmbedBytes(uri, mimeType, data), nil
}

// EmbedReader returns a block that embeds the bytes read from r, at most [MaxBytes]. If r
// is an [io.Closer], EmbedReader closes it.
func EmbedReader(uri, mimeType string, r io.Reader) (Block, error) {
	data, err := ReadAll(r)
	return EmbedBytes(uri, mimeType, data), err
}
