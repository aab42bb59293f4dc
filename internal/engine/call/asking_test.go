package call_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/seal"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// question returns a question with a text.
func question(key, words string) request.Question {
	return request.Question{Key: key, Method: "elicitation/create", Params: fmt.Appendf(nil, `{"message":%q}`, words)}
}

// asking returns an operation that asks questions, all at once, and returns their answers.
func asking(questions ...request.Question) *call.Operation {
	return doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
		answers, err := k.Ask(ctx, questions)
		if err != nil {
			return nil, err
		}
		var all []string
		for _, answer := range answers {
			all = append(all, string(answer))
		}
		return said(strings.Join(all, " ")), nil
	})
}

// A round is an answer with questions.
type round struct {
	Result struct {
		ResultType    string                 `json:"resultType"`
		InputRequests map[string]codec.Value `json:"inputRequests"`
		RequestState  string                 `json:"requestState"`
		Said          string                 `json:"said"`
		Failed        string                 `json:"failed"`
	} `json:"result"`
	Error *exchange.Error `json:"error"`
}

// again is a call of echo with arguments, and with the answers and state of the last round.
func again(arguments, answers, state string) string {
	o := spec.Object{{Name: "name", Value: []byte(`"echo"`)}, {Name: "arguments", Value: []byte(arguments)}}
	if answers != "" {
		o.Set("inputResponses", []byte(answers))
	}
	if state != "" {
		o.Set("requestState", codec.AppendQuote(nil, state))
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + string(o.Append(nil)) + `}`
}

// round makes a call and reads its answer.
func (c *client) round(t *testing.T, message string, operation *call.Operation) round {
	t.Helper()
	var got round
	body := c.run(message, operation).Answer().Body
	if err := codec.Unmarshal([]byte(body), &got); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return got
}

// assertAsks checks that the client gets exactly the questions with the keys.
func (r round) assertAsks(t *testing.T, keys ...string) {
	t.Helper()
	if got := slices.Sorted(maps.Keys(r.Result.InputRequests)); !slices.Equal(got, keys) {
		t.Fatalf("the client is asked %q, want %q, in %+v", got, keys, r)
	}
}

func TestAQuestionIsAnsweredByTheNextRequest(t *testing.T) {
	t.Parallel()
	c := modern(t)
	first := c.round(t, again(`{}`, "", ""), asking(question("city", "Which city?")))
	if first.Result.ResultType != "input_required" || string(first.Result.InputRequests["city"]) != `{"method":"elicitation/create","params":{"message":"Which city?"}}` {
		t.Fatalf("got %+v", first)
	}
	c.assertLog(t, `outcome="input required"`)
	second := c.round(t, again(`{}`, `{"city":{"action":"accept"}}`, first.Result.RequestState), asking(question("city", "Which city?")))
	if second.Result.Said != `{"action":"accept"}` {
		t.Errorf("got %+v", second)
	}
}

func TestSuccessiveQuestionsAreAnsweredOnce(t *testing.T) {
	t.Parallel()
	c := modern(t)
	both := doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
		city, err := k.Ask(ctx, []request.Question{question("city", "Which city?")})
		if err != nil {
			return nil, err
		}
		day, err := k.Ask(ctx, []request.Question{question("day", "Which day?")})
		if err != nil {
			return nil, err
		}
		return said(string(city[0]) + string(day[0])), nil
	})
	first := c.round(t, again(`{}`, "", ""), both)
	second := c.round(t, again(`{}`, `{"city":1}`, first.Result.RequestState), both)
	second.assertAsks(t, "day")
	if third := c.round(t, again(`{}`, `{"day":2}`, second.Result.RequestState), both); third.Result.Said != "12" {
		t.Errorf("the third round is %+v", third)
	}
}

