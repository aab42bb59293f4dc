package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/test/pipetest"
)

func TestANotificationTurnsTheAnswerIntoAStream(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		s.Limits.KeepAlive = 15 * time.Second
		w := transporttest.Start(t, s.handler(), post(modern(`1`, "talk")))
		if news := w.News(); news != "" {
			t.Errorf("before there is anything, the client gets\n%s", news)
		}
		s.Words <- "one"
		s.Words <- "two" // flushed a moment later
		time.Sleep(time.Millisecond)
		w.Gets(t, "the notifications", "data: ", `"word":"one"`, "\n\n", "data: ", `"word":"two"`, "\n\n")
		time.Sleep(16 * time.Second)
		w.Gets(t, "when nothing happens", ": keep-alive\n\n")
		close(s.Words)
		w.Gets(t, "the answer", "data: ", `"structuredContent"`, "\n\n")
		if !w.Over() || w.Header().Get("Content-Type") != "text/event-stream" || w.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("the stream continues, or has wrong headers: %v", w.Header())
		}
	})
}

// Some clients read only one event of each chunk.
func TestAnAnswerIsNotInAChunkWithTheNotificationsBeforeIt(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		for name, message := range map[string]string{"modern": modern(`1`, "talk"), "older": old(`1`, "talk")} {
			s := newServer(t)
			w := transporttest.Start(t, s.handler(), post(message))
			s.talk("one", "two", "three")
			hasAnswerAlone(t, name, w)
		}
		s := newServer(t)
		h := s.handler()
		first := transporttest.Start(t, h, post(old(`1`, "talk")))
		s.Words <- "one"
		time.Sleep(time.Millisecond)
		first.Gets(t, "at first", `"word":"one"`)
		first.HangUp()
		back := transporttest.Start(t, h, with(httptest.NewRequest(http.MethodGet, "http://127.0.0.1/mcp", nil), "Last-Event-ID", first.LastID()))
		time.Sleep(time.Millisecond)
		s.talk("two", "three", "four")
		hasAnswerAlone(t, "an older client that came back", back)
	})
}

// talk ends a call of the tool talk after some words.
func (s *server) talk(words ...string) {
	for _, word := range words {
		s.Words <- word
	}
	close(s.Words)
}

// hasAnswerAlone checks that the answer was sent at once, in the last chunk and by itself.
func hasAnswerAlone(t *testing.T, who string, w *transporttest.Response) {
	t.Helper()
	chunks := w.Chunks()
	if len(chunks) < 2 || !strings.Contains(chunks[len(chunks)-1], `"id":1,"result"`) || strings.Count(chunks[len(chunks)-1], `"jsonrpc"`) != 1 {
		t.Errorf("%s gets the chunks\n%s", who, strings.Join(chunks, "---\n"))
	}
}

func TestAClientGetsWhatItAccepts(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		h := s.handler()
		w := transporttest.Start(t, h, with(post(modern(`1`, "talk")), "Accept", "application/json"))
		s.Words <- "one"
		close(s.Words)
		w.Gets(t, "a client that takes no stream", `{"jsonrpc":"2.0","id":1,"result"`)
		for _, message := range []string{modern(`1`, "hello"), old(`1`, "hello")} {
			w := expect(t, h, with(post(message), "Accept", "text/event-stream"), http.StatusOK, "data: {")
			if w.Header().Get("Content-Type") != "text/event-stream" {
				t.Errorf("a client that takes only a stream gets %v", w.Header())
			}
		}
	})
}

func TestADisconnectEndsAModernCallButNotAnOlderOne(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		h := s.handler()
		w := transporttest.Start(t, h, post(modern(`1`, "wait")))
		w.HangUp()
		if err := <-s.Ended; !w.Over() || err == nil {
			t.Errorf("the modern call ends with %v", err)
		}
		older := transporttest.Start(t, h, post(old(`1`, "wait")))
		older.HangUp()
		if older.Over() || len(s.Ended) > 0 {
			t.Error("the older call has ended")
		}
	})
}

// The client gets an answer at the timeout, while the handler still runs.
func TestAHandlerThatIgnoresItsContextDoesNotDelayTheAnswer(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		w := transporttest.Start(t, s.handler(), post(modern(`1`, "stubborn")))
		time.Sleep(11 * time.Minute)
		w.Gets(t, "at the time limit", "timed out")
		if w.Header().Get("Connection") != "close" {
			t.Error("the connection, which stays with the handler, is offered for the next request")
		}
		close(s.Free)
	})
}

