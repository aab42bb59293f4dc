package mcp_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

const key = "0123456789abcdef0123456789abcdef"

func TestACallAsksInRoundsAndEndsWithItsResult(t *testing.T) {
	t.Parallel()
	server := &booking{}
	p := probeServer(t, mcp.Config{Key: []string{key}}, server)
	book := func(p *probe, more params) reply {
		given := can(able(), params{"name": "book", "arguments": params{"room": 7, "note": params{"a": 1, "b": 2}}})
		for name, value := range more {
			given[name] = value
		}
		return p.ask("tools/call", given)
	}
	first := book(p, nil).round(t)
	if asked, ok := first.InputRequests["name"]; !ok || asked.Method != "elicitation/create" || !strings.Contains(string(asked.Params), `"message":"What is your name?"`) {
		t.Fatalf("the first round asks %+v", first.InputRequests)
	}
	second := book(p, params{"requestState": first.RequestState, "inputResponses": params{"name": accept(params{"name": "Ada"}), "extra": 3}}).round(t)
	if asked := second.InputRequests["sure"]; len(second.InputRequests) != 1 || !strings.Contains(string(asked.Params), "Book room 7 for 41?") {
		t.Fatalf("the second round asks %+v", second.InputRequests)
	}
	if second.RequestState == first.RequestState {
		t.Error("the state is the same in both rounds")
	}
	// Another process with the same key finishes the call.
	another := &booking{}
	third := book(probeServer(t, mcp.Config{Key: []string{strings.Repeat("n", 32), key}}, another), params{"requestState": second.RequestState, "inputResponses": params{"sure": accept(nil)}})
	if text, _ := third.text(); text != "Ada, 41, true" {
		t.Errorf("the third round returns %s", third.body)
	}
	if n := server.charged.Load() + another.charged.Load(); n != 1 {
		t.Errorf("what runs once ran %d times", n)
	}
	declined := book(p, params{"requestState": first.RequestState, "inputResponses": params{"name": params{"action": "decline"}}})
	if text, _ := declined.text(); text != "Never mind: decline" {
		t.Errorf("a question that is declined returns %s", declined.body)
	}
}

func TestTheStateOfAnotherRequestIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := probeServer(t, mcp.Config{Key: []string{key}}, &booking{})
		request := func(name string, arguments params, state any, answers any) params {
			given := can(able(), params{"name": name, "arguments": arguments, "requestState": state})
			if answers != nil {
				given["inputResponses"] = answers
			}
			return given
		}
		args := params{"room": 7, "note": params{"x": 1, "y": 2}}
		ada := params{"name": accept(params{"name": "Ada"})}
		state := p.ask("tools/call", can(able(), params{"name": "book", "arguments": args})).round(t).RequestState

		// Another order of members and other white space don't change the value.
		p.ask("tools/call", request("book", params{"note": params{"y": 2, "x": 1}, "room": 7}, state, ada)).round(t)

		eve := *p
		eve.ctx = exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "eve"})
		stranger := probeServer(t, mcp.Config{}, &booking{})
		elsewhere := mcp.New(mcp.Config{Key: []string{key}, Logger: slog.New(slog.DiscardHandler)})
		elsewhere.Router.Web("/mcp", &booking{})
		elsewhere.Router.Web("/teams/{team}", &renamed{})
		handler, err := elsewhere.Handler()
		if err != nil {
			t.Fatal(err)
		}
		red := probeHandler(t, handler, "/teams/red").ask("tools/call", can(able(), params{"name": "book", "arguments": args})).round(t).RequestState
		blue, namesake := probeHandler(t, handler, "/teams/blue"), probeServer(t, mcp.Config{Key: []string{key}}, &renamed{})
		for name, r := range map[string]reply{
			"altered":           p.ask("tools/call", request("book", args, state+"-TAMPERED", ada)),
			"cut":               p.ask("tools/call", request("book", args, state[:len(state)-2], ada)),
			"no text":           p.ask("tools/call", request("book", args, 7, ada)),
			"empty":             p.ask("tools/call", request("book", args, "", ada)),
			"other arguments":   p.ask("tools/call", request("book", params{"room": 8}, state, ada)),
			"another tool":      p.ask("tools/call", request("early", params{}, state, ada)),
			"another method":    p.ask("prompts/get", can(able(), params{"name": "letter", "requestState": state, "inputResponses": ada})),
			"another principal": eve.ask("tools/call", request("book", args, state, ada)),
			"another path":      blue.ask("tools/call", request("book", args, red, ada)),
			"another server":    namesake.ask("tools/call", request("book", args, state, ada)),
			"another key":       stranger.ask("tools/call", request("book", args, state, ada)),
			"of no one":         p.ask("tools/call", request("alone", params{}, "bm9uZQ", nil)),
		} {
			if r.err == nil || r.err.Code != -32602 || r.status != http.StatusOK ||
				r.err.Message != "Invalid params: the requestState doesn't belong to this request, or has expired; call again without it" {
				t.Errorf("%s: got %d %s", name, r.status, r.body)
			}
		}
		time.Sleep(time.Hour)
		if r := p.ask("tools/call", request("book", args, state, ada)); r.err == nil || r.err.Code != -32602 {
			t.Errorf("expired: got %s", r.body)
		}
	})
}

