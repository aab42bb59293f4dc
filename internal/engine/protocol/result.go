package protocol

import (
	"errors"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/spec"
)

var (
	_ call.Result       = (*ToolResult)(nil)
	_ call.Result       = (*Object)(nil)
	_ call.SharedResult = (*Page)(nil)
)

// A Block is a content block.
type Block interface {
	AppendJSON(dst []byte) []byte
}

// A RawBlock is an encoded block.
type RawBlock []byte

// AppendJSON appends the block.
func (b RawBlock) AppendJSON(dst []byte) []byte { return append(dst, b...) }

// A ToolResult is the result of a tool.
type ToolResult struct {
	Content    []Block
	Structured []byte // raw JSON, nil if none; repeated as text if there is no content
	Meta       []byte // raw object, nil if none
	IsError    bool
}

// Err returns an error with the first text if isError is set, otherwise nil.
func (r *ToolResult) Err() error {
	if !r.IsError {
		return nil
	}
	for _, block := range r.Content {
		o := spec.ParseObject(block.AppendJSON(nil))
		if string(o.Get("type")) != `"text"` {
			continue
		}
		if text, ok := codec.Unquote(o.Get("text")); ok {
			return errors.New(text)
		}
	}
	return errors.New("the result says that the tool failed")
}

// Size returns the length of the result. It keeps the encoded blocks.
func (r *ToolResult) Size() int {
	size := len(r.Structured) + len(r.Meta)
	if r.Content == nil {
		return size + len(codec.AppendQuotedJSON(nil, r.Structured)) // repeated as text
	}
	for i, block := range r.Content {
		encoded := RawBlock(block.AppendJSON(nil))
		r.Content[i] = encoded
		size += len(encoded)
	}
	return size
}

// Append appends the result in the shape of a version.
func (r *ToolResult) Append(b []byte, v spec.Version, server *spec.ServerInfo) []byte {
	b = append(b, '{')
	if v.Modern() {
		b = append(b, `"resultType":"complete",`...)
	}
	b = append(b, `"content":[`...)
	if r.Content == nil && r.Structured != nil {
		b = append(b, `{"type":"text","text":`...)
		b = append(codec.AppendQuotedJSON(b, r.Structured), '}')
	}
	for i, block := range r.Content {
		if i > 0 {
			b = append(b, ',')
		}
		if v >= spec.NewestBlocks {
			b = block.AppendJSON(b)
		} else {
			b = append(b, spec.DowngradeBlock(block.AppendJSON(nil), v)...)
		}
	}
	b = append(b, ']')
	if r.Structured != nil && (v.Modern() || v >= spec.Version20250618 && jsonrpc.IsObject(r.Structured)) {
		b = append(b, `,"structuredContent":`...)
		b = append(b, r.Structured...)
	}
	if r.IsError {
		b = append(b, `,"isError":true`...)
	}
	return append(server.AppendMeta(b, v, r.Meta), '}')
}

// An Object is a result that is a raw object in its newest shape.
type Object struct {
	JSON      []byte
	Cacheable bool               // whether a modern client gets the hint
	CacheHint exchange.CacheHint // its TTL isn't negative
}

// Err returns nil.
func (r *Object) Err() error { return nil }

// Size returns how many bytes the object has.
func (r *Object) Size() int { return len(r.JSON) }

// Append appends the object in the shape of a version, with the members that its era
// requires.
func (r *Object) Append(dst []byte, v spec.Version, server *spec.ServerInfo) []byte {
	o := spec.ParseObject(r.JSON)
	if !v.Modern() {
		spec.DowngradeResult(&o, v)
		return o.Append(dst)
	}
	if o.Get("resultType") == nil {
		o.Set("resultType", []byte(`"complete"`))
	}
	if r.Cacheable {
		o.Set("ttlMs", ttl(r.CacheHint))
		o.Set("cacheScope", scope(r.CacheHint))
	}
	o.Set("_meta", server.Meta(o.Get("_meta")))
	return o.Append(dst)
}

// A Page is the encoded result of a list, shared by calls.
type Page struct {
	key  pageKey
	json []byte // the result and the closing brace of a response
}

// Err returns nil.
func (p *Page) Err() error { return nil }

// Size returns the length of the result.
func (p *Page) Size() int { return len(p.json) - 1 }

// Shared returns the result and the closing brace of a response.
func (p *Page) Shared() []byte { return p.json }

// Append appends the result.
func (p *Page) Append(dst []byte, _ spec.Version, _ *spec.ServerInfo) []byte {
	return append(dst, p.json[:len(p.json)-1]...)
}