func TestAnEarlierAnswerCountsForTheSameQuestion(t *testing.T) {
	t.Parallel()
	c := modern(t)
	both := func(price string) *call.Operation {
		return doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
			if _, err := k.Ask(ctx, []request.Question{question("price", price)}); err != nil {
				return nil, err
			}
			_, err := k.Ask(ctx, []request.Question{question("day", "Which day?")})
			return said("done"), err
		})
	}
	first := c.round(t, again(`{}`, "", ""), both("3 euros?"))
	second := c.round(t, again(`{}`, `{"price":true}`, first.Result.RequestState), both("3 euros?"))
	if third := c.round(t, again(`{}`, `{"day":1}`, second.Result.RequestState), both("3 euros?")); third.Result.Said != "done" {
		t.Errorf("with the same words: %+v", third)
	}
	changed := c.round(t, again(`{}`, `{"day":1}`, second.Result.RequestState), both("300 euros?"))
	changed.assertAsks(t, "price")
}

func TestAStateIsBoundToItsResource(t *testing.T) {
	t.Parallel()
	read := func(uri, rest string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + uri + `"` + rest + `}}`
	}
	c, operation := modern(t), asking(question("q", "Q?"))
	rest := `,"inputResponses":{"q":1},"requestState":"` + c.round(t, read("a://b", ""), operation).Result.RequestState + `"`
	if got := c.round(t, read("a://b", rest), operation); got.Result.Said != "1" {
		t.Errorf("the same resource: %+v", got)
	}
	if got := c.round(t, read("a://c", rest), operation); got.Error == nil {
		t.Errorf("another resource: %+v", got)
	}
}

func TestSeveralQuestionsAreAskedAtOnce(t *testing.T) {
	t.Parallel()
	c := modern(t)
	operation := asking(question("a", "A?"), question("b", "B?"))
	first := c.round(t, again(`{}`, "", ""), operation)
	first.assertAsks(t, "a", "b")
	half := c.round(t, again(`{}`, `{"b":2}`, first.Result.RequestState), operation)
	half.assertAsks(t, "a")
	if whole := c.round(t, again(`{}`, `{"a":1}`, half.Result.RequestState), operation); whole.Result.Said != "1 2" {
		t.Errorf("got %+v", whole)
	}
}

func TestAnAnswerCountsForTheQuestionThatWasAsked(t *testing.T) {
	t.Parallel()
	c := modern(t)
	state := c.round(t, again(`{}`, "", ""), asking(question("price", "3 euros?"))).Result.RequestState
	if other := c.round(t, again(`{}`, `{"price":true}`, state), asking(question("price", "300 euros?"))); other.Result.ResultType != "input_required" {
		t.Errorf("consent to one price is consent to another: %+v", other)
	}
	if unasked := c.round(t, again(`{}`, `{"price":true}`, ""), asking(question("price", "3 euros?"))); unasked.Result.ResultType != "input_required" {
		t.Errorf("an answer to no question counts: %+v", unasked)
	}
	early := question("price", "3 euros?")
	early.Early = true
	if got := c.round(t, again(`{}`, `{"price":true}`, ""), asking(early)); got.Result.Said != "true" {
		t.Errorf("an early answer does not count: %+v", got)
	}
}

