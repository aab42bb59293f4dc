package protocol

import "github.com/bowline-mcp/bowline/internal/codec"

// discover answers server/discover.
func (c *Core) discover(call *Call, r *Registry) {
	key := pageKey{method: "server/discover", version: call.peer.Version}
	call.finishPage(r.pages.page(key, func(b []byte) []byte {
		b = append(b, `{"resultType":"complete","supportedVersions":`...)
		b = c.modern.appendNames(b)
		b = c.appendCapabilities(b, r)
		b = append(b, cacheHint...)
		return append(append(b, c.identity.metaMember...), '}')
	}))
}

// Welcome returns the raw result of initialize for a legacy version.
func (c *Core) Welcome(v Version) []byte {
	b := append([]byte(`{"protocolVersion":"`), v.String()...)
	b = append(b, '"')
	b = c.appendCapabilities(b, c.current.Load())
	b = append(b, `,"serverInfo":`...)
	return append(append(b, c.identity.byVersion[v]...), '}')
}

// appendCapabilities appends the members capabilities and instructions.
func (c *Core) appendCapabilities(b []byte, r *Registry) []byte {
	var o object
	if r.declaresTools {
		o.set("tools", []byte("{}"))
	}
	if r.experimental != nil {
		o.set("experimental", r.experimental)
	}
	if r.extensions != nil {
		o.set("extensions", r.extensions)
	}
	b = o.append(append(b, `,"capabilities":`...))
	if c.config.Instructions != "" {
		b = codec.AppendQuote(append(b, `,"instructions":`...), c.config.Instructions)
	}
	return b
}
