package call_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/call/calltest"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// sending runs a call whose handler calls send, and returns the messages sent.
func (c *client) sending(message string, send func(k *call.Call)) []string {
	return c.run(message, doing(func(_ context.Context, k *call.Call) (call.Result, error) {
		send(k)
		return said(""), nil
	})).Sent()
}

func assertSent(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// check fails the test if a message can't be sent.
func check(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestNotificationsAndRequestsComeBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	got := modern(t).sending(echo, func(k *call.Call) {
		check(t, k.Notify("acme/step", []byte(`{"n":1}`)), k.Notify("acme/done", nil), k.Request(7, "ping", []byte(`{}`)))
	})
	assertSent(t, got, `{"jsonrpc":"2.0","method":"acme/step","params":{"n":1}}`, `{"jsonrpc":"2.0","method":"acme/done"}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":{}}`)
}

func TestProgressIncreasesAndIsANumber(t *testing.T) {
	t.Parallel()
	got := modern(t).sending(echo, func(k *call.Call) {
		check(t, k.Progress(0, 0, ""), k.Progress(2, 4.5, "half"), k.Progress(1, 4, ""), k.Progress(2, 4, ""), k.Progress(math.NaN(), 0, ""),
			k.Progress(math.Inf(1), 0, ""), k.Progress(3, math.Inf(1), "\n"))
	})
	const start = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":`
	assertSent(t, got, start+`0}}`, start+`2,"total":4.5,"message":"half"}}`, start+`3,"message":"\n"}}`)
}

func TestProgressIsSentToClientsThatAskForIt(t *testing.T) {
	t.Parallel()
	const start = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`
	for token, want := range map[string][]string{
		`"t"`: {start + `"t","progress":1,"message":"m"}}`},
		`-1`:  {start + `-1,"progress":1,"message":"m"}}`},
		`{}`:  nil,
		`[1]`: nil,
	} {
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":` + token + `}}}`
		assertSent(t, modern(t).sending(message, func(k *call.Call) { check(t, k.Progress(1, 0, "m")) }), want...)
	}
	without := `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`
	assertSent(t, modern(t).sending(without, func(k *call.Call) { check(t, k.Progress(1, 0, "m")) }))
	oldest := newClient(t, spec.Version20241105) // where progress has no message
	assertSent(t, oldest.sending(echo, func(k *call.Call) { check(t, k.Progress(1, 0, "m")) }), start+`7,"progress":1}}`)
}

func TestAClientGetsTheLogMessagesThatItWants(t *testing.T) {
	t.Parallel()
	c := modern(t)
	log := func(k *call.Call) {
		for severity := spec.SeverityDebug; severity <= spec.SeverityEmergency; severity++ {
			check(t, k.Log(severity, []byte(`{"msg":"m"}`)))
		}
	}
	assertSent(t, c.sending(echo, log))
	c.peer.Log = spec.SeverityAlert
	const start = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":`
	assertSent(t, c.sending(echo, log), start+`"alert","logger":"echo","data":{"msg":"m"}}}`, start+`"emergency","logger":"echo","data":{"msg":"m"}}}`)
	assertSent(t, c.sending(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a://\u0062"}}`, func(k *call.Call) {
		k.Facts().Input.URI = "a://b" // set by resources/read
		check(t, k.Log(spec.SeverityAlert, []byte(`1`)))
	}), start+`"alert","logger":"a://b","data":1}}`)
	assertSent(t, c.sending(`{"jsonrpc":"2.0","id":1,"method":"acme/x"}`, func(k *call.Call) {
		if k.Facts().Logs(spec.SeverityCritical) || !k.Facts().Logs(spec.SeverityAlert) {
			t.Error("the severity is not that of the client")
		}
		k.Facts().Input.Completing = &request.Completing{}
		check(t, k.Log(spec.SeverityAlert, []byte(`1`)))
	}), start+`"alert","data":1}}`)
}

func TestTheConnectionEndsWhileTheCallContinues(t *testing.T) {
	t.Parallel()
	reply := modern(t).run(echo, doing(func(_ context.Context, k *call.Call) (call.Result, error) {
		k.CloseStream(3 * time.Second)
		return said(""), nil
	}))
	if got := reply.Closed(); !slices.Equal(got, []time.Duration{3 * time.Second}) {
		t.Errorf("the connection was closed with %v", got)
	}
}

func TestADisconnectedClientIsAnErrorInTheModernEraOnly(t *testing.T) {
	t.Parallel()
	gone := errors.New("the client has disconnected")
	for _, test := range []struct {
		version spec.Version
		broken  error
		want    error
	}{
		{spec.Newest, gone, gone},
		{spec.Newest, call.ErrNoStream, nil}, // it accepts only the answer
		{spec.Version20251125, gone, nil},    // it may reconnect
		{spec.Version20251125, call.ErrNoStream, nil},
	} {
		c, reply := newClient(t, test.version), &calltest.Reply{Broken: test.broken}
		c.arrive(calltest.Arrive(echo), reply).Run(doing(func(_ context.Context, k *call.Call) (call.Result, error) {
			if err := k.Notify("a/b", nil); !errors.Is(err, test.want) || test.want == nil && err != nil {
				t.Errorf("%s: %v results in %v", test.version, test.broken, err)
			}
			if err := k.Request(1, "ping", []byte("{}")); !errors.Is(err, test.broken) {
				t.Errorf("%s: a request results in %v", test.version, err)
			}
			return said("ho"), nil
		}))
		if !strings.Contains(reply.Answer().Body, "ho") {
			t.Errorf("got %+v", reply.Answers())
		}
	}
}

func TestNothingIsSentAfterTheAnswer(t *testing.T) {
	t.Parallel()
	c := modern(t)
	c.peer.Log = spec.SeverityDebug
	k, reply := c.begin(echo)
	k.Run(giving(said("ho")))
	k.CloseStream(0)
	for what, err := range map[string]error{
		"a notification": k.Notify("a/b", nil), "progress": k.Progress(1, 0, ""), "a log message": k.Log(spec.SeverityAlert, []byte("1")),
		"a request": k.Request(1, "ping", []byte("{}")),
	} {
		if !errors.Is(err, call.ErrFinished) {
			t.Errorf("%s results in %v", what, err)
		}
	}
	if len(reply.Sent()) != 0 || len(reply.Closed()) != 0 || len(reply.Answers()) != 1 {
		t.Errorf("sent %q", reply.Sent())
	}
}
