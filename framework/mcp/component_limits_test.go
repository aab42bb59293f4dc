package mcp_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// formTaking is an authorization server whose login and tokens take a form of 1 KiB, and take their time.
type formTaking struct {
	issuing
	pause chan struct{} // nil for none

	running atomic.Int64 // requests to both
}

func (s *formTaking) Endpoints(string) ([]mcp.Endpoint, error) {
	pausing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.running.Add(1)
		defer s.running.Add(-1)
		if s.pause != nil {
			<-s.pause
		}
		_, _ = io.Copy(w, r.Body)
	})
	return []mcp.Endpoint{
		{Path: "/oauth/login", MaxBody: 1 << 10, Handler: pausing},
		{Path: "/oauth/token", MaxBody: 1 << 10, Weight: 1, Refuse: func(w http.ResponseWriter, _ *http.Request, refused *exchange.Error) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(refused.Status)
			_, _ = io.WriteString(w, `{"error":"x"}`)
		}, Handler: pausing},
		{Path: "/oauth/authorize", Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })},
	}, nil
}

func handlerOf(t *testing.T, server mcp.Component, config mcp.Config) http.Handler {
	t.Helper()
	config.Addr, config.Logger = "127.0.0.1:8080", slog.New(slog.DiscardHandler)
	app := mcp.New(config)
	app.Router.Component(server)
	app.Router.Web("open", &lobby{})
	handler, err := app.Handler()
	must(t, err)
	t.Cleanup(app.Close)
	return handler
}

func TestABodyForTheAuthorizationServerMustArriveInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		handler := handlerOf(t, &formTaking{}, mcp.Config{BodyTimeout: 5 * time.Second})
		for path, want := range map[string]string{"/oauth/login": "took longer than 5s", "/oauth/token": `{"error":"x"}`} {
			conn := dialInBubble(t, &http.Server{Handler: handler}) //nolint:gosec // a test
			begun := time.Now()
			write(t, conn, "POST "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nname=")
			w, text := read(t, conn)
			if took := time.Since(begun); w.StatusCode != http.StatusRequestTimeout || !strings.Contains(text, want) || took > 6*time.Second {
				t.Errorf("%s: after %v the answer is %d %s", path, took, w.StatusCode, text)
			}
			if _, err := conn.Read(make([]byte, 1)); err == nil {
				t.Errorf("%s: the connection stays open", path)
			}
		}
	})
}

func TestABodyForTheAuthorizationServerIsSmall(t *testing.T) {
	t.Parallel()
	handler := handlerOf(t, &formTaking{}, mcp.Config{})
	for path, test := range map[string]struct {
		size, status int
	}{
		"/oauth/login":     {1 << 10, http.StatusOK},
		"/oauth/login?x":   {1<<10 + 1, http.StatusRequestEntityTooLarge},
		"/oauth/token":     {1<<10 + 1, http.StatusRequestEntityTooLarge},
		"/oauth/authorize": {1 << 20, http.StatusOK}, // isn't read
	} {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+path, strings.NewReader(strings.Repeat("x", test.size)))
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != test.status || test.status == http.StatusOK && path == "/oauth/login" && w.Body.Len() != test.size {
			t.Errorf("%s: %d bytes are answered %d %.100s", path, test.size, w.Code, w.Body)
		}
	}
}

// A login takes a processor and 7 MiB, so one client runs few at once.
func TestAClientHasAShareOfTheAuthorizationServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &formTaking{pause: make(chan struct{})}
		handler := handlerOf(t, server, mcp.Config{ClientCalls: 3})
		answers := make(chan *httptest.ResponseRecorder, 100)
		send := func(from string) {
			r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/oauth/login", strings.NewReader("name=ana"))
			r.RemoteAddr = from + ":1"
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			answers <- w
		}
		for range 50 {
			go send("192.0.2.1")
		}
		time.Sleep(time.Second)
		refused := len(answers)
		for range refused {
			if w := <-answers; w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
				t.Errorf("the answer is %d %v %s", w.Code, w.Header(), w.Body)
			}
		}
		go send("198.51.100.1")
		synctest.Wait()
		close(server.pause)
		for range 51 - refused {
			if w := <-answers; w.Code != http.StatusOK {
				t.Errorf("the answer is %d %s", w.Code, w.Body)
			}
		}
		if refused < 30 || refused > 47 {
			t.Errorf("%d of 50 logins at once are refused", refused)
		}
	})
}

// A stranger with many connections would otherwise hold up the requests of others, each of which
// would wait for as many of the stranger's.
func TestAClientRunsFewRequestsToTheAuthorizationServerAtOnce(t *testing.T) {
	t.Parallel()
	t.Run("login", func(t *testing.T) { testFewAtOnce(t, "/oauth/login", 2) })
	t.Run("token", func(t *testing.T) { testFewAtOnce(t, "/oauth/token", 8) })
}

func testFewAtOnce(t *testing.T, path string, few int64) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &formTaking{pause: make(chan struct{})}
		handler := handlerOf(t, server, mcp.Config{})
		const all = 20
		answers := make(chan int, all)
		for range all {
			go func() {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+path, strings.NewReader("name=ana")))
				answers <- w.Code
			}()
		}
		synctest.Wait()
		if running := server.running.Load(); running != few {
			t.Errorf("%d of %d requests run at once", running, all)
		}
		time.Sleep(time.Second) // the first ones wait for something else
		if running := server.running.Load(); running != all {
			t.Errorf("%d of %d requests run after a second", running, all)
		}
		close(server.pause)
		for range all {
			if code := <-answers; code != http.StatusOK {
				t.Errorf("a request is answered with %d", code)
			}
		}
	})
}
