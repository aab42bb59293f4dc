package dev

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// A proxy passes HTTP requests to the newest program that is ready. A request that has begun
// stays with its program. Streams on which clients listen move to the next one.
type proxy struct {
	root    string
	address string // where clients connect
	key     string
	stderr  io.Writer
	log     log
	exited  chan exit // see exits
	buffers buffers

	seenLimit   int           // of a body, in bytes
	startLimit  time.Duration // for a new program to answer
	resumeLimit time.Duration // for a client to come back to a replaced program

	stopping sync.WaitGroup // the programs that haven't ended yet

	lock       sync.Mutex
	current    *program // nil if there is none
	programs   map[*program]struct{}
	reason     string // why there is none; "" if one is about to be ready
	changed    chan struct{}
	generation int
	closed     bool
	sessions   map[string]*session
}

func newProxy(root, address string, stderr io.Writer, log log) *proxy {
	return &proxy{
		root: root, address: address, key: newKey(), stderr: stderr, log: log,
		exited: make(chan exit, 1), changed: make(chan struct{}), programs: map[*program]struct{}{}, sessions: map[string]*session{},
		seenLimit: maxSeen, startLimit: startLimit, resumeLimit: resumeLimit,
	}
}

// replace starts the program at path. When it is ready, it gets all new requests. The one
// before is stopped when its last request has ended.
func (x *proxy) replace(ctx context.Context, path string) (generation int, err error) {
	s := readSettings(x.root)
	if err := s.checkAddress(x.address); err != nil {
		return 0, err
	}
	env := s.sealed(x.key)
	if s.get("APP_URL") == "" { // otherwise metadata would name the address of the program
		env = append(env, "APP_URL="+publicURL(x.address))
	}
	env = append(env, trustedProxies+"="+strings.TrimPrefix(s.get(trustedProxies)+",127.0.0.1", ","))
	x.generation++ // only the loop's goroutine does
	p, err := startProgram(ctx, x.root, path, x.generation, env, x.stderr, x.startLimit)
	if err != nil {
		return 0, err
	}
	p.behindProxies = s.get(trustedProxies) != ""
	x.stopping.Add(1)
	x.lock.Lock()
	if x.closed {
		x.lock.Unlock()
		p.end()
		x.stopping.Done()
		return 0, context.Canceled
	}
	before := x.current
	x.programs[p] = struct{}{}
	x.current, x.reason = p, ""
	x.announce()
	if before != nil {
		x.retire(before)
	}
	x.forgetIdle()
	x.lock.Unlock()
	x.log.printf("serving %s", publicURL(x.address))
	go x.watch(p)
	return p.generation, nil
}

// The header in which proxies name the client, and the variable that names proxies to an app.
const (
	forwardedFor   = "X-Forwarded-For"
	trustedProxies = "APP_TRUSTED_PROXIES"
)

// addClient names the client at an address in the headers of a request to the program, which
// trusts this proxy. The program gets the header of the client only if the app trusts proxies;
// then it decides by the address.
func (p *program) addClient(header http.Header, address string) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return
	}
	if !p.behindProxies {
		header.Del(forwardedFor)
	}
	header[forwardedFor] = append(header[forwardedFor], host)
}

// announce wakes those that wait for a program. The caller holds the lock.
func (x *proxy) announce() {
	close(x.changed)
	x.changed = make(chan struct{})
}

// retire makes a program end after its last request. The caller holds the lock.
func (x *proxy) retire(p *program) {
	if p.over {
		return
	}
	p.over = true
	close(p.retired)
	if p.running == 0 {
		x.end(p)
	}
}

// end stops a program. The caller holds the lock.
func (x *proxy) end(p *program) {
	if p.stopped {
		return
	}
	p.stopped = true
	go func() {
		defer x.stopping.Done()
		p.end()
		x.lock.Lock()
		defer x.lock.Unlock()
		delete(x.programs, p)
	}()
}

