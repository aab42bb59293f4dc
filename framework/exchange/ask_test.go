package exchange_test

import (
	"errors"
	"testing"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

func TestAskReturnsTheAnswerOrWhyThereIsNone(t *testing.T) {
	t.Parallel()
	able := `{"elicitation":{},"roots":{}}`
	for _, test := range []struct {
		name     string
		link     *wire
		question ask.Question
		want     error
		code     int // of an exchange.Error
	}{
		{"answered", &wire{capabilities: able, answers: map[string]string{"q": `{"action":"accept","content":{}}`}}, ask.Confirm("Sure?"), nil, 0},
		{"not answered yet", &wire{capabilities: able}, ask.Confirm("Sure?"), exchange.ErrInputRequired, 0},
		{"not asked", &wire{}, ask.Confirm("Sure?"), exchange.ErrCannotAsk, exchange.CodeMissingClientCapability},
		{"of the wrong shape", &wire{capabilities: able, answers: map[string]string{"q": `7`}}, ask.Confirm("Sure?"), nil, exchange.CodeInvalidParams},
	} {
		request := exchange.New(test.link)
		answer, err := request.Ask(t.Context(), "q", test.question)
		own, _ := errors.AsType[*exchange.Error](err)
		switch {
		case test.want != nil && !errors.Is(err, test.want), test.want == nil && test.code == 0 && err != nil, test.code != 0 && (own == nil || own.Code != test.code):
			t.Errorf("%s: the error is %v", test.name, err)
		case err == nil && !answer.Accepted():
			t.Errorf("%s: the answer is %+v", test.name, answer)
		}
	}
	request := exchange.New(&wire{capabilities: able})
	if _, err := request.Ask(t.Context(), "", ask.Confirm("Sure?")); err == nil || err.Error() != `the question "": it has no key; give it one, such as "city"` {
		t.Errorf("a question without a key gives %v", err)
	}
	if answers, err := request.AskAll(t.Context(), nil); err != nil || len(answers) != 0 {
		t.Errorf("no questions give %v, %v", answers, err)
	}
}

func TestOnceRunsOnceAndKeepsNoErrors(t *testing.T) {
	t.Parallel()
	request := exchange.New(&wire{kept: map[string][]byte{}})
	type price struct{ Cents int }
	runs, broken := 0, errors.New("broken")
	find := func() (price, error) {
		runs++
		if runs == 1 {
			return price{}, broken
		}
		return price{runs}, nil
	}
	if _, err := exchange.Once(&request, "price", find); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	for range 3 {
		if got, err := exchange.Once(&request, "price", find); err != nil || got != (price{2}) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if _, err := exchange.Once(&request, "other", func() (func(), error) { return func() {}, nil }); err == nil {
		t.Error("a value that doesn't survive JSON is kept")
	}
}

func TestConfirmIsYesOnlyIfTheUserSaysSo(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{`{"action":"accept","content":{}}`: true, `{"action":"decline"}`: false, `{"action":"cancel"}`: false} {
		request := exchange.New(&wire{capabilities: `{"elicitation":{}}`, answers: map[string]string{"sure": answer}})
		if got, err := request.Confirm(t.Context(), "sure", "Delete it?"); err != nil || got != want {
			t.Errorf("%s: got %t, %v", answer, got, err)
		}
	}
}