func TestAStateIsBoundToItsRequest(t *testing.T) {
	t.Parallel()
	operation := asking(question("q", "Q?"))
	start := func(t *testing.T) (*client, string) {
		c := modern(t)
		c.server.Scope, c.server.Seal = "1 demo", seal.New("secret")
		c.ctx = exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ann"})
		c.http = httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp/demo", nil)
		return c, c.round(t, again(`{"a":1,"b":2}`, "", ""), operation).Result.RequestState
	}
	for name, change := range map[string]func(c *client, message, state *string){
		"nothing":                    func(*client, *string, *string) {},
		"the order of the arguments": func(_ *client, message, state *string) { *message = again(`{"b":2,"a":1}`, `{"q":1}`, *state) },
		"another argument":           func(_ *client, message, state *string) { *message = again(`{"a":1,"b":3}`, `{"q":1}`, *state) },
		"another param": func(_ *client, message, _ *string) {
			*message = strings.Replace(*message, `"name":"echo"`, `"name":"echo","scope":"all"`, 1)
		},
		"another tool": func(_ *client, message, _ *string) { *message = strings.Replace(*message, `"echo"`, `"other"`, 1) },
		"another method": func(_ *client, message, _ *string) {
			*message = strings.Replace(*message, "tools/call", "prompts/get", 1)
		},
		"another principal": func(c *client, _, _ *string) {
			c.ctx = exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "bob"})
		},
		"another path": func(c *client, _, _ *string) {
			c.http = httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp/other", nil)
		},
		"another server":               func(c *client, _, _ *string) { c.server.Scope = "2 demo" },
		"another key":                  func(c *client, _, _ *string) { c.server.Seal = seal.New("other") },
		"a state that is not a string": func(_ *client, message, state *string) { *message = strings.Replace(*message, `"`+*state+`"`, "7", 1) },
		"a state that was changed": func(_ *client, message, state *string) {
			*message = strings.Replace(*message, *state, "A"+(*state)[1:]+"A", 1)
		},
		"answers that are no object": func(_ *client, message, _ *string) { *message = strings.Replace(*message, `{"q":1}`, `[1]`, 1) },
		"a state of an hour ago":     func(*client, *string, *string) {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, state := start(t)
				message := again(`{"a":1,"b":2}`, `{"q":1}`, state)
				change(c, &message, &state)
				if strings.Contains(name, "an hour ago") {
					time.Sleep(time.Hour)
				}
				got := c.round(t, message, operation)
				fine := name == "nothing" || strings.HasPrefix(name, "the order")
				const expired = "Invalid params: the requestState doesn't belong to this request, or has expired; call again without it"
				switch {
				case fine && got.Result.Said != "1":
					t.Errorf("got %+v", got)
				case strings.HasPrefix(name, "answers") && (got.Error == nil || !strings.HasPrefix(got.Error.Message, "Invalid params: inputResponses must be an object")):
					t.Errorf("got %+v", got)
				case !fine && !strings.HasPrefix(name, "answers") && (got.Error == nil || got.Error.Code != -32602 || got.Error.Message != expired):
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

func TestMethodsThatCannotAskIgnoreRounds(t *testing.T) {
	t.Parallel()
	c := modern(t)
	message := strings.Replace(again(`{}`, `{"q":1}`, "mine"), "tools/call", "acme/poll", 1)
	operation := doing(func(context.Context, *call.Call) (call.Result, error) { return said("polled"), nil })
	operation.Asks = false
	got := c.round(t, message, operation)
	if got.Result.Said != "polled" {
		t.Errorf("a method of the program's own with members of these names gets %+v", got)
	}
}

func TestKeptValuesReachTheNextRound(t *testing.T) {
	t.Parallel()
	c := modern(t)
	keeping := doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
		kept := k.Kept("found")
		if kept == nil {
			k.Keep("found", []byte(`{"pages":3}`))
		}
		_, err := k.Ask(ctx, []request.Question{question("q", "Q?")})
		return said(kept), err
	})
	state := c.round(t, again(`{}`, "", ""), keeping).Result.RequestState
	if got := c.round(t, again(`{}`, `{"q":1}`, state), keeping); got.Result.Said != `{"pages":3}` {
		t.Errorf("got %+v", got)
	}
	if strings.Contains(state, "pages") {
		t.Errorf("the client can read the state: %s", state)
	}
}

func TestAStateThatIsTooLargeIsAnError(t *testing.T) {
	t.Parallel()
	c := modern(t)
	got := c.round(t, again(`{}`, "", ""), doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
		k.Keep("much", codec.AppendQuote(nil, strings.Repeat("x", 256<<10)))
		_, err := k.Ask(ctx, []request.Question{question("q", "Q?")})
		return nil, err
	}))
	if got.Error == nil || got.Error.Message != "The answers and kept values of this call are more than 262144 bytes together" {
		t.Errorf("got %+v", got)
	}
	c.assertLog(t, "level=ERROR", "tool=echo outcome=failed", "the requestState would have 262205 bytes; keep less")
}

func TestARefusedAnswerOverrulesTheHandler(t *testing.T) {
	t.Parallel()
	c := modern(t)
	got := c.round(t, again(`{}`, "", ""), doing(func(_ context.Context, k *call.Call) (call.Result, error) {
		if err := k.Overrules(); err != nil {
			t.Errorf("without questions it is overruled by %v", err)
		}
		k.RefuseAnswer("city", "/action is missing")
		if own, ok := errors.AsType[*exchange.Error](k.Overrules()); !ok || own.Code != -32602 {
			t.Errorf("it is overruled by %v", own)
		}
		return said("went on"), nil
	}))
	if got.Error == nil || got.Error.Message != `Invalid params: the answer to the question "city" can't be used: /action is missing` {
		t.Errorf("got %+v", got)
	}
}