// watch tells the loop if the current program ends by itself.
func (x *proxy) watch(p *program) {
	<-p.Exited
	x.lock.Lock()
	defer x.lock.Unlock()
	if x.current != p {
		return
	}
	x.current, x.reason = nil, ""
	x.retire(p)
	notify(x.exited, exit{p.generation, p.Ending()})
}

func (x *proxy) exits() <-chan exit { return x.exited }

func (x *proxy) serves() bool {
	x.lock.Lock()
	defer x.lock.Unlock()
	return x.current != nil
}

// unavailable makes requests fail until there is a program.
func (x *proxy) unavailable(reason string) {
	x.lock.Lock()
	defer x.lock.Unlock()
	x.reason = reason
	x.announce()
}

// errStopping is the reason for requests that arrive while mcp dev stops.
var errStopping = errors.New("mcp dev is stopping")

// acquire returns the current program for a request, which must release it. It waits for one
// that is about to be ready. The error says why there is none.
func (x *proxy) acquire(ctx context.Context) (*program, error) {
	for {
		x.lock.Lock()
		p, reason, changed := x.current, x.reason, x.changed
		switch {
		case x.closed:
			x.lock.Unlock()
			return nil, errStopping
		case p != nil:
			p.running++
			x.lock.Unlock()
			return p, nil
		}
		x.lock.Unlock()
		if reason != "" {
			return nil, errors.New(reason)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// hold returns whether a program still takes requests that belong to a running one. If so,
// the caller must release it.
func (x *proxy) hold(p *program) bool {
	x.lock.Lock()
	defer x.lock.Unlock()
	if p == nil || p.over && p.running == 0 {
		return false
	}
	p.running++
	return true
}

// release ends a request to a program.
func (x *proxy) release(p *program) {
	x.lock.Lock()
	defer x.lock.Unlock()
	x.decrement(p)
}

// decrement counts one request less. The caller holds the lock.
func (x *proxy) decrement(p *program) {
	p.running--
	if p.over && p.running == 0 {
		x.end(p)
	}
}

// close stops the programs, which answer their running calls within their own limit (APP_DRAIN),
// and refuses further requests.
func (x *proxy) close() {
	x.lock.Lock()
	x.closed = true
	if x.current != nil {
		x.retire(x.current)
		x.current = nil
	}
	for p := range x.programs {
		x.end(p)
	}
	x.announce()
	sessions := slices.Collect(maps.Values(x.sessions))
	x.lock.Unlock()
	for _, s := range sessions {
		x.forget(s)
	}
}

// session returns the session of a request, or nil.
func (x *proxy) session(r *http.Request) *session {
	id := r.Header.Get("Mcp-Session-Id")
	if id == "" {
		return nil
	}
	x.lock.Lock()
	defer x.lock.Unlock()
	return x.sessions[id]
}

// remember adds a session. Beyond the default limit of an app, it stays unknown, and ends
// with the program.
func (x *proxy) remember(s *session) {
	x.lock.Lock()
	defer x.lock.Unlock()
	if len(x.sessions) >= limits.MaxSessions {
		x.forgetIdle()
	}
	if len(x.sessions) < limits.MaxSessions {
		x.sessions[s.id] = s
	}
}

// forgetIdle removes the sessions whose clients don't use them. The caller holds the lock.
func (x *proxy) forgetIdle() {
	maps.DeleteFunc(x.sessions, func(_ string, s *session) bool { return s.idle() })
}

// forget removes a session that has ended. No client comes back to its requests.
func (x *proxy) forget(s *session) {
	x.lock.Lock()
	delete(x.sessions, s.id)
	x.lock.Unlock()
	for _, r := range s.requestsOf(nil) {
		x.abandon(r)
	}
}

// buffers are the buffers that bodies are copied with.
type buffers struct{ pool sync.Pool }

// Get returns a buffer.
func (b *buffers) Get() []byte {
	if buffer, ok := b.pool.Get().(*[]byte); ok {
		return *buffer
	}
	return make([]byte, 32<<10)
}

// Put takes a buffer back.
func (b *buffers) Put(buffer []byte) { b.pool.Put(&buffer) }
