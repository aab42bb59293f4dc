package mcp

import (
	"bytes"
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// heard is what a listener's request works by: a copy, which a listener may keep. There
// is no answer that something could be sent before.
type heard struct {
	ctx                                context.Context
	client, capabilities, params, meta []byte
	session, version, method           string
	http                               *http.Request // nil on other transports
	address                            netip.Addr
	values                             map[string]any
}

var _ exchange.Link = (*heard)(nil)

func newHeard(ctx context.Context, a *protocol.Arrival, peer protocol.Peer, address netip.Addr) *heard {
	m := &a.Message
	return &heard{
		ctx: ctx, session: peer.Session, capabilities: bytes.Clone(peer.Capabilities),
		client: bytes.Clone(peer.Info), params: bytes.Clone(m.Params), meta: bytes.Clone(m.Meta.Raw),
		version: peer.Version.String(), method: string(m.Method), http: a.HTTP, address: address,
		values: map[string]any{},
	}
}

func (h *heard) Address() netip.Addr      { return h.address }
func (h *heard) Context() context.Context { return h.ctx }
func (h *heard) Client() []byte           { return h.client }
func (h *heard) Capabilities() []byte     { return h.capabilities }
func (h *heard) Session() string          { return h.session }
func (h *heard) ProtocolVersion() string  { return h.version }
func (h *heard) Method() string           { return h.method }
func (h *heard) Params() []byte           { return h.params }
func (h *heard) Meta() []byte             { return h.meta }
func (h *heard) Set(key string, v any)    { h.values[key] = v }
func (h *heard) Value(key string) any     { return h.values[key] }

func (h *heard) PathValue(name string) string {
	if h.http == nil {
		return ""
	}
	return h.http.PathValue(name)
}

// What a listener would ask or keep is for nobody: there is no answer and no round.
func (h *heard) Ask(context.Context, []exchange.Asked) ([][]byte, error) {
	return nil, exchange.ErrCannotAsk
}
func (h *heard) Refuse(string, string) {}
func (h *heard) Kept(string) []byte    { return nil }
func (h *heard) Keep(string, []byte)   {}

func (h *heard) Progress(float64, float64, string) error { return protocol.ErrFinished }
func (h *heard) Notify(string, []byte) error             { return protocol.ErrFinished }
func (h *heard) CloseStream(time.Duration)               {}
func (h *heard) Logs(string) bool                        { return false }
func (h *heard) Log(string, []byte) error                { return protocol.ErrFinished }
