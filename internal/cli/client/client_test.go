package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/client"
)

// A server answers a method with the raw result of a function, which may write more.
type server map[string]func(w http.ResponseWriter, r *http.Request, id, body string)

func answer(result string) func(http.ResponseWriter, *http.Request, string, string) {
	return func(w http.ResponseWriter, _ *http.Request, id, _ string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	}
}

func (s server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body)
	body := string(data)
	method := r.Method
	if found := regexp.MustCompile(`"method":"([^"]*)"`).FindStringSubmatch(body); found != nil {
		method = found[1]
	}
	id := "null"
	if found := regexp.MustCompile(`"id":(\d+|"[^"]*")`).FindStringSubmatch(body); found != nil {
		id = found[1]
	}
	if handle := s[method]; handle != nil {
		handle(w, r, id, body)
		return
	}
	w.WriteHeader(http.StatusBadRequest)
}

const (
	modernDiscovery  = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
	legacyInitialize = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
)

func accepted(w http.ResponseWriter, _ *http.Request, _, _ string) {
	w.WriteHeader(http.StatusAccepted)
}

func connect(t *testing.T, s http.Handler, header http.Header, options client.Options) (*client.Client, error) {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	u, err := url.Parse(web.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.HTTP(t.Context(), u, header, options)
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

func TestAModernRequestHasTheHeadersThatRepeatIt(t *testing.T) {
	t.Parallel()
	var got http.Header
	c, err := connect(t, server{"server/discover": answer(modernDiscovery), "tools/call": func(w http.ResponseWriter, r *http.Request, id, body string) {
		got = r.Header
		answer(`{"content":[]}`)(w, r, id, body)
	}}, http.Header{"X-Team": {"a"}}, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tool := client.Tool{Name: "grüße", InputSchema: []byte(`{"properties":{"place":{"properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}}`)}
	if _, err := c.CallTool(t.Context(), tool, []byte(`{"place":{"region":"eu"}}`)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?Z3LDvMOfZQ==?=", "Mcp-Param-Region": "eu",
		"X-Team": "a", "Accept": "application/json, text/event-stream", "Content-Type": "application/json",
	} {
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
}

func TestAnOlderServerGetsAHandshakeAndKeepsItsSession(t *testing.T) {
	t.Parallel()
	var notified, version, session string
	ended := make(chan bool, 1)
	c, err := connect(t, server{
		"initialize": func(w http.ResponseWriter, r *http.Request, id, body string) {
			w.Header().Set("Mcp-Session-Id", "s1")
			answer(legacyInitialize)(w, r, id, body)
		},
		"notifications/initialized": func(w http.ResponseWriter, r *http.Request, id, body string) {
			notified = r.Header.Get("Mcp-Session-Id")
			accepted(w, r, id, body)
		},
		"tools/list": func(w http.ResponseWriter, r *http.Request, id, body string) {
			version, session = r.Header.Get("Mcp-Protocol-Version"), r.Header.Get("Mcp-Session-Id")
			if strings.Contains(body, `"cursor":"2"`) {
				answer(`{"tools":[{"name":"b","inputSchema":{}}]}`)(w, r, id, body)
				return
			}
			answer(`{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"2"}`)(w, r, id, body)
		},
		http.MethodDelete: func(w http.ResponseWriter, r *http.Request, _, _ string) {
			ended <- r.Header.Get("Mcp-Session-Id") == "s1"
		},
	}, nil, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := c.Tools(t.Context())
	if err != nil || len(tools) != 2 || tools[1].Name != "b" {
		t.Errorf("the tools are %v, %v", tools, err)
	}
	if notified != "s1" || version != "2025-06-18" || session != "s1" {
		t.Errorf("initialized in session %q, then version %q and session %q", notified, version, session)
	}
	if err := c.Close(); err != nil || !<-ended {
		t.Errorf("close: %v", err)
	}
}

func TestQuestionsOfBothErasAreAnswered(t *testing.T) {
	t.Parallel()
	options := client.Options{Ask: func(_ context.Context, params []byte) ([]byte, error) {
		if !strings.Contains(string(params), "Which city?") {
			t.Errorf("the question is %s", params)
		}
		return []byte(`{"action":"accept","content":{"city":"Bern"}}`), nil
	}}
	modern, err := connect(t, server{"server/discover": answer(modernDiscovery), "tools/call": func(w http.ResponseWriter, r *http.Request, id, body string) {
		if strings.Contains(body, `"inputResponses":{"q":{"action":"accept","content":{"city":"Bern"}}}`) && strings.Contains(body, `"requestState":"s"`) {
			answer(`{"resultType":"complete","content":[{"type":"text","text":"Bern"}]}`)(w, r, id, body)
			return
		}
		answer(`{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"Which city?"}}},"requestState":"s"}`)(w, r, id, body)
	}}, nil, options)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan string, 1)
	older, err := connect(t, server{
		"initialize": answer(legacyInitialize), "notifications/initialized": accepted,
		"tools/call": func(w http.ResponseWriter, _ *http.Request, id, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, ": a comment\n\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"ask\",\"method\":\"elicitation/create\",\ndata: \"params\":{\"message\":\"Which city?\"}}\n\n")
			w.(http.Flusher).Flush()
			if body := <-answered; !strings.Contains(body, `"id":"ask","result":{"action":"accept"`) {
				t.Errorf("the answer is %s", body)
			}
			_, _ = fmt.Fprintf(w, "event: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"Bern\"}]}}\r\n\r\n", id)
		},
		http.MethodPost: func(w http.ResponseWriter, r *http.Request, id, body string) {
			answered <- body
			accepted(w, r, id, body)
		},
	}, nil, options)
	if err != nil {
		t.Fatal(err)
	}
	for era, c := range map[string]*client.Client{"modern": modern, "older": older} {
		if result, err := c.CallTool(t.Context(), client.Tool{Name: "weather"}, []byte(`{}`)); err != nil || !strings.Contains(string(result), `"text":"Bern"`) {
			t.Errorf("%s: %s, %v", era, result, err)
		}
	}
}

const connectPage = `{"mode":"url","message":"Connect your account","url":"https://example.com/connect"`

// pages returns servers of both eras with a tool that needs a page, and is called again once it is opened.
func pages() map[string]server {
	return map[string]server{
		"modern": {"server/discover": answer(modernDiscovery), "tools/call": func(w http.ResponseWriter, r *http.Request, id, body string) {
			if strings.Contains(body, `"inputResponses":{"q":{"action":"accept"}}`) {
				answer(`{"content":[]}`)(w, r, id, body)
				return
			}
			answer(`{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":`+connectPage+`}}}}`)(w, r, id, body)
		}},
		"older": {"initialize": answer(legacyInitialize), "notifications/initialized": accepted, "tools/call": func(w http.ResponseWriter, r *http.Request, id, body string) {
			if id != "3" { // after server/discover, initialize and the first call
				answer(`{"content":[]}`)(w, r, id, body)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"More is needed.","data":{"elicitations":[%s,"elicitationId":"1"}]}}}`, id, connectPage)
		}},
	}
}

func TestACallIsMadeAgainOnceItsPageIsOpened(t *testing.T) {
	t.Parallel()
	for era, s := range pages() {
		asked := 0
		c, err := connect(t, s, nil, client.Options{Ask: func(_ context.Context, params []byte) ([]byte, error) {
			if asked++; !strings.HasPrefix(string(params), connectPage) {
				t.Errorf("%s: the question is %s", era, params)
			}
			return []byte(`{"action":"accept"}`), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if result, err := c.CallTool(t.Context(), client.Tool{Name: "x"}, []byte(`{}`)); err != nil || string(result) != `{"content":[]}` || asked != 1 {
			t.Errorf("%s: %s, %v, after %d questions", era, result, err, asked)
		}
	}
}

func TestTheErrorOfACallWhosePageNobodyOpensHasThePage(t *testing.T) {
	t.Parallel()
	for era, s := range pages() {
		c, err := connect(t, s, nil, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.CallTool(t.Context(), client.Tool{Name: "x"}, []byte(`{}`))
		needed := new(client.PageError)
		if !errors.As(err, &needed) || len(needed.Pages) != 1 || !strings.HasPrefix(string(needed.Pages[0]), connectPage) || err.Error() != "the call needs a page that you open first" {
			t.Errorf("%s: the error is %v", era, err)
		}
	}
	c, err := connect(t, pages()["older"], nil, client.Options{Ask: func(context.Context, []byte) ([]byte, error) { return []byte(`{"action":"decline"}`), nil }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(t.Context(), client.Tool{Name: "x"}, []byte(`{}`)); !errors.As(err, new(*client.PageError)) {
		t.Errorf("declined: the error is %v", err)
	}
}

func TestAnErrorWithoutPagesIsThatOfTheServer(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`{}`, `{"elicitations":[]}`, `{"elicitations":[{"mode":"form","message":"Who?"},{"mode":"url","message":"Where?"}]}`, `{"elicitations":{}}`, `null`} {
		c, err := connect(t, server{"initialize": answer(legacyInitialize), "notifications/initialized": accepted, "tools/call": func(w http.ResponseWriter, _ *http.Request, id, _ string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"More is needed.","data":%s}}`, id, data)
		}}, nil, client.Options{Ask: func(context.Context, []byte) ([]byte, error) { return nil, errors.New("asked") }})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), client.Tool{Name: "x"}, []byte(`{}`)); err == nil || err.Error() != "More is needed. (-32042)" {
			t.Errorf("%s: the error is %v", data, err)
		}
	}
}

