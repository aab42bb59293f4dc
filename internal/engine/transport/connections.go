package transport

import (
	"net"
	"net/http"
	"sync"

	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// Connections limits how many connections of an HTTP server one address may hold, so that
// silent ones can't use up the descriptors of the process. The requests of clients behind a
// trusted proxy count instead of its connections, since a proxy has one for each.
type Connections struct {
	share   *throttle.Share
	proxies *Proxies
}

// NewConnections returns a limit for a server behind proxies.
func NewConnections(share *throttle.Share, proxies *Proxies) *Connections {
	return &Connections{share: share, proxies: proxies}
}

// Listener returns a listener for TCP that closes a connection whose address holds too many.
func (c *Connections) Listener(listener net.Listener) net.Listener {
	return &limitedListener{listener, c}
}

type limitedListener struct {
	net.Listener
	connections *Connections
}

// Accept returns the next connection whose address doesn't hold too many.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if held := l.connections.hold(conn); held != nil {
			return held, nil
		}
	}
}

// hold counts a connection, or closes it and returns nil.
func (c *Connections) hold(conn net.Conn) net.Conn {
	from := node(conn.RemoteAddr().String())
	tcp, ok := conn.(*net.TCPConn)
	if !ok || c.proxies.trusts(from) {
		return conn
	}
	held := &heldConnection{TCPConn: tcp, share: c.share, units: throttle.Holding{Client: new(throttle.KeyOf("", from))}}
	if c.share.Take(&held.units, 1, nil) != nil {
		_ = conn.Close()
		return nil
	}
	return held
}

// A heldConnection counts until it is closed. It has the other methods of a TCP connection,
// which an HTTP server uses: to close one side, for instance.
type heldConnection struct {
	*net.TCPConn
	share *throttle.Share
	units throttle.Holding
	once  sync.Once
}

// Close closes the connection.
func (h *heldConnection) Close() error {
	h.once.Do(func() { h.share.Return(&h.units) })
	return h.TCPConn.Close()
}

// Handler returns a handler that counts the requests of clients behind a trusted proxy.
func (c *Connections) Handler(next http.Handler) http.Handler {
	if len(c.proxies.networks) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !c.proxies.trusts(node(r.RemoteAddr)) {
			next.ServeHTTP(w, r)
			return
		}
		var held throttle.Holding
		defer c.share.Return(&held)
		if refusal := c.share.Take(&held, 1, r); refusal != nil {
			RefuseError(c.share.Logger, w, r, refusal)
			return
		}
		next.ServeHTTP(w, r)
	})
}
