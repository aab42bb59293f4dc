package dev_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/eventstream"
)

// modern returns a request of a client of 2026-07-28.
func modern(id any, method, params string) string {
	if params != "" {
		params += ","
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"newer","version":"2"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`, id, method, params)
}

func toolCall(tool, arguments string) string {
	return fmt.Sprintf(`"name":%q,"arguments":{%s}`, tool, arguments)
}

// post sends a message and returns the response, whose body the caller closes.
func post(t *testing.T, client *http.Client, url, session, message string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	} else if !strings.Contains(message, `"initialize"`) {
		var m struct {
			Method string `json:"method"`
			Params struct {
				Name string `json:"name"`
			} `json:"params"`
		}
		if err := json.Unmarshal([]byte(message), &m); err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		request.Header.Set("Mcp-Method", m.Method)
		if m.Params.Name != "" {
			request.Header.Set("Mcp-Name", m.Params.Name)
		}
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// text posts a message and returns the whole answer.
func text(t *testing.T, url, session, message string) string {
	t.Helper()
	response := post(t, http.DefaultClient, url, session, message)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// initialize begins a session and returns its id.
func initialize(t *testing.T, url string) string {
	t.Helper()
	response := post(t, http.DefaultClient, url, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{"elicitation":{}},"clientInfo":{"name":"older","version":"1"}}}`)
	_ = response.Body.Close()
	id := response.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatalf("initialize gets %s without a session", response.Status)
	}
	text(t, url, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return id
}

// listen reads the messages of a stream in the background.
func listen(t *testing.T, response *http.Response) <-chan string {
	t.Helper()
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("the stream is %s %s", response.Status, kind)
	}
	messages := make(chan string, 100)
	t.Cleanup(func() { _ = response.Body.Close() })
	go func() {
		defer close(messages)
		for data := range eventstream.NewReader(response.Body, 1<<20).Messages() {
			messages <- string(data)
		}
	}()
	return messages
}

// get opens the stream of a session.
func get(t *testing.T, url, session string) <-chan string {
	t.Helper()
	return listen(t, reconnect(t.Context(), t, url, session, ""))
}

// reconnect opens a stream of a session, after an event if lastEventID isn't "". The caller closes
// the body.
func reconnect(ctx context.Context, t *testing.T, url, session, lastEventID string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Mcp-Session-Id", session)
	if lastEventID != "" {
		request.Header.Set("Last-Event-ID", lastEventID)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// next returns the next message of a stream.
func next(t *testing.T, messages <-chan string) string {
	t.Helper()
	select {
	case message, ok := <-messages:
		if !ok {
			t.Fatal("the stream has ended")
		}
		return message
	case <-time.After(forever):
		t.Fatal("no message arrives")
	}
	return ""
}

func contains(t *testing.T, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
}

// with is a transport that adds a header to each request.
type with struct{ name, value string }

func (h with) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(h.name, h.value)
	return http.DefaultTransport.RoundTrip(r)
}
