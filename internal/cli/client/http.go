package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/fetch"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

const (
	maxMessage    = 64 << 20 // bytes, so that a server can't fill the memory
	maxRefusal    = 1 << 20  // bytes of the body of a refusal
	maxReconnects = 5        // without a message in between
	eventStream   = "text/event-stream"
)

// A httpConnection makes each request with a POST of its own (Streamable HTTP).
type httpConnection struct {
	url     *url.URL
	header  http.Header // of the user
	client  *http.Client
	version string // of an older server; "" before it is known
	session string // of an older server
}

// HTTP returns a client of the server at a URL. The header goes with every request.
func HTTP(ctx context.Context, u *url.URL, header http.Header, options Options) (*Client, error) {
	return open(ctx, &httpConnection{url: u, header: header, client: fetch.NewClient(fetch.Everywhere, nil)}, options)
}

func (c *httpConnection) agreed(version string) { c.version = version }

// exchange posts a request. The response is the body, or an event of a stream.
func (c *httpConnection) exchange(ctx context.Context, r *request, receive func(*jsonrpc.Message) []byte) (*jsonrpc.Message, error) {
	response, err := c.send(ctx, http.MethodPost, r.encode(), r.headers())
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	switch kind := mediaType(response); {
	case response.StatusCode/100 != 2:
		return refusal(response)
	case kind == eventStream:
		return c.follow(ctx, r, response, receive)
	case kind == "application/json":
		return readResponse(response.Body, maxMessage)
	default:
		return nil, fmt.Errorf("the answer has the media type %s, which MCP doesn't use; is this the URL of an MCP endpoint?", endpoint.Show(kind))
	}
}

// follow reads the events of a stream up to the response. If an older server ends a stream
// early, it is resumed.
func (c *httpConnection) follow(ctx context.Context, r *request, response *http.Response, receive func(*jsonrpc.Message) []byte) (*jsonrpc.Message, error) {
	pause, last := retryDelay, ""
	for attempts := 0; ; attempts++ {
		for events := eventstream.NewReader(response.Body, maxMessage); ; {
			event, err := nextEvent(events)
			if errors.Is(err, errTooLong) {
				return nil, err
			}
			if err != nil {
				break
			}
			fields := event.Fields()
			if fields.ID != nil {
				last, attempts = string(fields.ID), 0
			}
			if fields.Retry > 0 {
				pause = fields.Retry
			}
			if data := fields.Message(); len(data) > 0 {
				if message, err := c.handle(ctx, r, data, receive); message != nil || err != nil {
					return message, err
				}
			}
		}
		if r.modern || last == "" || attempts == maxReconnects || ctx.Err() != nil {
			return nil, errors.New("the server ended the stream without an answer")
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
		_ = response.Body.Close()
		resumed, err := c.send(ctx, http.MethodGet, nil, http.Header{"Last-Event-Id": {last}})
		if err != nil {
			return nil, err
		}
		defer func() { _ = resumed.Body.Close() }() // at most a few
		if resumed.StatusCode/100 != 2 || mediaType(resumed) != eventStream {
			return refusal(resumed)
		}
		response = resumed
	}
}

// nextEvent reads an event of a stream.
func nextEvent(events *eventstream.Reader) (eventstream.Event, error) {
	event, complete, err := events.Next()
	if err == nil && !complete {
		err = errTooLong
	}
	return event, err
}

// handle handles a message of a stream. It returns the message if it is the response.
func (c *httpConnection) handle(ctx context.Context, r *request, data []byte, receive func(*jsonrpc.Message) []byte) (*jsonrpc.Message, error) {
	message, err := scan(data)
	if err != nil {
		return nil, err
	}
	if message.Kind == jsonrpc.Response {
		if string(message.ID) == strconv.FormatUint(r.id, 10) {
			return message, nil
		}
		return nil, nil
	}
	if reply := receive(message); reply != nil {
		return nil, c.notify(ctx, reply)
	}
	return nil, nil
}

// notify posts a message that has no response. A closed connection alone cancels a request
// of 2026-07-28, so nothing is sent to such a server.
func (c *httpConnection) notify(ctx context.Context, message []byte) error {
	if c.version == "" {
		return nil
	}
	response, err := c.send(ctx, http.MethodPost, message, nil)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode/100 != 2 {
		_, err := refusal(response)
		return err
	}
	return nil
}

// close ends the session of an older server.
func (c *httpConnection) close() error {
	defer c.client.CloseIdleConnections()
	if c.session == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), goodbye)
	defer stop()
	response, err := c.send(ctx, http.MethodDelete, nil, nil)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// send sends one HTTP request.
func (c *httpConnection) send(ctx context.Context, method string, body []byte, header http.Header) (*http.Response, error) {
	message, err := http.NewRequestWithContext(ctx, method, c.url.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	message.Header.Set("Accept", "application/json, "+eventStream)
	if method == http.MethodGet {
		message.Header.Set("Accept", eventStream)
	}
	if body != nil {
		message.Header.Set("Content-Type", "application/json")
	}
	if c.version != "" {
		message.Header.Set("Mcp-Protocol-Version", c.version)
	}
	if c.session != "" {
		message.Header.Set("Mcp-Session-Id", c.session)
	}
	for _, more := range []http.Header{header, c.header} {
		for name, values := range more {
			message.Header[name] = values
		}
	}
	if host := message.Header.Get("Host"); host != "" {
		message.Host = host // net/http ignores the header
	}
	response, err := c.client.Do(message)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, endpoint.Explain(c.url.String(), err, 0)
	}
	if session := response.Header.Get("Mcp-Session-Id"); session != "" && c.session == "" {
		c.session = session
	}
	return response, nil
}

// refusal reads a response with a status that isn't a success. A server may explain it with
// an error of JSON-RPC.
func refusal(response *http.Response) (*jsonrpc.Message, error) {
	body, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	if err != nil {
		return nil, err
	}
	refused := &RefusedError{Status: response.StatusCode}
	if location, err := response.Location(); err == nil {
		refused.Location = location.String()
	}
	if refused.IsLogin() {
		refused.challenge(response.Header)
		return nil, refused
	}
	if message, err := scan(body); err == nil && message.Error != nil {
		return message, nil
	}
	if mediaType(response) == "text/plain" {
		text, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
		if text != "" {
			refused.text = endpoint.Show(text)
		}
	}
	return nil, refused
}

// readResponse reads a body of at most limit bytes.
func readResponse(body io.Reader, limit int) (*jsonrpc.Message, error) {
	data, err := io.ReadAll(io.LimitReader(body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer breaks off: %w", err)
	case len(data) > limit:
		return nil, errTooLong
	}
	message, err := scan(data)
	if err == nil && message.Kind != jsonrpc.Response {
		err = errors.New("the server answered with a message that isn't a response")
	}
	return message, err
}

// scan reads a message of the server.
func scan(data []byte) (*jsonrpc.Message, error) {
	message := &jsonrpc.Message{}
	if err := message.Scan(data); err != nil {
		return nil, fmt.Errorf("the server sent a message that isn't one of JSON-RPC: %w", err)
	}
	return message, nil
}

func mediaType(response *http.Response) string {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return kind
}