func TestAStreamThatAnOlderServerEndsEarlyIsResumed(t *testing.T) {
	t.Parallel()
	request := make(chan string, 1)
	c, err := connect(t, server{
		"initialize": answer(legacyInitialize), "notifications/initialized": accepted,
		"tools/call": func(w http.ResponseWriter, _ *http.Request, id, _ string) {
			request <- id
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "id: 7\nretry: 1\ndata:\n\n")
		},
		http.MethodGet: func(w http.ResponseWriter, r *http.Request, _, _ string) {
			if last := r.Header.Get("Last-Event-Id"); last != "7" {
				t.Errorf("the last event is %q", last)
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "id: 8\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", <-request)
		},
	}, nil, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result, err := c.CallTool(t.Context(), client.Tool{Name: "slow"}, []byte(`{}`)); err != nil || string(result) != `{"content":[]}` {
		t.Errorf("%s, %v", result, err)
	}
}

func TestARedirectDoesNotGetTheToken(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other server gets %s", r.Header)
	}))
	t.Cleanup(other.Close)
	_, err := connect(t, http.RedirectHandler(other.URL, http.StatusTemporaryRedirect), http.Header{"Authorization": {"Bearer x"}}, client.Options{})
	refused := new(client.RefusedError)
	if !errors.As(err, &refused) || refused.Location != other.URL {
		t.Errorf("the error is %v", err)
	}
}

