package transport

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// Lazy returns a listener whose connections set their deadlines when they matter. An
// HTTP server sets four deadlines for each request, and nearly all of them are put
// off again before they pass; each costs the work of a timer.
func Lazy(listener net.Listener) net.Listener { return lazyListener{listener} }

type lazyListener struct{ net.Listener }

func (l lazyListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	lazy := &lazyConn{Conn: conn}
	lazy.read.apply, lazy.write.apply = conn.SetReadDeadline, conn.SetWriteDeadline
	return lazy, nil
}

// A lazyConn is a connection with lazy deadlines.
type lazyConn struct {
	net.Conn
	read, write lazyDeadline
}

// A lazyDeadline is one of a connection's two. An earlier one than the connection has
// is set at once; a later one when the earlier has passed.
type lazyDeadline struct {
	apply func(time.Time) error

	lock   sync.Mutex
	wanted time.Time // zero is none
	actual time.Time // likewise
}

func (d *lazyDeadline) set(t time.Time) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.wanted = t
	if t.IsZero() || !d.actual.IsZero() && !t.Before(d.actual) {
		return nil
	}
	d.actual = t
	return d.apply(t)
}

// passed reports whether an error is the deadline's that is wanted. If an earlier one
// has passed, it puts the connection's off.
func (d *lazyDeadline) passed(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	if !d.wanted.IsZero() && !time.Now().Before(d.wanted) {
		return true
	}
	d.actual = d.wanted
	return d.apply(d.wanted) != nil
}

func (c *lazyConn) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		if err == nil || n > 0 || c.read.passed(err) {
			return n, err
		}
	}
}

func (c *lazyConn) Write(b []byte) (int, error) {
	written := 0
	for {
		n, err := c.Conn.Write(b[written:])
		written += n
		if err == nil || c.write.passed(err) {
			return written, err
		}
	}
}

// CloseWrite ends the sending half, if the connection has halves.
func (c *lazyConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *lazyConn) SetReadDeadline(t time.Time) error  { return c.read.set(t) }
func (c *lazyConn) SetWriteDeadline(t time.Time) error { return c.write.set(t) }

func (c *lazyConn) SetDeadline(t time.Time) error {
	return errors.Join(c.read.set(t), c.write.set(t))
}