func TestAnOpenQuestionOverrulesTheHandler(t *testing.T) {
	t.Parallel()
	for name, returned := range map[string]error{"a result": nil, "another error": errors.New("gave up")} {
		c := modern(t)
		got := c.round(t, again(`{}`, "", ""), doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
			if _, err := k.Ask(ctx, []request.Question{question("q", "Q?")}); !errors.Is(err, exchange.ErrInputRequired) {
				t.Errorf("Ask returns %v", err)
			}
			if err := k.Overrules(); !errors.Is(err, call.ErrWentOn) {
				t.Errorf("it is overruled by %v", err)
			}
			return said("went on"), returned
		}))
		if got.Result.ResultType != "input_required" {
			t.Errorf("%s: got %+v", name, got)
		}
		c.assertLog(t, "a handler ignored the error of Ask; return it, so that the client is asked first", "question=q")
	}
}

func TestErrInputRequiredWithoutAQuestionIsAFailure(t *testing.T) {
	t.Parallel()
	c := modern(t)
	for range 2 {
		got := c.round(t, again(`{}`, `{"q":1}`, ""), failing(fmt.Errorf("wrapped: %w", exchange.ErrInputRequired)))
		if !strings.Contains(got.Result.Failed, "but asked nothing in this call") {
			t.Errorf("got %+v", got)
		}
	}
	c.assertLog(t, "outcome=failed", "the handler returned exchange.ErrInputRequired, but asked nothing in this call")
	if got := c.round(t, again(`{}`, "", ""), failing(exchange.ErrInputRequired)); got.Result.Failed == "" {
		t.Errorf("got %+v", got)
	}
}

func TestAKeyBelongsToOneQuestion(t *testing.T) {
	t.Parallel()
	for _, v := range []spec.Version{spec.Newest, spec.Version20250618} {
		c := newClient(t, v)
		c.peer.Asker = asker(func(context.Context, *call.Call, []request.Question) ([][]byte, error) {
			return [][]byte{[]byte("1")}, nil
		})
		c.run(echo, doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
			_, _ = k.Ask(ctx, []request.Question{question("q", "Q?")})
			if _, err := k.Ask(ctx, []request.Question{question("q", "Q?")}); errors.Is(err, call.ErrSameKey) {
				t.Errorf("%s: the same question again results in %v", v, err)
			}
			if _, err := k.Ask(ctx, []request.Question{question("q", "R?")}); !errors.Is(err, call.ErrSameKey) {
				t.Errorf("%s: another question results in %v", v, err)
			}
			return said(""), nil
		}))
	}
}