func TestAnswersThatAreNoneAreExplained(t *testing.T) {
	t.Parallel()
	plain := func(status int, kind, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	for want, s := range map[string]http.Handler{
		`the answer has the media type "text/html"`:                           plain(200, "text/html", "<p>Hello"),
		`the server sent a message that isn't one of JSON-RPC`:                plain(200, "application/json", "{"),
		`the server ended the stream without an answer`:                       plain(200, "text/event-stream", "data:\n\n"),
		`the server refuses the request: 401 Unauthorized`:                    plain(401, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"x"}}`),
		`the server refuses the request: 404 Not Found: "404 page not found"`: plain(404, "text/plain", "404 page not found\n"),
		`the server refuses the request: 503 Service Unavailable`:             plain(503, "text/html", ""),
		`busy (-32000)`: plain(500, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"busy"}}`),
		`the server speaks the protocol version "2023-01-01", which this program doesn't know`: server{"initialize": answer(`{"protocolVersion":"2023-01-01","capabilities":{}}`)},
		`the server answered with an error that isn't one of JSON-RPC: "{\"code\":\"-1\"}"`:    plain(200, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":"-1"}}`),
	} {
		if _, err := connect(t, s, nil, client.Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

func TestListsAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	page := 0
	c, err := connect(t, server{
		"server/discover": answer(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{}}}`),
		"tools/list": func(w http.ResponseWriter, r *http.Request, id, body string) {
			page++
			answer([]string{"", `{"tools":[{"name":"a" }],"nextCursor":"2"}`, `{"tools":[{"name":"b","x":1}]}`}[page])(w, r, id, body)
		},
		"resources/list": answer(`{"resources":[{"uri":"a:b"}]}`),
		"resources/templates/list": func(w http.ResponseWriter, _ *http.Request, id, _ string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none"}}`, id)
		},
	}, nil, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lists, err := c.Lists(t.Context())
	if got := fmt.Sprintf("%s %s %s %s %t", lists.Tools, lists.Resources, lists.Templates, lists.Prompts, c.IsModern()); err != nil || got != `[{"name":"a" } {"name":"b","x":1}] [{"uri":"a:b"}] [] [] true` {
		t.Errorf("the lists are %s, %v", got, err)
	}
}

// A server can't keep a client reading, nor fill its memory.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	for want, page := range map[string]string{
		"the list of tools is too long: this client reads 10000 entries and 64 MiB": `{"tools":[` + strings.Repeat(`{},`, 999) + `{}],"nextCursor":"again"}`,
		"the list of tools has more than 1000 pages":                                `{"tools":[],"nextCursor":"again"}`,
	} {
		checkBound(t, page, want)
	}
	if !testing.Short() {
		checkBound(t, `{"tools":[{"name":"`+strings.Repeat("x", 30<<20)+`"}],"nextCursor":"again"}`, "the list of tools is too long: this client reads 10000 entries and 64 MiB")
	}
}

func checkBound(t *testing.T, page, want string) {
	t.Helper()
	c, err := connect(t, server{"server/discover": answer(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`), "tools/list": answer(page)}, nil, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Lists(t.Context()); err == nil || err.Error() != want {
		t.Errorf("%.50s: got %v, want %s", page, err, want)
	}
}