// renamed is another server with the same tools.
type renamed struct{ booking }

func (*renamed) Name() string { return "renamed" }

func TestAnAnswerRequiresItsQuestion(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, &booking{})
	forged := params{"name": accept(params{"name": "Eve"}), "sure": accept(nil)}
	first := p.ask("tools/call", can(able(), params{"name": "book", "inputResponses": forged})).round(t)
	if _, ok := first.InputRequests["name"]; !ok {
		t.Errorf("an answer without a question counted: %+v", first)
	}
	// The state proves that the server asked one question. It hasn't asked the other yet.
	second := p.ask("tools/call", can(able(), params{"name": "book", "requestState": first.RequestState, "inputResponses": forged})).round(t)
	if _, ok := second.InputRequests["sure"]; !ok {
		t.Errorf("consent counted before it was asked for: %+v", second)
	}
	// An early question accepts an unasked answer.
	r := p.ask("tools/call", can(able(), params{"name": "early", "inputResponses": params{"name": accept(params{"name": "Ada"}), "extra": params{}}}))
	if text, _ := r.text(); text != "early Ada" {
		t.Errorf("an early answer returns %s", r.body)
	}
	p.ask("tools/call", can(able(), params{"name": "early", "inputResponses": params{"other": accept(params{"name": "Ada"})}})).round(t)
	// The server asks again for a missing answer.
	again := p.ask("tools/call", can(able(), params{"name": "book", "requestState": first.RequestState})).round(t)
	if _, ok := again.InputRequests["name"]; !ok {
		t.Errorf("a missing answer is not asked for again: %+v", again)
	}
}

func TestTwoQuestionsWithOneKeyAreAMistake(t *testing.T) {
	t.Parallel()
	log := &logbook{}
	p := probeServer(t, mcp.Config{Logger: log.logger()}, &booking{})
	state := p.ask("tools/call", can(able(), params{"name": "samekey"})).round(t).RequestState
	r := p.ask("tools/call", can(able(), params{"name": "samekey", "requestState": state, "inputResponses": params{"sure": accept(nil)}}))
	if _, failed := r.text(); !failed || !strings.Contains(log.String(), "give each its own") {
		t.Errorf("got %s, and the log\n%s", r.body, log)
	}
}

