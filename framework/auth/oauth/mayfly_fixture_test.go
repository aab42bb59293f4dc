package oauth_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/test/pipetest"
)

// A mayfly is the program in this process. When it dies, its connections close, and neither its
// requests nor its store go on. Another life begins with the same store.
type mayfly struct {
	config oauth.Config
	users  store.Users
	url    string
	*lifetime
	web  *pipetest.Listener
	died chan string // the last step of the store
}

// newMayfly returns a program whose users log in with passwords.
func newMayfly(t *testing.T) *mayfly {
	t.Helper()
	o := newOperator(t, withPasswords)
	m := &mayfly{config: o.Config, users: o.open(t), died: make(chan string, 1)}
	m.live(t)
	return m
}

// live begins a life.
func (m *mayfly) live(t *testing.T) {
	t.Helper()
	m.lifetime = &lifetime{}
	m.config.Drivers, m.config.Authenticator = m.drivers(t), login.Password() // which remembers tries
	p, handler := newProgram(t, "127.0.0.1:8080", m.config)
	m.url = p.url
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	m.die = func(last string) {
		_ = server.Close()
		m.died <- last
	}
	m.web = pipetest.Serve(t, server)
}

// client reaches the program in each of its lives.
func (m *mayfly) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return m.web.Dial(ctx) }}}
}

// rise begins another life after the last. It returns the last step of the store.
func (m *mayfly) rise(t *testing.T) (last string) {
	t.Helper()
	last = <-m.died
	m.live(t)
	return last
}