func TestASubscriptionStaysOpen(t *testing.T) {
	for name, end := range map[string]func(s *server, w *transporttest.Response, web *http.Server){
		"until the client hangs up":   func(_ *server, w *transporttest.Response, _ *http.Server) { w.HangUp() },
		"until the program stops":     func(s *server, _ *transporttest.Response, _ *http.Server) { s.Drain() },
		"until the server shuts down": func(_ *server, _ *transporttest.Response, web *http.Server) { _ = web.Shutdown(context.Background()) },
		"until the client stops to read": func(s *server, w *transporttest.Response, _ *http.Server) {
			w.StopsReading()
			s.AddTool("another", nil)
			time.Sleep(31 * time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			transporttest.Bubble(t, func(t *testing.T) {
				s, web := newServer(t), &http.Server{} //nolint:gosec // a test
				h := s.handler()
				on := func(r *http.Request) *http.Request {
					return r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, web))
				}
				w := transporttest.Start(t, h, on(post(listen(`1`))))
				older := transporttest.Start(t, h, on(with(httptest.NewRequest(http.MethodGet, "http://127.0.0.1/mcp", nil), "Accept", "text/event-stream")))
				s.AddTool("late", nil)
				time.Sleep(time.Millisecond)
				w.Gets(t, "a change", "acknowledged", "tools/list_changed")
				end(s, w, web)
				if !w.Over() {
					t.Error("the stream is still open")
				}
				if strings.Contains(name, "shuts down") {
					if !older.Over() {
						t.Error("the older client's stream is still open")
					}
					time.Sleep(time.Millisecond)
					expect(t, h, on(httptest.NewRequest(http.MethodGet, "http://127.0.0.1/mcp", nil)), http.StatusServiceUnavailable, "")
				}
				older.HangUp()
				synctest.Wait()
			})
		})
	}
}

func TestAnOlderClientResumesAStream(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		h := s.handler()
		w := transporttest.Start(t, h, post(old(`1`, "talk")))
		s.Words <- "one"
		time.Sleep(time.Millisecond)
		w.Gets(t, "at first", "id: ", "data: ", `"word":"one"`)
		id := w.LastID()
		w.HangUp()
		s.Words <- "two"
		back := transporttest.Start(t, h, with(httptest.NewRequest(http.MethodGet, "http://127.0.0.1/mcp", nil), "Last-Event-ID", id))
		close(s.Words)
		time.Sleep(time.Millisecond)
		back.Gets(t, "when it comes back", `"word":"two"`, `"id":1,"result"`)
		if !back.Over() {
			t.Error("the stream continues after the answer")
		}
	})
}

// web serves the handler over TCP.
func web(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	served := httptest.NewUnstartedServer(h)
	served.EnableHTTP2 = true
	t.Cleanup(func() {
		served.CloseClientConnections()
		served.Close()
	})
	return served
}

func TestAHandlerEndsItsConnectionOverHTTP1(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	served := web(t, s.handler())
	served.Start()
	r := post(old(`1`, "leave"))
	w, err := send(t, served, r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(w.Body) // ends while the call continues
	if err != nil || !strings.Contains(string(body), "retry: 1500\n\n") {
		t.Errorf("the client gets %q, %v", body, err)
	}
	begun, _, err := eventstream.NewReader(bytes.NewReader(body), len(body)).Next()
	if err != nil {
		t.Fatal(err)
	}
	id := string(begun.Fields().ID)
	close(s.Free)
	back, err := send(t, served, with(httptest.NewRequest(http.MethodGet, "http://127.0.0.1/mcp", nil), "Last-Event-ID", id))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(back.Body); err != nil || !strings.Contains(string(body), "meanwhile") || !strings.Contains(string(body), `"id":1,"result"`) {
		t.Errorf("when it reconnects, the client gets %q, %v", body, err)
	}
}

// Over HTTP/2, other requests share the connection.
func TestAHandlerDoesNotEndItsConnectionOverHTTP2(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	served := web(t, s.handler())
	served.StartTLS()
	close(s.Free)
	w, err := send(t, served, post(old(`1`, "leave")))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(w.Body); err != nil || w.ProtoMajor != 2 || !strings.Contains(string(body), `"id":1,"result"`) {
		t.Errorf("the client gets %q over %s, %v", body, w.Proto, err)
	}
}

// send sends a request to a server over TCP.
func send(t *testing.T, served *httptest.Server, r *http.Request) (*http.Response, error) {
	t.Helper()
	return sendWith(t, served.Client(), served.URL, r)
}

func sendWith(t *testing.T, client *http.Client, base string, r *http.Request) (*http.Response, error) {
	t.Helper()
	sent, err := http.NewRequestWithContext(t.Context(), r.Method, base+"/mcp", r.Body)
	if err != nil {
		return nil, err
	}
	sent.Header = r.Header
	w, err := client.Do(sent)
	if err == nil {
		t.Cleanup(func() { _ = w.Body.Close() })
	}
	return w, err
}

// whole sends a message to a server over TCP, and reads the answer to its end.
func whole(t *testing.T, served *httptest.Server, message string) (*http.Response, string) {
	t.Helper()
	w, err := send(t, served, post(message))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w, string(body)
}

func TestABodyMustArriveInTime(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		s.Limits.BodyTime = 2 * time.Second
		l := pipetest.Serve(t, &http.Server{Handler: s.handler()}) //nolint:gosec // a test
		conn, err := l.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		start := time.Now()
		w, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _ = w.Body.Close(); w.StatusCode != http.StatusRequestTimeout || !w.Close || time.Since(start) != s.Limits.BodyTime {
			t.Errorf("after %v a body that doesn't come gets %d, and the connection stays open: %t", time.Since(start), w.StatusCode, !w.Close)
		}
		// The connection waits a moment for the client, not for the rest of the body.
		if _, err := io.Copy(io.Discard, conn); err != nil || time.Since(start) > 2*s.Limits.BodyTime {
			t.Errorf("after %v the connection of a body that doesn't come isn't closed: %v", time.Since(start), err)
		}
		time.Sleep(50 * time.Millisecond) // a tick of the timer when nothing is read
		if w, err := sendWith(t, l.Client(t), "http://a", post(modern(`1`, "hello"))); err != nil || w.StatusCode != http.StatusOK {
			t.Errorf("the next request gets %v, %v", w, err)
		}
	})
}