// Consent is valid only for the same text of the question.
func TestConsentToOneQuestionIsNotConsentToAnother(t *testing.T) {
	t.Parallel()
	server := &booking{}
	p := probeServer(t, mcp.Config{}, server)
	state := p.ask("tools/call", can(able(), params{"name": "dearer"})).round(t).RequestState
	again := p.ask("tools/call", can(able(), params{"name": "dearer", "requestState": state, "inputResponses": params{"sure": accept(nil)}})).round(t)
	if !strings.Contains(string(again.InputRequests["sure"].Params), "Pay 2?") {
		t.Errorf("a question of other words is not asked: %+v", again)
	}
	server.charged.Store(1) // so that the question is the same as before
	r := p.ask("tools/call", can(able(), params{"name": "dearer", "requestState": again.RequestState, "inputResponses": params{"sure": accept(nil)}}))
	if text, _ := r.text(); text != "paid: true" {
		t.Errorf("got %s", r.body)
	}
}

func TestAnAnswerOfTheWrongShapeIsRefused(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, &booking{})
	state := p.ask("tools/call", can(able(), params{"name": "book"})).round(t).RequestState
	for name, answers := range map[string]any{
		"a number":         params{"name": 12345},
		"null":             params{"name": nil},
		"no action":        params{"name": params{"content": params{"name": "Ada"}}},
		"an odd action":    params{"name": params{"action": "maybe"}},
		"a field missing":  params{"name": accept(params{})},
		"a field's type":   params{"name": accept(params{"name": 7})},
		"answers are text": "yes",
		"answers are list": []int{1},
	} {
		given := can(able(), params{"name": "book", "requestState": state, "inputResponses": answers})
		if r := p.ask("tools/call", given); r.err == nil || r.err.Code != -32602 || r.status != http.StatusOK {
			t.Errorf("%s: got %d %s", name, r.status, r.body)
		}
	}
}

func TestSeveralQuestionsAreAskedAtOnce(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, &booking{})
	first := p.ask("tools/call", can(able(), params{"name": "several"})).round(t)
	for key, method := range map[string]string{"name": "elicitation/create", "capital": "sampling/createMessage", "roots": "roots/list"} {
		if first.InputRequests[key].Method != method {
			t.Errorf("%s is asked by %q", key, first.InputRequests[key].Method)
		}
	}
	answers := params{
		"name":    accept(params{"name": "Ada"}),
		"capital": params{"role": "assistant", "content": params{"type": "text", "text": "Paris"}, "model": "m", "stopReason": "endTurn"},
	}
	second := p.ask("tools/call", can(able(), params{"name": "several", "requestState": first.RequestState, "inputResponses": answers})).round(t)
	if _, ok := second.InputRequests["roots"]; !ok || len(second.InputRequests) != 1 {
		t.Errorf("what is asked again is %+v", second.InputRequests)
	}
	r := p.ask("tools/call", can(able(), params{"name": "several", "requestState": second.RequestState, "inputResponses": params{
		"roots": params{"roots": []params{{"uri": "file:///a"}, {"uri": "file:///b", "name": "b"}}},
	}}))
	if text, _ := r.text(); text != "AdaParis2" {
		t.Errorf("got %s", r.body)
	}
}

func TestAClientIsAskedOnlyQuestionsThatItSupports(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, &booking{})
	for name, test := range map[string]struct{ capabilities, required params }{
		"nothing":   {params{}, params{"elicitation": params{"form": params{}}}},
		"only URLs": {params{"elicitation": params{"url": params{}}}, params{"elicitation": params{"form": params{}}}},
	} {
		r := p.ask("tools/call", can(test.capabilities, params{"name": "book"}))
		if r.status != http.StatusBadRequest || r.err == nil || r.err.Code != exchange.CodeMissingClientCapability ||
			!strings.Contains(r.body, `"data":{"requiredCapabilities":{"elicitation":{`) {
			t.Errorf("%s: got %d %s", name, r.status, r.body)
		}
	}
	if text, _ := p.ask("tools/call", can(params{}, params{"name": "alone"})).text(); text != "I'll manage." {
		t.Errorf("a handler that continues without an answer says %q", text)
	}
	r := p.ask("tools/call", can(params{"roots": params{}}, params{"name": "several"}))
	if !strings.Contains(r.body, `asked the questions \"capital\", \"name\"`) || !strings.Contains(r.body, `"data":{"requiredCapabilities":{"elicitation":{"form":{}},"sampling":{}}}`) {
		t.Errorf("who lacks two things gets %s", r.body)
	}
	legacy, _ := p.as("2025-06-18") // has declared nothing
	r = legacy.call("book", nil)
	if text, failed := r.text(); !failed || !strings.Contains(text, "has not declared the capability") {
		t.Errorf("an older client gets %s", r.body)
	}
	if r := legacy.ask("prompts/get", params{"name": "letter"}); r.err == nil || r.err.Code != -32600 || r.status != http.StatusOK {
		t.Errorf("an older client's prompt gets %d %s", r.status, r.body)
	}
	oldest, _ := p.as("2025-03-26")
	if text, failed := oldest.call("book", nil).text(); !failed || !strings.Contains(text, "it uses the protocol version 2025-03-26, and such questions require 2025-06-18") {
		t.Errorf("a client that doesn't support such questions gets %q", text)
	}
	sessionless, _ := probeServer(t, mcp.Config{Sessions: mcp.Off}, &booking{}).as("2025-06-18")
	if text, _ := sessionless.call("alone", nil).text(); text != "I'll manage." {
		t.Errorf("without a session, a handler that continues without an answer says %q", text)
	}
}

