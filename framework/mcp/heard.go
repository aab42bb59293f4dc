package mcp

import (
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

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
