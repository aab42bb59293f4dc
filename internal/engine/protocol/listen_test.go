package protocol_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// listen opens a stream.
func (w *world) listen(id int, filter string) *calltest.Reply {
	return w.serve(strings.Replace(message("subscriptions/listen", `{"notifications":`+filter+`}`), `"id":1`, fmt.Sprintf(`"id":%d`, id), 1), nil)
}

const subscription = `"_meta":{"io.modelcontextprotocol/subscriptionId":7}`

// offer returns an open server with a tool, a prompt and resources.
func offer(t *testing.T) *world {
	w := library(t).add(t, tool("a"))
	w.Opened()
	return w
}

// listening returns such a server, and the stream 7 of a client that listens to the tools.
func listening(t *testing.T) (*world, *calltest.Reply) {
	w := offer(t)
	w.table = &call.Table{}
	return w, w.listen(7, `{"toolsListChanged":true}`)
}

func acknowledged(what string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` + subscription + `,"notifications":` + what + `}}`
}

func TestAStreamBeginsWithItsAcknowledgment(t *testing.T) {
	t.Parallel()
	w := offer(t)
	for filter, want := range map[string]string{
		`{}`: `{}`,
		`{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":false}`:             `{"toolsListChanged":true,"promptsListChanged":true}`, // there are no prompts yet
		`{"resourcesListChanged":true,"example.com/more":7}`:                                           `{"resourcesListChanged":true}`,
		`{"resourceSubscriptions":["users://me","users://me","users://admin","docs://a","users://7"]}`: `{"resourceSubscriptions":["users://me","users://7"]}`,
		`{"toolsListChanged":true,"resourcesListChanged":null,"resourceSubscriptions":null}`:           `{"toolsListChanged":true}`,
		`{"resourceSubscriptions":[]}`:                                              `{}`,
		`{"resourceSubscriptions":["users://m%65","users://me","users://%61dmin"]}`: `{"resourceSubscriptions":["users://m%65"]}`, // in the client's spelling
	} {
		reply := w.listen(7, filter)
		if got := reply.Sent(); !slices.Equal(got, []string{acknowledged(want)}) || len(reply.Answers()) != 0 {
			t.Errorf("%s: got %q, and the answers %+v", filter, got, reply.Answers())
		}
		reply.HangUp(errors.New("gone"))
	}
}

func TestAnInvalidFilterIsRefused(t *testing.T) {
	t.Parallel()
	w := offer(t)
	many := `["` + strings.Repeat(`a","`, limits.MaxResources) + `b"]`
	for filter, want := range map[string]string{
		`7`:                                      `the member \"notifications\" must be an object that lists the subscriptions`,
		`null`:                                   `the member \"notifications\" must be an object`,
		`{"toolsListChanged":1}`:                 `the member \"toolsListChanged\" of \"notifications\" must be true or false`,
		`{"resourceSubscriptions":"a"}`:          `the member \"resourceSubscriptions\" of \"notifications\" must be an array of URIs`,
		`{"resourceSubscriptions":[7]}`:          `the member \"resourceSubscriptions\" of \"notifications\" must be an array of URIs`,
		`{"resourceSubscriptions":` + many + `}`: `at most 1000 resources may be subscribed to`,
		`{"resourceSubscriptions":["users://` + strings.Repeat("a", 65_000) + `","users://` + strings.Repeat("b", 600) + `"]}`: `at most 1000 resources may be subscribed to`,
	} {
		if got := outcome(w.listen(1, filter)); !strings.HasPrefix(got, `200 -32602 "Invalid params: `+want) {
			t.Errorf("%.60s: got %s", filter, got)
		}
	}
	assertIs(t, "no filter", w.ask("subscriptions/listen", `{}`)[:30], `200 -32602 "Invalid params: th`)
}

// A plainReply can't stay open.
type plainReply struct{ call.Reply }

// A shutReply is one whose client accepts no stream.
type shutReply struct{ *calltest.Reply }

func (shutReply) KeepOpen(func(error)) bool { return false }