func TestAnOpenQuestionOverridesTheHandlersResult(t *testing.T) {
	t.Parallel()
	log := &logbook{}
	p := probeServer(t, mcp.Config{Logger: log.logger()}, &booking{})
	p.ask("tools/call", can(able(), params{"name": "swallows"})).round(t)
	if !strings.Contains(log.String(), "ignored the error of Ask") || !strings.Contains(log.String(), "of=swallows question=name") {
		t.Errorf("the log lacks the reason:\n%s", log)
	}
	r := p.ask("tools/call", can(able(), params{"name": "pretends"}))
	if text, failed := r.text(); !failed || !strings.Contains(text, "The tool pretends failed.") || !strings.Contains(log.String(), "asked nothing in this call") {
		t.Errorf("a handler that has asked nothing gets %s", r.body)
	}
	if strings.Count(log.String(), "ignored the error of Ask") != 1 {
		t.Errorf("handlers that return the error are blamed:\n%s", log)
	}
}

func TestPromptsAndResourcesAskToo(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{}, &booking{})
	p.header = http.Header{"Mcp-Name": {"booking://invoice"}}
	for method, subject := range map[string]params{"prompts/get": {"name": "letter"}, "resources/read": {"uri": "booking://invoice"}} {
		if method == "prompts/get" {
			p.header = http.Header{"Mcp-Name": {"letter"}}
		} else {
			p.header = http.Header{"Mcp-Name": {"booking://invoice"}}
		}
		first := p.ask(method, can(able(), subject)).round(t)
		given := can(able(), subject)
		given["requestState"], given["inputResponses"] = first.RequestState, params{"name": accept(params{"name": "Ada"})}
		if r := p.ask(method, given); r.err != nil || !strings.Contains(r.result, "Ada") || !strings.Contains(r.result, `"resultType":"complete"`) {
			t.Errorf("%s: got %s", method, r.body)
		}
		given["requestState"] = "x"
		if r := p.ask(method, given); r.err == nil || r.err.Code != -32602 {
			t.Errorf("%s: an altered state gets %s", method, r.body)
		}
	}
	p.header = http.Header{}
	if r := p.ask("acme/ask", can(able(), nil)); r.err == nil || !strings.Contains(r.err.Message, "methods with Asks can ask") {
		t.Errorf("a method of one's own gets %s", r.body)
	}
}

func TestAQuestionThatContradictsItselfIsAFailedCall(t *testing.T) {
	t.Parallel()
	log := &logbook{}
	p := probeServer(t, mcp.Config{Logger: log.logger()}, &booking{})
	r := p.ask("tools/call", can(able(), params{"name": "wrong"}))
	if _, failed := r.text(); !failed || !strings.Contains(log.String(), `the question \"name\"`) {
		t.Errorf("got %s, and the log\n%s", r.body, log)
	}
}