// A touched writer records whether it is used after its handler has returned, which would
// panic over HTTP/2.
type touched struct {
	*transporttest.Response
	over, late atomic.Bool
}

func (w *touched) SetWriteDeadline(time.Time) error {
	if w.over.Load() {
		w.late.Store(true)
	}
	return nil
}

func TestAnEndedConnectionIsNotUsed(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		writer, h := &touched{}, s.handler()
		stream := transporttest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			writer.Response = w.(*transporttest.Response)
			h.ServeHTTP(writer, r)
			writer.over.Store(true)
		}), httptest.NewRequest(http.MethodGet, "http://127.0.0.1/mcp", nil))
		reply := <-s.older.open
		stream.HangUp()
		synctest.Wait()
		if !reply.Disconnect(0) || !writer.over.Load() || writer.late.Load() {
			t.Error("the writer of a handler that has returned is used")
		}
	})
}

func TestAClientHasAShareOfTheStreams(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		streams := &s.Core.Server().Shares.Streams
		streams.Spare, streams.Client = 0, 2
		h, sse := transporttest.ByUser(s.handler()), s.overSSE(10)
		ada := func(r *http.Request) *http.Request { return with(r, "User", "ada") }
		for _, test := range []struct {
			handler http.Handler
			open    func() *http.Request
		}{
			{h, func() *http.Request { return ada(post(listen(`1`))) }},
			{sse, func() *http.Request { return ada(events()) }},
		} {
			first := transporttest.Start(t, test.handler, test.open())
			second := transporttest.Start(t, test.handler, test.open())
			if refused := do(test.handler, test.open()); refused.Code != http.StatusTooManyRequests || refused.Header().Get("Retry-After") == "" {
				t.Errorf("a third stream gets %d %v", refused.Code, refused.Header())
			}
			other := transporttest.Start(t, test.handler, with(test.open(), "User", "bob"))
			first.HangUp()
			synctest.Wait()
			third := transporttest.Start(t, test.handler, test.open())
			for _, stream := range []*transporttest.Response{second, other, third} {
				if stream.Status != http.StatusOK {
					t.Errorf("a stream gets %d", stream.Status)
				}
				stream.HangUp()
			}
			synctest.Wait()
			if streams.Held() != 0 {
				t.Errorf("%d streams are open", streams.Held())
			}
		}
	})
}

// A refused client waits for its answer, but others don't wait for that.
func TestRefusedStreamsDontDelayThoseOfOtherClients(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		streams := &s.Core.Server().Shares.Streams
		streams.Spare, streams.Client = 0, 1
		h := transporttest.ByUser(s.handler())
		open := func(user string) *transporttest.Response {
			return transporttest.Start(t, h, with(post(listen(`1`)), "User", user))
		}
		ada, refused, bob := open("ada"), open("ada"), open("bob")
		if refused.Over() || bob.Status != http.StatusOK {
			t.Errorf("before the delay, %v and %d", refused.Over(), bob.Status)
		}
		time.Sleep(limits.RefusalDelay)
		synctest.Wait()
		if refused.Status != http.StatusTooManyRequests {
			t.Errorf("after the delay the client gets %d", refused.Status)
		}
		ada.HangUp()
		bob.HangUp()
	})
}

func TestOpenStreamsCountTowardsTheMemoryOfTheirClient(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t)
		shares := s.Core.Server().Shares
		shares.Memory.Spare, shares.Memory.Client = 0, 3*limits.StreamCost-1
		h := transporttest.ByUser(s.handler())
		open := func() *http.Request { return with(post(listen(`1`)), "User", "ada") }
		first, second := transporttest.Start(t, h, open()), transporttest.Start(t, h, open())
		if refused := do(h, open()); refused.Code != http.StatusTooManyRequests || !strings.Contains(refused.Body.String(), "bytes") {
			t.Errorf("a third stream gets %d %s", refused.Code, refused.Body)
		}
		for _, stream := range []*transporttest.Response{first, second} {
			if stream.Status != http.StatusOK {
				t.Errorf("a stream gets %d", stream.Status)
			}
			stream.HangUp()
		}
		synctest.Wait()
		if shares.Streams.Held() != 0 || shares.Memory.Held() != 0 {
			t.Errorf("without streams, %d streams and %d bytes are held", shares.Streams.Held(), shares.Memory.Held())
		}
	})
}
