package protocol

import "github.com/bowline-mcp/bowline/internal/codec"

// discover answers server/discover.
func (c *Core) discover(call *Call, r *Registry) {
	key := pageKey{method: "server/discover", version: call.peer.Version}
	call.finishPage(r.pages.page(key, func(b []byte) []byte {
		b = append(b, `{"resultType":"complete","supportedVersions":`...)
		b = c.modern.appendNames(b)
		b = c.appendCapabilities(b, r, call.peer.Version, true)
		b = append(b, cacheHint...)
		return append(append(b, c.identity.metaMember...), '}')
	}))
}

// Welcome returns the raw result of initialize for a legacy version. A client that
// is remembered between its requests is offered more.
func (c *Core) Welcome(v Version, remembered bool) []byte {
	b := append([]byte(`{"protocolVersion":"`), v.String()...)
	b = append(b, '"')
	b = c.appendCapabilities(b, c.current.Load(), v, remembered)
	b = append(b, `,"serverInfo":`...)
	return append(append(b, c.identity.byVersion[v]...), '}')
}

// appendCapabilities appends the members capabilities and instructions. What needs
// something to be remembered of the client is only declared if it is.
func (c *Core) appendCapabilities(b []byte, r *Registry, v Version, stateful bool) []byte {
	var o object
	if r.completes && v >= Version20250326 {
		o.set("completions", []byte("{}"))
	}
	if stateful {
		o.set("logging", []byte("{}"))
	}
	list, resources := []byte("{}"), []byte("{}")
	if stateful {
		list, resources = []byte(`{"listChanged":true}`), []byte(`{"subscribe":true,"listChanged":true}`)
	}
	if r.prompts.declared {
		o.set("prompts", list)
	}
	if r.offersResources() {
		o.set("resources", resources)
	}
	if r.tools.declared {
		o.set("tools", list)
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
