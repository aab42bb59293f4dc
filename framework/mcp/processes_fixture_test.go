package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/store"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/test/pipetest"
)

// A branch is a server that several processes serve.
type branch struct {
	wireLibrary
	running atomic.Int32 // calls of wait
	asked   atomic.Int32 // answers that calls of ask got
}

func (*branch) Name() string { return "branch" }

func (b *branch) Tools() []servers.Tool {
	return []servers.Tool{
		saying("say", "hello"),
		wireTool("ask", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			answer, err := request.Ask(ctx, "name", nameForm())
			if err != nil {
				return nil, err
			}
			b.asked.Add(1)
			return tools.Text("hello " + answer.String("name")), nil
		}),
		wireTool("note", ``, func(_ context.Context, request *tools.Request) (tools.Result, error) {
			request.Log().Info("noted")
			return tools.Text("done"), nil
		}),
		wireTool("wait", ``, func(ctx context.Context, request *tools.Request) (tools.Result, error) {
			b.running.Add(1)
			defer b.running.Add(-1)
			request.Log().Error("waiting")
			<-ctx.Done()
			return nil, ctx.Err()
		}),
	}
}

// A processStore is a store that fails or hangs, returns a part of its values, loses the messages of
// its bus, or is restarted and has lost everything.
type processStore struct {
	lock    sync.Mutex
	memory  *store.Memory
	mode    string
	receive []func(store.Message)
	read    func() // called once, when the record of a session has been read, but before it is returned
}

func (s *processStore) is(mode string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.mode = mode
}

// restart loses everything, and the messages of the time.
func (s *processStore) restart() {
	s.lock.Lock()
	s.memory = store.NewMemory()
	receive := s.receive
	s.receive = nil
	s.lock.Unlock()
	for _, receive := range receive {
		_ = s.Subscribe(context.Background(), receive)
		receive(store.Message{Gap: true})
	}
}

// now returns the store that does an operation, or the error of the operation.
func (s *processStore) now(ctx context.Context) (*store.Memory, error) {
	s.lock.Lock()
	memory, mode := s.memory, s.mode
	s.lock.Unlock()
	switch mode {
	case "fails":
		return nil, errors.New("the store is down")
	case "hangs":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return memory, nil
}

// whenRead calls do while the record of a session is read the next time.
func (s *processStore) whenRead(do func()) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.read = do
}

func (s *processStore) interrupt() {
	s.lock.Lock()
	read := s.read
	s.read = nil
	s.lock.Unlock()
	if read != nil {
		read()
	}
}

func (s *processStore) has(mode string) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.mode == mode
}

func (s *processStore) Get(ctx context.Context, key string) ([]byte, store.Revision, error) {
	memory, err := s.now(ctx)
	if err != nil {
		return nil, 0, err
	}
	value, at, err := memory.Get(ctx, key)
	if strings.HasPrefix(key, "session/") {
		s.interrupt()
	}
	if s.has("returns half") {
		value = value[:len(value)/2]
	}
	return value, at, err
}

func (s *processStore) Put(ctx context.Context, key string, value []byte, ttl time.Duration, replaces store.Revision) (store.Revision, error) {
	memory, err := s.now(ctx)
	if err != nil {
		return 0, err
	}
	at, err := memory.Put(ctx, key, value, ttl, replaces)
	if s.has("stores and fails") {
		return 0, errors.New("the answer of the store is lost")
	}
	return at, err
}

func (s *processStore) Touch(ctx context.Context, key string, ttl time.Duration) error {
	memory, err := s.now(ctx)
	if err != nil {
		return err
	}
	return memory.Touch(ctx, key, ttl)
}

func (s *processStore) Delete(ctx context.Context, key string) (bool, error) {
	memory, err := s.now(ctx)
	if err != nil {
		return false, err
	}
	return memory.Delete(ctx, key)
}

func (s *processStore) Append(ctx context.Context, stream string, data []byte, ttl time.Duration) (int64, error) {
	memory, err := s.now(ctx)
	if err != nil {
		return 0, err
	}
	return memory.Append(ctx, stream, data, ttl)
}

