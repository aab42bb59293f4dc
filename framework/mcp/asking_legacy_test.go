package mcp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A question is a request that the server sends.
type question struct {
	ID     codec.Value `json:"id"`
	Method string      `json:"method"`
	Params codec.Value `json:"params"`
	Result codec.Value `json:"result"`
	Error  codec.Value `json:"error"`
}

// A conversation is a client of an older version with a session over TCP, which reads an
// answer as it arrives.
type conversation struct {
	t       *testing.T
	url     string
	session string
	answers *eventstream.Reader
	whole   io.Reader // the answer, if it is no stream
}

// converse begins a session.
func converse(t *testing.T, url, version, capabilities string) *conversation {
	t.Helper()
	c := &conversation{t: t, url: url}
	w := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":` + capabilities + `,"clientInfo":{"name":"c","version":"1"}}}`)
	c.session = w.Header.Get("Mcp-Session-Id")
	_ = w.Body.Close()
	return c
}

func (c *conversation) post(message string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, strings.NewReader(message))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = w.Body.Close() })
	return w
}

// call calls a tool; next reads the answer.
func (c *conversation) call(tool string) {
	c.t.Helper()
	c.callWith(tool, `{}`)
}

func (c *conversation) callWith(tool, arguments string) {
	c.t.Helper()
	w := c.post(legacyCall(`1`, tool, arguments))
	c.answers, c.whole = eventstream.NewReader(w.Body, 1<<20), strings.NewReader("")
	if w.Header.Get("Content-Type") == "application/json" {
		c.whole = w.Body
	}
}

// next reads one message of the answer.
func (c *conversation) next() (message question) {
	c.t.Helper()
	data, _ := io.ReadAll(c.whole)
	for len(data) == 0 {
		event, _, err := c.answers.Next()
		if err != nil {
			c.t.Fatalf("the stream has ended: %v", err)
		}
		data = event.Fields().Message()
	}
	if err := codec.Unmarshal(data, &message); err != nil {
		c.t.Fatalf("%v: %s", err, data)
	}
	return message
}

// answer answers a question of the server's.
func (c *conversation) answer(asked question, result string) {
	c.t.Helper()
	w := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, asked.ID, result))
	if w.StatusCode != http.StatusAccepted {
		body, _ := io.ReadAll(w.Body)
		c.t.Errorf("an answer gets %d %s", w.StatusCode, body)
	}
}

const (
	canFill  = `{"elicitation":{}}`
	ada      = `"result":{"action":"accept","content":{"name":"Ada"}}`
	agreed   = `"result":{"action":"accept","content":{}}`
	noThanks = `"error":{"code":-1,"message":"User rejected sampling request"}`
)

func TestAnOlderClientIsAskedWhileItsCallRuns(t *testing.T) {
	t.Parallel()
	server := &booking{}
	web := httptest.NewServer(wireHandler(t, mcp.Config{}, server))
	t.Cleanup(web.Close)
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		before := server.charged.Load()
		c := converse(t, web.URL+"/mcp", version, canFill)
		c.call("book")
		first := c.next()
		if first.Method != "elicitation/create" || !strings.Contains(string(first.Params), "What is your name?") {
			t.Fatalf("%s: the first question is %+v", version, first)
		}
		other := converse(t, web.URL+"/mcp", version, canFill)
		other.answer(first, `"result":{"action":"accept","content":{"name":"Eve"}}`) // of another session: ignored
		c.answer(first, ada)
		c.answer(first, `"result":{"action":"decline"}`) // the first answer counts
		second := c.next()
		if string(second.ID) == string(first.ID) || !strings.Contains(string(second.Params), fmt.Sprintf("Book room 0 for %d?", 41+before)) {
			t.Fatalf("%s: the second question is %s %s", version, second.ID, second.Params)
		}
		c.answer(second, agreed)
		if got := c.next(); !strings.Contains(string(got.Result), fmt.Sprintf("Ada, %d, true", 41+before)) {
			t.Errorf("%s: the result is %s", version, got.Result)
		}
		if n := server.charged.Load(); n != before+1 {
			t.Errorf("%s: what runs once ran %d times", version, n-before)
		}
	}
}