func TestOnlyOperationsThatSayItAsk(t *testing.T) {
	t.Parallel()
	for method, can := range map[string]bool{"tools/call": true, "acme/ask": true, "completion/complete": false} {
		operation := asking(question("q", "Q?"))
		operation.Asks = can
		got := modern(t).round(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`, operation)
		if asked := got.Result.ResultType == "input_required"; asked != can {
			t.Errorf("%s: got %+v", method, got)
		}
		if !can && got.Result.Failed != "The question q has no answer: only tools, prompts, resources and methods with Asks can ask the client" {
			t.Errorf("%s: got %+v", method, got)
		}
	}
}

// An asker asks an older client.
type asker func(ctx context.Context, k *call.Call, questions []request.Question) ([][]byte, error)

func (a asker) Ask(ctx context.Context, k *call.Call, questions []request.Question) ([][]byte, error) {
	return a(ctx, k, questions)
}

func TestAnOlderClientIsAskedWhileTheHandlerWaits(t *testing.T) {
	t.Parallel()
	c := newClient(t, spec.Version20250618)
	var rounds []int
	c.peer.Asker = asker(func(_ context.Context, k *call.Call, questions []request.Question) ([][]byte, error) {
		rounds = append(rounds, k.CountRound())
		return [][]byte{fmt.Appendf(nil, "%s?", questions[0].Key)}, nil
	})
	if got := c.round(t, echo, asking(question("city", "Which city?"))); got.Result.Said != "city?" {
		t.Errorf("got %+v", got)
	}
	c.run(echo, doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
		_, err := k.Ask(ctx, []request.Question{question("a", "A?")})
		_, err2 := k.Ask(ctx, []request.Question{question("b", "B?")})
		return said(""), errors.Join(err, err2, k.Overrules())
	}))
	if want := []int{1, 1, 2}; !slices.Equal(rounds, want) {
		t.Errorf("the rounds are %v, want %v", rounds, want)
	}
	c.peer.Asker = nil
	if got := c.round(t, echo, asking(question("city", "Which city?"))); got.Result.Failed != "The question city has no answer: a client without a session can't be asked" {
		t.Errorf("got %+v", got)
	}
}

func TestTheQuestionOfALeftoverGoroutineIsWithdrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, spec.Version20250618)
		withdrawn := false
		c.peer.Asker = asker(func(ctx context.Context, k *call.Call, _ []request.Question) ([][]byte, error) {
			<-k.Done()
			withdrawn = true
			return nil, ctx.Err()
		})
		var late error
		reply := c.run(echo, doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
			go func() {
				_, _ = k.Ask(ctx, []request.Question{question("q", "Q?")})
				_, late = k.Ask(ctx, []request.Question{question("r", "R?")})
			}()
			synctest.Wait()
			return said("ho"), nil
		}))
		if !withdrawn || !strings.Contains(reply.Answer().Body, "ho") {
			t.Errorf("the question was withdrawn: %t; got %+v", withdrawn, reply.Answers())
		}
		synctest.Wait()
		if !errors.Is(late, call.ErrFinished) {
			t.Errorf("a question after the handler has returned results in %v", late)
		}
	})
}

// After the handler has returned, Keep, Ask and RefuseAnswer would change the answer while it
// is written.
func TestALeftoverGoroutineChangesNothing(t *testing.T) {
	t.Parallel()
	for _, v := range []spec.Version{spec.Newest, spec.Version20250618} {
		c := newClient(t, v)
		k, reply := c.begin(echo)
		k.Run(giving(said("ho")))
		k.Keep("late", []byte("1"))
		k.RefuseAnswer("q", "late")
		if _, err := k.Ask(t.Context(), []request.Question{question("q", "Q?")}); err == nil {
			t.Errorf("%s: a question has an answer", v)
		}
		if kept, overruled := k.Kept("late"), k.Overrules(); kept != nil || overruled != nil || len(reply.Answers()) != 1 {
			t.Errorf("%s: %s is kept, and it is overruled by %v", v, kept, overruled)
		}
	}
}

func TestALeftoverGoroutineMayRunWhileTheClientIsAsked(t *testing.T) {
	t.Parallel()
	c := modern(t)
	for range 20 {
		running, done := make(chan struct{}), make(chan struct{})
		got := c.round(t, again(`{}`, "", ""), doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
			_, err := k.Ask(ctx, []request.Question{question("q", "Q?")})
			go func() {
				defer close(done)
				close(running)
				for i := range 1000 {
					k.Keep(fmt.Sprint("key ", i), []byte("1"))
					k.RefuseAnswer("r", "reason")
					_, _ = k.Ask(ctx, []request.Question{question(fmt.Sprint("question ", i), "Q?")})
				}
			}()
			<-running
			return nil, err
		}))
		<-done
		if got.Result.InputRequests["q"] == nil && got.Error == nil { // an answer may be refused in time
			t.Fatalf("got %+v", got)
		}
	}
}

func TestAFailureOfAHandlerThatIgnoresAskIsInTheLog(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func() error
		want string
	}{
		"a panic":  {func() error { panic("boom") }, "level=ERROR msg=call tool=echo outcome=panicked"},
		"an error": {func() error { return errors.New("no disk") }, `question=q reason="no disk"`},
	} {
		c := modern(t)
		c.round(t, again(`{}`, "", ""), doing(func(ctx context.Context, k *call.Call) (call.Result, error) {
			_, _ = k.Ask(ctx, []request.Question{question("q", "Q?")})
			return nil, test.end()
		}))
		if !strings.Contains(c.log.String(), test.want) {
			t.Errorf("%s: the log is\n%s", name, c.log)
		}
	}
}