func (s *processStore) After(ctx context.Context, stream string, id int64, limit int) ([]store.Event, error) {
	memory, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	return memory.After(ctx, stream, id, limit)
}

func (s *processStore) Drop(ctx context.Context, stream string) error {
	memory, err := s.now(ctx)
	if err != nil {
		return err
	}
	return memory.Drop(ctx, stream)
}

func (s *processStore) Publish(ctx context.Context, topic string, payload []byte) error {
	memory, err := s.now(ctx)
	if err != nil || s.has("loses messages") {
		return err
	}
	return memory.Publish(ctx, topic, payload)
}

func (s *processStore) Subscribe(ctx context.Context, receive func(store.Message)) error {
	memory, err := s.now(ctx)
	if err != nil {
		return err
	}
	s.lock.Lock()
	s.receive = append(s.receive, receive)
	s.lock.Unlock()
	return memory.Subscribe(ctx, receive)
}

// Processes are two processes of a program, as two Apps that share a store.
type processes struct {
	store    *processStore
	branches [2]*branch
	clients  [2]*http.Client
	logs     [2]*logBuffer
}

// inProcesses runs a test with two processes, whose clock advances while they wait.
func inProcesses(t *testing.T, test func(t *testing.T, p *processes)) {
	t.Helper()
	inProcessesWith(t, mcp.Config{}, "", test)
}

// inProcessesWith is like inProcesses, with further settings and a mode of the store at first.
func inProcessesWith(t *testing.T, config mcp.Config, mode string, test func(t *testing.T, p *processes)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &processes{store: &processStore{memory: store.NewMemory(), mode: mode}}
		for i := range p.clients {
			p.branches[i], p.logs[i] = &branch{}, &logBuffer{}
			config := config
			config.Name, config.Key, config.Store = "test", []string{"a key that both of them have"}, p.store
			config.Logger = slog.New(slog.NewTextHandler(p.logs[i], nil))
			app := mcp.New(config)
			app.Router.Web("/mcp", p.branches[i])
			handler, err := app.Handler()
			must(t, err)
			t.Cleanup(app.Close)
			p.clients[i] = pipetest.Serve(t, &http.Server{Handler: handler}).Client(t) //nolint:gosec // no stranger connects
		}
		t.Cleanup(func() {
			p.store.is("")
			time.Sleep(3 * time.Minute) // until calls that still run time out
		})
		settle() // until both have subscribed to the bus: then everything may have changed
		test(t, p)
	})
}

// A roamer is an older client whose requests reach any of the processes.
type roamer struct {
	*processes
	t       *testing.T
	session string
}

// A roamerAnswer is the answer of one process, as far as it has arrived.
type roamerAnswer struct {
	status int
	header http.Header
	hangUp context.CancelFunc

	lock     sync.Mutex
	messages []string
	lastID   string
	over     bool
}

// roam begins a session with one of the processes.
func (p *processes) roam(t *testing.T, process int) *roamer {
	t.Helper()
	c := &roamer{processes: p, t: t}
	answer := c.post(process, initializeWith("2025-11-25", canFill))
	c.session = answer.header.Get("Mcp-Session-Id")
	if answer.status != http.StatusOK || c.session == "" {
		t.Fatalf("initialize gets %d %v", answer.status, answer.got())
	}
	return c
}

func initializeWith(version, capabilities string) string {
	return legacyRequest(`0`, "initialize", `{"protocolVersion":"`+version+`","capabilities":`+capabilities+`,"clientInfo":{"name":"c","version":"1"}}`)
}

// post sends a message to a process.
func (c *roamer) post(process int, message string) *roamerAnswer {
	c.t.Helper()
	return c.send(process, http.MethodPost, message, "")
}

// listen opens a stream at a process, or resumes one.
func (c *roamer) listen(process int, lastEventID string) *roamerAnswer {
	c.t.Helper()
	return c.send(process, http.MethodGet, "", lastEventID)
}