func TestAnOlderClientIsAskedOverStdio(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{}, &booking{})
	p.send(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	p.next(t)
	p.send(t, legacyCall(`"a"`, "several", `{}`))
	for range 3 { // all at once
		var asked question
		if err := codec.Unmarshal([]byte(p.next(t)), &asked); err != nil {
			t.Fatal(err)
		}
		result := map[string]string{
			"elicitation/create":     ada,
			"sampling/createMessage": `"result":{"role":"assistant","content":{"type":"text","text":"Paris"},"model":"m"}`,
			"roots/list":             `"result":{"roots":[{"uri":"file:///a"}]}`,
		}[asked.Method]
		p.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, asked.ID, result))
	}
	if got := p.next(t); !strings.Contains(got, "AdaParis1") {
		t.Errorf("the result is %s", got)
	}
	// A modern client of the same process never gets a request.
	p.send(t, strings.Replace(modernCall(`"b"`, "book", `{}`), `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1))
	if got := p.next(t); !strings.Contains(got, `"resultType":"input_required"`) {
		t.Errorf("a modern call gets %s", got)
	}
}

func TestAClientThatRefusesAQuestionFailsTheCallWithItsText(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(wireHandler(t, mcp.Config{}, &booking{}))
	t.Cleanup(web.Close)
	c := converse(t, web.URL+"/mcp", "2025-06-18", canFill)
	for answer, want := range map[string]string{
		noThanks: `the client refused it: \"User rejected sampling request\"`,
		`"result":{"action":"accept","content":{"name":7}}`: `{"code":-32602,"message":"The answer to the question`,
		`"result":[]`: `{"code":-32602,"message":"The answer to the question`,
	} {
		c.call("book")
		c.answer(c.next(), answer)
		if got := c.next(); !strings.Contains(string(got.Result)+string(got.Error), want) {
			t.Errorf("%s: the answer is %s %s, want %s", answer, got.Result, got.Error, want)
		}
	}
}

func TestAnOlderClientThatAcceptsNoStreamCannotBeAsked(t *testing.T) {
	t.Parallel()
	handler := wireHandler(t, mcp.Config{}, &booking{})
	begin := strings.Replace(initialize("2025-06-18"), `"capabilities":{}`, `"capabilities":`+canFill, 1)
	c := &wireClient{handler: handler}
	c.session = c.post(t.Context(), begin, "").Header().Get("Mcp-Session-Id")
	for tool, want := range map[string]string{"book": "accepts no event stream", "alone": "I'll manage."} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(legacyCall(`1`, tool, `{}`)))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}, "Mcp-Session-Id": {c.session}}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want %q", tool, w.Code, w.Body, want)
		}
	}
}

func TestTheQuestionsOfACallAreLimited(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(wireHandler(t, mcp.Config{AskRounds: 3}, &booking{}))
	t.Cleanup(web.Close)
	c := converse(t, web.URL+"/mcp", "2025-06-18", canFill)
	c.call("forever")
	for range 3 {
		c.answer(c.next(), ada)
	}
	if got := c.next(); !strings.Contains(string(got.Result), "a call may ask 3 times") || !strings.Contains(string(got.Result), `"isError":true`) {
		t.Errorf("the answer is %s", got.Result)
	}
}

// lines is a client of an older version on stdio, in a bubble of fake time.
func lines(t *testing.T, config mcp.Config) *pipeline {
	t.Helper()
	p := startPipeline(t, config, &booking{})
	p.send(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	p.next(t)
	return p
}

// asked returns the raw id of a question, which is the next message.
func (p *pipeline) asked(t *testing.T) (id string) {
	t.Helper()
	return questionID(t, p.next(t))
}

// questionID returns the raw id of a question.
func questionID(t *testing.T, message string) string {
	t.Helper()
	var asked question
	if err := codec.Unmarshal([]byte(message), &asked); err != nil || asked.Method != "elicitation/create" {
		t.Fatalf("the client is asked %s, %v", message, err)
	}
	return string(asked.ID)
}

func TestAClientThatNeverAnswersEndsItsCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := lines(t, mcp.Config{CallTimeout: 30 * time.Second}) // the timeout of the call is paused
		p.send(t, legacyCall(`1`, "book", `{}`))
		id := p.asked(t)
		time.Sleep(59 * time.Second)
		p.quiet(t)
		time.Sleep(time.Second)
		if got := p.next(t); !strings.Contains(got, `"method":"notifications/cancelled","params":{"requestId":`+id+`}`) {
			t.Errorf("the question is not withdrawn: %s", got)
		}
		if got := p.next(t); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "The question name has no answer: the client did not answer it within 1m0s") {
			t.Errorf("the call ends with %s", got)
		}
	})
}

// The timeout of a call covers its handler, not the user's answer.
func TestTheTimeoutOfACallPausesDuringAQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := lines(t, mcp.Config{CallTimeout: 10 * time.Second})
		p.send(t, legacyCall(`1`, "book", `{}`))
		id := p.asked(t)
		time.Sleep(50 * time.Second)
		p.send(t, `{"jsonrpc":"2.0","id":`+id+`,`+ada+`}`)
		id = p.asked(t)
		time.Sleep(50 * time.Second)
		p.send(t, `{"jsonrpc":"2.0","id":`+id+`,`+agreed+`}`)
		if got := p.next(t); !strings.Contains(got, "Ada, 41, true") {
			t.Errorf("the call ends with %s", got)
		}
	})
}

