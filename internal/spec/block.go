package spec

import (
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

// A BlockType is a type of content block, with what depends on the version. Its wire form is in
// framework/content.
type BlockType struct {
	Name     string
	Since    Version             // the oldest version that has it
	Fallback func(Object) string // the text that clients of older versions get for a block; nil if all versions have the type
}

// BlockTypes are the types of content blocks. Tests compare the other places that depend on the
// type with this list.
var BlockTypes = []BlockType{ //nolint:gochecknoglobals // never written
	{Name: "text", Since: Version20241105},
	{Name: "image", Since: Version20241105},
	{Name: "audio", Since: Version20250326, Fallback: func(block Object) string {
		mime, _ := codec.Unquote(block.Get("mimeType"))
		return "[audio of type " + mime + ", which this protocol version can't carry]"
	}},
	{Name: "resource_link", Since: Version20250618, Fallback: func(block Object) string {
		uri, _ := codec.Unquote(block.Get("uri"))
		return uri
	}},
	{Name: "resource", Since: Version20241105},
}

// NewestBlocks is the oldest version that has all types of blocks, with all members. A test
// compares it with BlockTypes.
const NewestBlocks = Version20251125

// DowngradeBlock returns a content block in the shape of a version.
func DowngradeBlock(block []byte, v Version) []byte {
	if v >= NewestBlocks {
		return block
	}
	o := ParseObject(block)
	name, _ := jsonrpc.Text(o.Get("type"))
	for _, t := range BlockTypes {
		if t.Name == string(name) && v < t.Since {
			return AppendText(nil, t.Fallback(o))
		}
	}
	o.Drop("icons") // of a resource_link
	if v < Version20250618 {
		o.Drop("_meta")
		o.edit("annotations", func(annotations *Object) { annotations.Drop("lastModified") })
		o.edit("resource", func(resource *Object) { resource.Drop("_meta") })
	}
	return o.Append(nil)
}

// AppendText appends a content block of plain text.
func AppendText(dst []byte, text string) []byte {
	dst = append(dst, `{"type":"text","text":`...)
	return append(codec.AppendQuote(dst, text), '}')
}
