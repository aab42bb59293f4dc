// Package proxy passes HTTP requests to the newest program of an app that is ready. A request ends
// in the program in which it began. Streams on which clients listen move to each new program, and so
// do the sessions of clients before 2026-07-28.
package proxy

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
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
	next    Next

	isAnnounced bool           // whether the person knows where the app serves; only Replace uses it
	telling     sync.WaitGroup // what tells where the app serves
	stopping    context.Context
	stop        context.CancelFunc

	seenLimit  int           // the bytes of a body that the proxy looks at
	startLimit time.Duration // for a new program to answer

	sessions map[string]*session // guarded by the lock of the set
}

// Next returns what the person at the terminal may do next, now that the app serves a path at its URL.
type Next func(base, path string) string

// New returns a proxy for the app in the folder root, which listens on an address. When the app
// serves, the log shows its URLs, and then what next returns, unless that is nil.
func New(root, address string, log *applog.Log, next Next) *Proxy {
	stopping, stop := context.WithCancel(context.Background())
	return &Proxy{
		Set: programs.NewSet[*endpoint](log), root: root, address: address, key: programs.NewKey(), next: next, stopping: stopping, stop: stop,
		seenLimit: maxSeen, startLimit: programs.StartLimit, sessions: map[string]*session{},
	}
}

// Replace starts the program at path. When it is ready, it gets all new requests.
func (x *Proxy) Replace(ctx context.Context, path string) error {
	s := programs.ReadSettings(x.root)
	if err := s.CheckAddress(x.address); err != nil {
		return err
	}
	env := append(s.LogVariables(), s.Sealed(x.key)...)
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
	if !x.isAnnounced {
		x.isAnnounced = true
		x.telling.Go(func() { x.announce(path, s.Get("APP_URL")) })
	}
	return nil
}

// announce tells where the program at path serves: at its public URL, if it has one.
func (x *Proxy) announce(path, public string) {
	base, note := programs.PublicURL(x.address), ""
	if public != "" {
		base, note = strings.TrimSuffix(public, "/"), " (mcp dev listens on "+x.address+")"
	}
	listed, _, err := launcher.List(x.stopping, x.root, path)
	if x.stopping.Err() != nil {
		return
	}
	var paths []string
	for _, route := range listed.Web {
		paths = append(paths, route.Path)
	}
	next := ""
	switch {
	case err != nil: // the program serves nevertheless
		paths = []string{""}
	case x.next != nil && len(paths) > 0:
		next = x.next(base, paths[0])
	}
	x.Log.Announce(base, paths, note, next)
}

// Wait waits until all programs have ended.
func (x *Proxy) Wait() {
	x.Set.Wait()
	x.telling.Wait()
}

// trustedProxies is the variable that names proxies to an app.
const trustedProxies = "APP_TRUSTED_PROXIES"

// Close stops the programs, which answer their running calls within their own limit (APP_DRAIN), and
// refuses further requests.
func (x *Proxy) Close() {
	x.stop()
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