func TestAClientThatAcceptsNoStreamGetsAnError(t *testing.T) {
	t.Parallel()
	w := offer(t)
	for name, wrap := range map[string]func(*calltest.Reply) call.Reply{
		"one that can't hold": func(r *calltest.Reply) call.Reply { return plainReply{r} },
		"one that doesn't":    func(r *calltest.Reply) call.Reply { return shutReply{r} },
	} {
		reply := &calltest.Reply{}
		w.Serve(w.ctx, arrive(message("subscriptions/listen", `{"notifications":{}}`)), wrap(reply))
		assertIs(t, name, outcome(reply), `406 -32600 "Invalid request: the answer is a stream, so Accept must include text/event-stream"`)
	}
}

func TestAStreamNotifiesOfChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := offer(t)
		reply := w.listen(7, `{"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["users://me","users://7"]}`)
		w.add(t, tool("b"), &protocol.Prompt{Item: item("p", `{}`)}, &protocol.Resource{Item: item("a://c", `{}`)})
		w.ResourceUpdated("users://me")
		w.ResourceUpdated("users://8")
		synctest.Wait()
		w.RemoveResource("users://{id}")
		w.Feed().Publish(w.updated("users://7")) // no longer exists
		synctest.Wait()
		want := []string{
			acknowledged(`{"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["users://me","users://7"]}`),
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{` + subscription + `}}`,
			`{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{` + subscription + `}}`,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"users://me",` + subscription + `}}`,
			`{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{` + subscription + `}}`,
		}
		if got := reply.Sent(); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

const streamEnd = `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":7,"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}}`

func TestStreamsEndWithTheirAnswers(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world){
		"the HTTP server stops": func(w *world) { w.EndStreams() },
		"the program stops":     func(w *world) { w.Server().Lifecycle.Drain(0, 0) },
		"the process ends": func(w *world) {
			if all := w.table.EndSubscriptions(); all != nil {
				<-all
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, reply := listening(t)
				w.add(t, tool("b"))
				end(w)
				synctest.Wait()
				w.add(t, tool("c"))
				synctest.Wait()
				answers := reply.Answers()
				if len(answers) != 1 || answers[0].Body != streamEnd || answers[0].Status != http.StatusOK || len(reply.Sent()) != 2 {
					t.Errorf("after %q it ends with %+v", reply.Sent(), answers)
				}
				if log := w.log.String(); !strings.Contains(log, "level=DEBUG msg=stream method=subscriptions/listen outcome=ok") {
					t.Errorf("the log is\n%s", log)
				}
			})
		})
	}
}

func TestAStreamEndsWithoutAnAnswerWhenCanceledOrDisconnected(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end func(w *world, reply *calltest.Reply)
		log string
	}{
		"cancelled": {func(w *world, _ *calltest.Reply) {
			w.serve(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, nil)
		}, "outcome=canceled"},
		"hung up":       {func(_ *world, reply *calltest.Reply) { reply.HangUp(errors.New("gone")) }, `outcome=canceled version=2026-07-28 reason="the client disconnected"`},
		"does not read": {func(_ *world, reply *calltest.Reply) { reply.HangUp(os.ErrDeadlineExceeded) }, `level=WARN msg=stream method=subscriptions/listen outcome=canceled version=2026-07-28 reason="the client does not read"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, reply := listening(t)
				test.end(w, reply)
				synctest.Wait()
				w.add(t, tool("b"))
				w.EndStreams()
				synctest.Wait()
				if answers := reply.Answers(); len(answers) != 1 || answers[0].Body != "" || len(reply.Sent()) != 1 {
					t.Errorf("after %q it ends with %+v", reply.Sent(), answers)
				}
				if log := w.log.String(); !strings.Contains(log, test.log) {
					t.Errorf("the log is\n%s\nwithout %s", log, test.log)
				}
				if again := w.listen(7, `{}`); len(again.Answers()) != 0 {
					t.Errorf("its id is not free: %+v", again.Answers())
				}
				w.EndStreams()
				synctest.Wait()
			})
		})
	}
}

func TestAClientThatCannotBeToldOfItsStreamHasNone(t *testing.T) {
	t.Parallel()
	w := offer(t)
	reply := &calltest.Reply{Broken: errors.New("gone")}
	w.Serve(w.ctx, arrive(message("subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`)), reply)
	w.add(t, tool("b"))
	if answers := reply.Answers(); len(answers) != 1 || answers[0].Body != "" || len(reply.Sent()) != 1 {
		t.Errorf("after %q it ends with %+v", reply.Sent(), answers)
	}
}

