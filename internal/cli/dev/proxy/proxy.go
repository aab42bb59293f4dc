// Package proxy passes HTTP requests to the newest program of an app that is ready. A request ends
// in the program in which it began. Streams on which clients listen move to each new program, and so
// do the sessions of clients before 2026-07-28.
package proxy

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// The types of package programs, for programs that serve HTTP.
type (
	program = programs.Program[*endpoint]
	client  = programs.Client[*endpoint]
	request = programs.Request[*endpoint]
)

// maxSeen is how many bytes of a body the proxy reads. A longer one is passed on unseen: the
// app refuses it, or has raised its limit.
const maxSeen = 16 << 20

// A Proxy passes HTTP requests to the programs of an app.
type Proxy struct {
	*programs.Set[*endpoint]

	root    string
	address string // where clients connect
	key     string
	stderr  io.Writer

	seenLimit  int           // the bytes of a body that the proxy looks at
	startLimit time.Duration // for a new program to answer

	sessions map[string]*session // guarded by the lock of the set
}

// New returns a proxy for the app in the folder root, which listens on an address. Programs write
// their log to stderr.
func New(root, address string, stderr io.Writer, log programs.Log) *Proxy {
	return &Proxy{
		Set: programs.NewSet[*endpoint](log), root: root, address: address, key: programs.NewKey(), stderr: stderr,
		seenLimit: maxSeen, startLimit: programs.StartLimit, sessions: map[string]*session{},
	}
}

// Replace starts the program at path. When it is ready, it gets all new requests.
func (x *Proxy) Replace(ctx context.Context, path string) error {
	s := programs.ReadSettings(x.root)
	if err := s.CheckAddress(x.address); err != nil {
		return err
	}
	env := s.Sealed(x.key)
	if s.Get("APP_URL") == "" { // otherwise metadata would name the address of the program
		env = append(env, "APP_URL="+programs.PublicURL(x.address))
	}
	trusted := s.Get(trustedProxies)
	p, err := x.start(ctx, path, append(env, trustedProxies+"="+strings.TrimPrefix(trusted+",127.0.0.1", ",")))
	if err != nil {
		return err
	}
	p.Transport.behindProxies = trusted != ""
	x.Lock()
	err = x.Adopt(p)
	x.Unlock()
	if err != nil {
		x.Retire(p)
		return err
	}
	x.Log.Printf("serving %s", programs.PublicURL(x.address))
	return nil
}

// trustedProxies is the variable that names proxies to an app.
const trustedProxies = "APP_TRUSTED_PROXIES"

// Close stops the programs, which answer their running calls within their own limit (APP_DRAIN), and
// refuses further requests.
func (x *Proxy) Close() {
	x.Set.Close()
	x.Lock()
	defer x.Unlock()
	for _, s := range x.sessions {
		x.forget(s)
	}
}

// remember adds a session. Beyond the default limit of an app, it takes the place of the one that its
// client hasn't used for longest, which then ends with its program. The caller holds the lock.
func (x *Proxy) remember(s *session) {
	if len(x.sessions) >= limits.MaxSessions {
		oldest := slices.MinFunc(slices.Collect(maps.Values(x.sessions)), func(a, b *session) int { return a.used.Compare(b.used) })
		delete(x.sessions, oldest.id)
	}
	x.sessions[s.id] = s
}

// forget removes a session that has ended. No client comes back to its requests. The caller holds
// the lock.
func (x *Proxy) forget(s *session) {
	delete(x.sessions, s.id)
	s.client.Abandon()
}
