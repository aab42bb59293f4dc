package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// A client sends messages from a loopback address.
type client struct {
	http    *http.Client
	url     string
	session string // of a client of 2025-11-25
}

// newClient returns a client that calls from 127.0.0.from on that many connections.
func newClient(address string, from byte, connections int) *client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, from)}, Timeout: 10 * time.Second}
	transport := &http.Transport{DialContext: dialer.DialContext, MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections}
	return &client{http: &http.Client{Transport: transport, Timeout: 30 * time.Second}, url: "http://" + address + "/mcp"}
}

// request returns a request with a message. The method and name belong to a message of 2026-07-28.
func (c *client) request(ctx context.Context, message, method, name string) *http.Request {
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(message)) // the URL is a valid one
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	} else if method != "initialize" {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", method)
		if name != "" {
			r.Header.Set("Mcp-Name", name)
		}
	}
	return r
}

// send sends a request and returns the answer.
func (c *client) send(r *http.Request) (*http.Response, string, error) {
	response, err := c.http.Do(r)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(response.Body)
	return response, string(body), errors.Join(err, response.Body.Close())
}

// call calls a tool with an id as its argument.
func (c *client) call(ctx context.Context, tool, id string) (status int, body string, err error) {
	params := fmt.Sprintf(`"name":%q,"arguments":{"id":%q}`, tool, id)
	if c.session == "" {
		params += "," + meta
	}
	response, body, err := c.send(c.request(ctx, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+params+`}}`, "tools/call", tool))
	if err != nil {
		return 0, "", err
	}
	return response.StatusCode, body, nil
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"soak","version":"1"}}}`

// begin begins a session.
func (c *client) begin(ctx context.Context) error {
	response, body, err := c.send(c.request(ctx, initialize, "initialize", ""))
	if err != nil {
		return err
	}
	if c.session = response.Header.Get("Mcp-Session-Id"); c.session == "" {
		return fmt.Errorf("initialize gets %s %s", response.Status, body)
	}
	return nil
}

// A report is what an honest client saw.
type report struct {
	calls, lost int
	problem     error // of the last call that was lost
	took        []time.Duration
}

// add adds a call.
func (r *report) add(took time.Duration, err error) {
	r.calls++
	if err != nil {
		r.lost, r.problem = r.lost+1, err
		return
	}
	r.took = append(r.took, took)
}

func (r *report) median() time.Duration { return r.quantile(0.5) }

func (r *report) quantile(q float64) time.Duration {
	if len(r.took) == 0 {
		return 0
	}
	slices.Sort(r.took)
	return r.took[min(int(q*float64(len(r.took))), len(r.took)-1)].Round(10 * time.Microsecond)
}

// busy makes 16 calls at once that wait for 50 ms each, until the context ends.
func busy(ctx context.Context, address string) *report {
	c, all := newClient(address, 7, 16), &report{}
	var lock sync.Mutex
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			for ctx.Err() == nil {
				begun := time.Now()
				status, body, err := c.call(context.WithoutCancel(ctx), "waits", "1")
				if err == nil && status != http.StatusOK {
					err = fmt.Errorf("%d %s", status, body)
				}
				lock.Lock()
				all.add(time.Since(begun), err)
				lock.Unlock()
			}
		})
	}
	callers.Wait()
	return all
}

// honest makes a small call every 50 ms until the context ends.
func honest(ctx context.Context, address string) *report {
	newest, older := newClient(address, 1, 1), newClient(address, 1, 1)
	report := &report{}
	if err := older.begin(ctx); err != nil {
		report.lost, report.problem = 1, err
		return report
	}
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return report
		case <-time.After(50 * time.Millisecond):
		}
		c, id, begun := newest, fmt.Sprint("honest ", i), time.Now()
		if i%2 == 1 {
			c = older
		}
		status, body, err := c.call(context.WithoutCancel(ctx), "small", id)
		if err == nil && (status != http.StatusOK || !strings.Contains(body, id)) {
			err = fmt.Errorf("%d %s", status, body)
		}
		report.add(time.Since(begun), err)
	}
}