func TestAnIDOfAStreamIsInUse(t *testing.T) {
	t.Parallel()
	w := offer(t)
	w.table = &call.Table{}
	w.listen(1, `{}`)
	const used = `400 -32600 "Invalid request: the id 1 belongs to a request that is still running"`
	assertIs(t, "a stream", outcome(w.listen(1, `{}`)), used)
	assertIs(t, "a call", w.ask("tools/list", `{}`), used)
}

func TestAStreamNotifiesOnlyOfVisibleResources(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := offer(t)
		w.ctx = exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ann"})
		reply := w.listen(7, `{"resourceSubscriptions":["users://admin"]}`)
		w.ResourceUpdated("users://admin")
		synctest.Wait()
		want := []string{
			acknowledged(`{"resourceSubscriptions":["users://admin"]}`),
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"users://admin",` + subscription + `}}`,
		}
		if got := reply.Sent(); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
	})
}

func TestAnEndedStreamFreesItsResources(t *testing.T) {
	t.Parallel()
	w := offer(t)
	w.Server().Shares.Memory.Limit = 16 << 20
	uris := make([]string, limits.MaxResources)
	for i := range uris {
		uris[i] = fmt.Sprintf(`"users://%d"`, i)
	}
	filter := `{"resourceSubscriptions":[` + strings.Join(uris, ",") + `]}`
	var last *calltest.Reply
	for i := range 2000 {
		reply := w.listen(i, filter)
		if len(reply.Answers()) == 0 {
			last = reply
			continue
		}
		if reply.Answer().Status != http.StatusServiceUnavailable || i < 100 {
			t.Fatalf("stream %d is answered with %+v", i, reply.Answers())
		}
		last.HangUp(nil)
		if next := w.listen(i, filter); len(next.Answers()) != 0 {
			t.Errorf("when one has ended, the next is answered with %+v", next.Answers())
		}
		return
	}
	t.Error("there is room for all")
}

func TestTheOpenStreamsOfAServerAreLimited(t *testing.T) {
	t.Parallel()
	const most = 100
	w := offer(t)
	streams := &w.Server().Shares.Streams
	streams.Limit, streams.Spare = most, 0
	var last *calltest.Reply
	for i := range most {
		if last = w.listen(i, `{"toolsListChanged":true}`); len(last.Answers()) != 0 {
			t.Fatalf("stream %d is refused with %+v", i, last.Answers())
		}
	}
	if refusal := w.listen(most, `{"toolsListChanged":true}`); refusal.Answer().Status != http.StatusServiceUnavailable {
		t.Errorf("one stream too many gets %+v", refusal.Answers())
	}
	last.HangUp(nil)
	if next := w.listen(most, `{"toolsListChanged":true}`); len(next.Answers()) != 0 {
		t.Errorf("when one has ended, the next gets %+v", next.Answers())
	}
}

func TestAFilterThatIsTooLongIsRefusedBeforeItsURIsAreMatched(t *testing.T) {
	t.Parallel()
	w := offer(t)
	costly := templateOf("costly://")
	costly.Match = func(string) (map[string]string, bool) {
		t.Error("a URI was matched")
		return nil, false
	}
	w.add(t, costly)
	uri := `"costly://` + strings.Repeat("a", 8000) + `"`
	filter := `{"resourceSubscriptions":[` + strings.Repeat(uri+",", 8) + uri + `]}`
	if got := outcome(w.listen(1, filter)); !strings.HasPrefix(got, `200 -32602 "Invalid params: at most 1000 resources may be subscribed to, and their URIs may have 65536 bytes`) {
		t.Errorf("got %s", got)
	}
}
