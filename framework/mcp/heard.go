package mcp

import (
	"bytes"
	"net/http"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// heard is what a listener's request works by: a copy, which a listener may keep. There
// is no answer that something could be sent before.
type heard struct {
	client, params, meta []byte
	version, method      string
	http                 *http.Request // nil on other transports
}

var _ exchange.Link = (*heard)(nil)

func newHeard(a *protocol.Arrival, peer protocol.Peer) *heard {
	m := &a.Message
	return &heard{
		client: bytes.Clone(peer.Info), params: bytes.Clone(m.Params), meta: bytes.Clone(m.Meta.Raw),
		version: peer.Version.String(), method: string(m.Method), http: a.HTTP,
	}
}

func (h *heard) Client() []byte          { return h.client }
func (h *heard) ProtocolVersion() string { return h.version }
func (h *heard) Method() string          { return h.method }
func (h *heard) Params() []byte          { return h.params }
func (h *heard) Meta() []byte            { return h.meta }

func (h *heard) PathValue(name string) string {
	if h.http == nil {
		return ""
	}
	return h.http.PathValue(name)
}

func (h *heard) Progress(float64, float64, string) error { return protocol.ErrFinished }
func (h *heard) Notify(string, []byte) error             { return protocol.ErrFinished }
