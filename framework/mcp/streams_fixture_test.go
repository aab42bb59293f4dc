package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// newspaper is a newsroom with tools that stream.
type newspaper struct {
	newsroom

	speak chan string    // the messages of the tool talk; it answers when the channel is closed
	tools []servers.Tool // nil: all of them
}

func newNewspaper() *newspaper { return &newspaper{speak: make(chan string)} }

func (n *newspaper) Tools() []servers.Tool {
	if n.tools != nil {
		return n.tools
	}
	return []servers.Tool{
		saying("read", "Nothing new."),
		wireTool("talk", ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
			for {
				select {
				case word, more := <-n.speak:
					if !more {
						return tools.Text("That was all."), nil
					}
					if err := r.Notify("chat/token", map[string]string{"token": word}); err != nil {
						return nil, err
					}
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
		}),
		wireTool("leave", ``, func(ctx context.Context, r *tools.Request) (tools.Result, error) {
			r.CloseStream(1500 * time.Millisecond)
			if err := r.Notify("chat/token", map[string]string{"token": "while you were away"}); err != nil {
				return nil, err
			}
			select {
			case <-n.speak:
				return tools.Text("Welcome back."), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}),
	}
}

// get opens a stream of the client's session; the last event may be "".
func (c *wireClient) get(t *testing.T, last string) *listening {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/mcp", nil)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", c.session)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	return readAlong(c.handler, r)
}

// follow calls a tool and reads its stream as it arrives.
func (c *wireClient) follow(t *testing.T, id, tool string) *listening {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(legacyCall(id, tool, `{}`)))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {c.session}}
	return readAlong(c.handler, r)
}

// events returns the events since the last call.
func (l *listening) events() (events []event) {
	for _, read := range l.next() {
		if e := eventOf(read); e != (event{}) {
			events = append(events, e)
		}
	}
	return events
}

// gets checks the messages since the last call, by their tokens, results or methods, and
// returns the ID of the last event.
func (l *listening) gets(t *testing.T, what string, want ...string) (last string) {
	t.Helper()
	var got []string
	for _, e := range l.events() {
		if last = e.id; e.data != "" {
			got = append(got, gist(e.data))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: the client gets %q, want %q", what, got, want)
	}
	return last
}

// gist has the relevant parts of a message.
func gist(data string) string {
	for _, cut := range [][2]string{{`"token":"`, `"`}, {`"text":"`, `"`}, {`"uri":"`, `"`}, {`"method":"notifications/`, `"`}} {
		if _, rest, ok := strings.Cut(data, cut[0]); ok {
			found, _, _ := strings.Cut(rest, cut[1])
			return found
		}
	}
	return data
}
