package mcp

import (
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// A link is what a handler's request works by: the engine's call.
type link struct{ call *protocol.Call }

var _ exchange.Link = (*link)(nil)

func (l *link) Client() []byte          { return l.call.Peer().Info }
func (l *link) ProtocolVersion() string { return l.call.Peer().Version.String() }
func (l *link) Method() string          { return string(l.call.Message().Method) }
func (l *link) Params() []byte          { return l.call.Message().Params }
func (l *link) Meta() []byte            { return l.call.Message().Meta.Raw }

func (l *link) PathValue(name string) string {
	if r := l.call.HTTP(); r != nil {
		return r.PathValue(name)
	}
	return ""
}

func (l *link) Progress(done, total float64, message string) error {
	return l.call.Progress(done, total, message)
}

func (l *link) Notify(method string, params []byte) error { return l.call.Notify(method, params) }

// heard is what a listener's request works by. There is no answer that something
// could be sent before.
type heard struct {
	arrival *protocol.Arrival
	peer    protocol.Peer
}

var _ exchange.Link = (*heard)(nil)

func (h *heard) Client() []byte          { return h.peer.Info }
func (h *heard) ProtocolVersion() string { return h.peer.Version.String() }
func (h *heard) Method() string          { return string(h.arrival.Message.Method) }
func (h *heard) Params() []byte          { return h.arrival.Message.Params }
func (h *heard) Meta() []byte            { return h.arrival.Message.Meta.Raw }

func (h *heard) PathValue(name string) string {
	if h.arrival.HTTP == nil {
		return ""
	}
	return h.arrival.HTTP.PathValue(name)
}

func (h *heard) Progress(float64, float64, string) error { return protocol.ErrFinished }
func (h *heard) Notify(string, []byte) error             { return protocol.ErrFinished }
