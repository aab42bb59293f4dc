package exchange_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/request/requesttest"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// answering returns a call whose client answers the question with this key.
func answering(key, answer string) *requesttest.Call {
	return &requesttest.Call{
		Received: request.Facts{Client: request.Client{Capabilities: []byte(`{"elicitation":{}}`)}},
		Answers:  map[string]string{key: answer}, Unanswered: exchange.ErrInputRequired,
	}
}

func TestAskReturnsTheAnswerOrAnError(t *testing.T) {
	t.Parallel()
	unanswered := answering("another", "")
	for _, test := range []struct {
		name     string
		call     *requesttest.Call
		question ask.Question
		want     error
		code     int // of an exchange.Error
	}{
		{"answered", answering("q", `{"action":"accept","content":{}}`), ask.Confirm("Sure?"), nil, 0},
		{"not answered yet", unanswered, ask.Confirm("Sure?"), exchange.ErrInputRequired, 0},
		{"not asked", &requesttest.Call{}, ask.Confirm("Sure?"), exchange.ErrCannotAsk, exchange.CodeMissingClientCapability},
		{"of the wrong shape", answering("q", "7"), ask.Confirm("Sure?"), nil, exchange.CodeInvalidParams},
	} {
		request := served(test.call)
		answer, err := request.Ask(t.Context(), "q", test.question)
		own, _ := errors.AsType[*exchange.Error](err)
		switch {
		case test.want != nil && !errors.Is(err, test.want), test.want == nil && test.code == 0 && err != nil, test.code != 0 && (own == nil || own.Code != test.code):
			t.Errorf("%s: the error is %v", test.name, err)
		case err == nil && !answer.Accepted():
			t.Errorf("%s: the answer is %+v", test.name, answer)
		}
	}
	request := served(unanswered)
	if _, err := request.Ask(t.Context(), "", ask.Confirm("Sure?")); err == nil || err.Error() != `the question "": it has no key; give it one, such as "city"` {
		t.Errorf("a question without a key returns %v", err)
	}
	if _, err := request.Ask(t.Context(), "q", nil); err == nil || !strings.HasPrefix(err.Error(), `the question "q": it is nil; make one with ask.Form`) {
		t.Errorf("no question returns %v", err)
	}
	if answers, err := request.AskAll(t.Context(), nil); err != nil || len(answers) != 0 {
		t.Errorf("no questions give %v, %v", answers, err)
	}
}

func TestOnceRunsOnceAndKeepsNoErrors(t *testing.T) {
	t.Parallel()
	request := served(&requesttest.Call{})
	type price struct{ Cents int }
	runs, broken := 0, errors.New("broken")
	find := func() (price, error) {
		runs++
		if runs == 1 {
			return price{}, broken
		}
		return price{runs}, nil
	}
	if _, err := exchange.Once(request, "price", find); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	for range 3 {
		if got, err := exchange.Once(request, "price", find); err != nil || got != (price{2}) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if _, err := exchange.Once(request, "other", func() (func(), error) { return func() {}, nil }); err == nil {
		t.Error("a value that doesn't survive JSON is kept")
	}
}

func TestConfirmIsTrueOnlyIfTheUserAccepts(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{`{"action":"accept","content":{}}`: true, `{"action":"decline"}`: false, `{"action":"cancel"}`: false} {
		request := served(answering("sure", answer))
		if got, err := request.Confirm(t.Context(), "sure", "Delete it?"); err != nil || got != want {
			t.Errorf("%s: got %t, %v", answer, got, err)
		}
	}
}

func TestAnInvalidAnswerIsRefused(t *testing.T) {
	t.Parallel()
	call := answering("sure", `{"action":"maybe"}`)
	_, err := served(call).Confirm(t.Context(), "sure", "Delete it?")
	if got := call.Sent(); len(got) != 1 || !strings.HasPrefix(got[0], "refuse sure /action must be accept, decline or cancel") {
		t.Errorf("the call gets %q", got)
	}
	if own, ok := errors.AsType[*exchange.Error](err); !ok || own.Code != exchange.CodeInvalidParams {
		t.Errorf("the handler gets %v", err)
	}
	if want := `The answer to the question "sure" can't be used: /action must be accept, decline or cancel, not "maybe"`; err.Error() != want {
		t.Errorf("the handler gets the text %s, want %s", err, want)
	}
}

func TestAQuestionIsNotAskedInAVersionThatDoesNotSupportIt(t *testing.T) {
	t.Parallel()
	request := from(spec.Version20250326, `{"elicitation":{}}`)
	_, err := request.Confirm(t.Context(), "sure", "Delete it?")
	const want = `The client can't be asked the question "sure": it uses the protocol version 2025-03-26, and such questions require 2025-06-18`
	if own, ok := errors.AsType[*exchange.Error](err); !ok || own.Message != want || err.Error() != want || !errors.Is(err, exchange.ErrCannotAsk) {
		t.Errorf("got %v", err)
	}
}

func TestAllMissingCapabilitiesOfSeveralQuestionsAreNamed(t *testing.T) {
	t.Parallel()
	request := from(spec.Newest, `{"elicitation":{}}`)
	_, err := request.AskAll(t.Context(), map[string]ask.Question{"sure": ask.Confirm("Sure?"), "folders": ask.Roots(), "page": ask.URL("Go.", "https://example.com")})
	own, ok := errors.AsType[*exchange.Error](err)
	if !ok || own.Code != exchange.CodeMissingClientCapability || !strings.Contains(own.Message, "folders") || !strings.Contains(own.Message, "page") || strings.Contains(own.Message, "sure") {
		t.Fatalf("got %v", err)
	}
	if err.Error() != own.Message {
		t.Errorf("the text %q isn't the message %q", err, own.Message)
	}
	if data, err := codec.Marshal(own.Data); err != nil || !strings.Contains(string(data), `"roots":{}`) || !strings.Contains(string(data), `"url":{}`) {
		t.Errorf("the data is %s, %v", data, err)
	}
}