// The time before the question and the time after it both count.
func TestTheTimeoutOfACallResumesAfterAnAnswer(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[string]string{"4": "left: 2s", "6": "The tool works timed out after 10s."} {
		synctest.Test(t, func(t *testing.T) {
			p := lines(t, mcp.Config{CallTimeout: 10 * time.Second})
			p.send(t, legacyCall(`1`, "works", `{"seconds":`+seconds+`}`))
			time.Sleep(6 * time.Second)
			id := p.asked(t)
			time.Sleep(50 * time.Second)
			p.send(t, `{"jsonrpc":"2.0","id":`+id+`,`+ada+`}`)
			synctest.Wait()
			time.Sleep(5 * time.Second)
			if got := p.next(t); !strings.Contains(got, want) {
				t.Errorf("after %s s and as many, the call ends with %s, want %s", seconds, got, want)
			}
		})
	}
}

func TestACallThatIsCancelledStopsAsking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := lines(t, mcp.Config{})
		p.send(t, legacyCall(`1`, "book", `{}`))
		id := p.asked(t)
		p.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		synctest.Wait()
		p.send(t, `{"jsonrpc":"2.0","id":`+id+`,`+ada+`}`) // it crossed the cancellation
		p.send(t, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if got := p.next(t); got != `{"jsonrpc":"2.0","id":2,"result":{}}` {
			t.Errorf("after the cancellation, got %s", got)
		}
	})
}

// A handler that stops because its call has ended has not failed.
func TestACallThatIsCancelledBeforeItAsksIsNotAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := lines(t, mcp.Config{})
		p.send(t, legacyCall(`1`, "works", `{"seconds":2}`))
		synctest.Wait()
		p.send(t, cancelled(`1`))
		time.Sleep(3 * time.Second)
		p.silent(t)
		if p.log.count("outcome=canceled", "tool=works") != 1 || p.log.count("level=ERROR") != 0 {
			t.Errorf("the log has\n%s\nwant one line of a cancelled call, and no failure", p.log)
		}
	})
}

// A question is answered although its client has sent another initialize.
func TestAQuestionOutlivesAnotherInitialize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := lines(t, mcp.Config{})
		p.send(t, legacyCall(`1`, "works", `{"seconds":0}`))
		id := p.asked(t)
		p.ask(t, initialize("2025-06-18"))
		p.send(t, `{"jsonrpc":"2.0","id":`+id+`,`+ada+`}`)
		if got := p.next(t); !strings.Contains(got, `"id":1,"result":{"content"`) || !strings.Contains(got, "left: ") {
			t.Errorf("the call ends with %s", got)
		}
	})
}

func TestAHandlersOwnTimeoutOfAQuestionReachesTheClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := lines(t, mcp.Config{})
		p.send(t, legacyCall(`1`, "hasty", `{}`))
		p.next(t)
		time.Sleep(5 * time.Second)
		if withdrawn := p.next(t); !strings.Contains(withdrawn, "notifications/cancelled") {
			t.Errorf("the question is not withdrawn: %s", withdrawn)
		}
		const want = `The question name has no answer: the client did not answer it before the deadline of the handler's context`
		if got := p.next(t); !strings.Contains(got, want) || !strings.Contains(got, `"isError":true`) {
			t.Errorf("the answer is %s", got)
		}
	})
}

// A goroutine that a handler has left running doesn't delay its answer.
func TestAQuestionEndsWithItsCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := lines(t, mcp.Config{})
		p.send(t, legacyCall(`1`, "stray", `{}`))
		if asked := p.next(t); !strings.Contains(asked, "elicitation/create") {
			t.Fatalf("the question is %s", asked)
		}
		if withdrawn := p.next(t); !strings.Contains(withdrawn, "notifications/cancelled") {
			t.Errorf("the question is not withdrawn: %s", withdrawn)
		}
		if got := p.next(t); !strings.Contains(got, "done") {
			t.Errorf("the answer is %s", got)
		}
	})
}

func TestTheEndOfStdinEndsQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := lines(t, mcp.Config{})
		p.send(t, legacyCall(`1`, "book", `{}`))
		p.next(t)
		begun := time.Now()
		_ = p.in.Close()
		<-p.done
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("the program ends after %s", took)
		}
	})
}
