package protocol

import (
	"context"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// discover answers server/discover.
func (c *Core) discover(ctx context.Context, k *call.Call) (call.Result, error) {
	s := c.current.Load()
	hint := c.config.CacheHint
	hint.Public = hint.Public && c.IsAnonymous(ctx, k)
	key := pageKey{method: "server/discover", version: k.Facts().Version, anonymous: hint.Public}
	return s.pages.page(key, func() []byte {
		b := c.modern.AppendNames([]byte(`{"resultType":"complete","supportedVersions":`))
		b = c.appendCapabilities(b, s, key.version, true)
		b = appendCacheHint(b, hint)
		return append(c.server.Info.AppendMeta(b, key.version, nil), '}')
	}), nil
}

// Welcome returns the raw result of initialize for a legacy version. Some capabilities need
// a session, so remembered says whether the client has one.
func (c *Core) Welcome(v spec.Version, remembered bool) []byte {
	b := append([]byte(`{"protocolVersion":"`), v.String()...)
	b = append(b, '"')
	b = c.appendCapabilities(b, c.current.Load(), v, remembered)
	b = append(b, `,"serverInfo":`...)
	return append(append(b, c.server.Info.In(v)...), '}')
}

// appendCapabilities appends the members capabilities and instructions. A server has all lists,
// even empty ones: a client that isn't told of a list when it connects would never hear of the
// first item that is added. Completion is declared once an item has it, since no notification
// announces it. The capabilities that need a session are declared only if the client has one.
func (c *Core) appendCapabilities(b []byte, s *snapshot, v spec.Version, stateful bool) []byte {
	var o spec.Object
	if s.completes && v >= spec.Version20250326 {
		o.Set("completions", []byte("{}"))
	}
	if stateful {
		o.Set("logging", []byte("{}"))
	}
	list, resources := []byte("{}"), []byte("{}")
	if stateful {
		list, resources = []byte(`{"listChanged":true}`), []byte(`{"subscribe":true,"listChanged":true}`)
	}
	o.Set("prompts", list)
	o.Set("resources", resources)
	o.Set("tools", list)
	if s.experimental != nil {
		o.Set("experimental", s.experimental)
	}
	if s.extensions != nil {
		o.Set("extensions", s.extensions)
	}
	b = o.Append(append(b, `,"capabilities":`...))
	if c.config.Instructions != "" {
		b = codec.AppendQuote(append(b, `,"instructions":`...), c.config.Instructions)
	}
	return b
}
