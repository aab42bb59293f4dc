package exchange

import (
	"maps"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Capabilities are the capabilities that a client declares (specification:
// ClientCapabilities).
type Capabilities struct {
	Form            bool // elicitation by a form
	URL             bool // elicitation by a URL
	Sampling        bool
	SamplingTools   bool // tools in sampling
	SamplingContext bool // includeContext in sampling
	Roots           bool

	extensions map[string]codec.Value
}

// Extension decodes the settings of an extension into v, which may be nil, and reports
// whether the client supports the extension.
func (c Capabilities) Extension(name string, v any) bool {
	settings, ok := c.extensions[name]
	return ok && (v == nil || codec.Unmarshal(settings, v) == nil)
}

// Capabilities returns the client's capabilities. In an HTTP session of an older version,
// the client declared them when the session began.
func (r *Request) Capabilities() Capabilities {
	var declared struct {
		Elicitation map[string]codec.Value `json:"elicitation"`
		Sampling    map[string]codec.Value `json:"sampling"`
		Roots       map[string]codec.Value `json:"roots"`
		Extensions  map[string]codec.Value `json:"extensions"`
	}
	if raw := r.call().Facts().Capabilities; raw == nil || codec.Unmarshal(raw, &declared) != nil {
		return Capabilities{}
	}
	for _, members := range []map[string]codec.Value{declared.Elicitation, declared.Sampling, declared.Extensions} {
		maps.DeleteFunc(members, func(_ string, settings codec.Value) bool { return settings.Kind() == 'n' })
	}
	_, url := declared.Elicitation["url"]
	_, form := declared.Elicitation["form"]
	_, tools := declared.Sampling["tools"]
	_, context := declared.Sampling["context"]
	return Capabilities{
		Form: form || declared.Elicitation != nil && !url, URL: url,
		Sampling: declared.Sampling != nil, SamplingTools: tools, SamplingContext: context,
		Roots: declared.Roots != nil, extensions: declared.Extensions,
	}
}
