package mcp

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// A link is what a handler's request works by. When the handler has returned it is
// cut off from the engine's call, which is then used for another request: a handler
// that has kept its request reads nothing of that one.
type link struct {
	lock   sync.Mutex
	call   *protocol.Call // nil when cut
	values map[string]any
	waits  *sync.WaitGroup // for questions that wait for the client, nil if none ever did
}

var _ exchange.Link = (*link)(nil)

// cut ends what the request can do.
func (l *link) cut() {
	l.lock.Lock()
	call, waits := l.call, l.waits
	l.call = nil
	l.lock.Unlock()
	if waits != nil {
		call.End() // a goroutine of the handler may be waiting still
		waits.Wait()
	}
}

// read returns a copy of what get finds in the call.
func (l *link) read(get func(*protocol.Call) []byte) []byte {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.call == nil {
		return nil
	}
	return bytes.Clone(get(l.call))
}

// text is read for text.
func (l *link) text(get func(*protocol.Call) string) string {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.call == nil {
		return ""
	}
	return get(l.call)
}

func (l *link) Client() []byte {
	return l.read(func(call *protocol.Call) []byte { return call.Peer().Info })
}

func (l *link) Capabilities() []byte {
	return l.read(func(call *protocol.Call) []byte { return call.Peer().Capabilities })
}

func (l *link) Session() string {
	return l.text(func(call *protocol.Call) string { return call.Peer().Session })
}

// Context is never nil, so that a request that was kept knows nobody.
func (l *link) Context() context.Context {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.call == nil {
		return context.Background()
	}
	return l.call.Context()
}

func (l *link) ProtocolVersion() string {
	return l.text(func(call *protocol.Call) string { return call.Peer().Version.String() })
}

func (l *link) Method() string {
	return l.text(func(call *protocol.Call) string { return string(call.Message().Method) })
}

func (l *link) Params() []byte {
	return l.read(func(call *protocol.Call) []byte { return call.Message().Params })
}

func (l *link) Meta() []byte {
	return l.read(func(call *protocol.Call) []byte { return call.Message().Meta.Raw })
}

func (l *link) PathValue(name string) string {
	return l.text(func(call *protocol.Call) string {
		if r := call.HTTP(); r != nil {
			return r.PathValue(name)
		}
		return ""
	})
}

func (l *link) Address() netip.Addr {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.call == nil {
		return netip.Addr{}
	}
	return l.call.Address()
}

func (l *link) Set(key string, value any) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.values == nil {
		l.values = map[string]any{}
	}
	l.values[key] = value
}

func (l *link) Value(key string) any {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.values[key]
}

func (l *link) Progress(done, total float64, message string) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.call == nil {
		return protocol.ErrFinished
	}
	return l.call.Progress(done, total, message)
}

func (l *link) Notify(method string, params []byte) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.call == nil {
		return protocol.ErrFinished
	}
	return l.call.Notify(method, params)
}

func (l *link) CloseStream(retry time.Duration) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.call != nil {
		l.call.CloseStream(retry)
	}
}

func (l *link) Logs(level string) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.call != nil && l.call.Logs(protocol.ParseSeverity([]byte(level)))
}

func (l *link) Log(level string, data []byte) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.call == nil {
		return protocol.ErrFinished
	}
	return l.call.Log(protocol.ParseSeverity([]byte(level)), data)
}

// Ask puts questions to the client. It may wait, so it doesn't hold the lock.
func (l *link) Ask(ctx context.Context, asked []exchange.Asked) ([][]byte, error) {
	l.lock.Lock()
	call := l.call
	if call == nil {
		l.lock.Unlock()
		return nil, protocol.ErrFinished
	}
	if l.waits == nil {
		l.waits = &sync.WaitGroup{}
	}
	l.waits.Add(1)
	waits := l.waits
	l.lock.Unlock()
	defer waits.Done()
	questions := make([]protocol.Question, len(asked))
	for i, one := range asked {
		questions[i] = protocol.Question(one)
	}
	answers, err := call.Ask(ctx, questions)
	var failed *protocol.AskError
	switch {
	case errors.Is(err, protocol.ErrInputRequired):
		return nil, exchange.ErrInputRequired
	case errors.As(err, &failed):
		own := &exchange.AskError{Key: failed.Key, Reason: failed.Reason, Err: failed.Cause}
		if failed.Unable {
			own.Err = exchange.ErrCannotAsk
		}
		return nil, own
	}
	return answers, err
}

func (l *link) Refuse(key, reason string) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.call != nil {
		l.call.Refuse(key, reason)
	}
}

func (l *link) Kept(key string) []byte {
	return l.read(func(call *protocol.Call) []byte { return call.Kept(key) })
}

func (l *link) Keep(key string, raw []byte) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.call != nil {
		l.call.Keep(key, raw)
	}
}