// together sends a message to a process several times at once, and checks that each is refused
// in time with a status.
func (c *roamer) together(n, process int, message string, status int) {
	c.t.Helper()
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			start := time.Now()
			a := c.begin(process, http.MethodPost, message, "")
			if took := time.Since(start); a.status != status || took > 2*time.Second+time.Second/10 {
				c.t.Errorf("%.200s gets %d after %s, want %d", message, a.status, took, status)
			}
			if a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") == "" {
				c.t.Errorf("%.200s gets no Retry-After", message)
			}
		})
	}
	group.Wait()
}

func (c *roamer) send(process int, method, message, lastEventID string) *roamerAnswer {
	c.t.Helper()
	a := c.begin(process, method, message, lastEventID)
	settle()
	return a
}

// begin is like send, but doesn't wait until the answer has arrived.
func (c *roamer) begin(process int, method, message, lastEventID string) *roamerAnswer {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	c.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1/mcp", strings.NewReader(message))
	must(c.t, err)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": c.session, "Last-Event-ID": lastEventID,
	} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if c.session != "" {
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
	}
	w, err := c.clients[process].Do(r)
	must(c.t, err)
	a := &roamerAnswer{status: w.StatusCode, header: w.Header, hangUp: cancel}
	go a.read(w)
	return a
}

// read reads the answer as it arrives.
func (a *roamerAnswer) read(w *http.Response) {
	defer func() {
		_ = w.Body.Close()
		a.lock.Lock()
		defer a.lock.Unlock()
		a.over = true
	}()
	if !strings.HasPrefix(w.Header.Get("Content-Type"), "text/event-stream") {
		if body, _ := io.ReadAll(w.Body); len(body) > 0 {
			a.add(string(body), "")
		}
		return
	}
	events := eventstream.NewReader(w.Body, 1<<20)
	for {
		event, _, err := events.Next()
		if err != nil {
			return
		}
		fields := event.Fields()
		a.add(string(fields.Message()), string(fields.ID))
	}
}

func (a *roamerAnswer) add(message, id string) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if message != "" {
		a.messages = append(a.messages, message)
	}
	if id != "" {
		a.lastID = id
	}
}

// settle waits until nothing is on its way. Events may wait a moment to be sent together.
func settle() {
	time.Sleep(10 * time.Millisecond)
	synctest.Wait()
}

// got returns the messages that have arrived since it was last called.
func (a *roamerAnswer) got() []string {
	settle()
	a.lock.Lock()
	defer a.lock.Unlock()
	messages := a.messages
	a.messages = nil
	return messages
}

// gets checks the parts of the messages that have arrived.
func (a *roamerAnswer) gets(t *testing.T, what string, parts ...string) {
	t.Helper()
	messages := a.got()
	if len(messages) != len(parts) {
		t.Errorf("%s: the messages are %q, want %d", what, messages, len(parts))
		return
	}
	for i, part := range parts {
		if !strings.Contains(messages[i], part) {
			t.Errorf("%s: message %d is %s, want %s", what, i, messages[i], part)
		}
	}
}

func (a *roamerAnswer) isOver() bool {
	settle()
	a.lock.Lock()
	defer a.lock.Unlock()
	return a.over
}

// calls calls a tool of a process.
func (c *roamer) calls(process int, id, tool string) *roamerAnswer {
	c.t.Helper()
	return c.post(process, legacyCall(id, tool, `{}`))
}

// expect checks the answer to a message.
func (c *roamer) expect(process int, message string, status int, part string) {
	c.t.Helper()
	a := c.post(process, message)
	if got := fmt.Sprint(a.got()); a.status != status || !strings.Contains(got, part) {
		c.t.Errorf("process %d answers %s with %d %s, want %d %s", process, message, a.status, got, status, part)
	}
}

// modern sends a message of a modern client, which has no session.
func (c *roamer) modern(process int, message string) *roamerAnswer {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(message))
	must(c.t, err)
	r.Header = listenHeader()
	r.Header.Set("Accept", "text/event-stream")
	w, err := c.clients[process].Do(r)
	must(c.t, err)
	a := &roamerAnswer{status: w.StatusCode, header: w.Header}
	go a.read(w)
	return a
}
