package chain_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/chain"
)

// An operation records the steps of guardrails.
type operation struct{ did []string }

// named returns a guardrail that records its calls.
func named(name string, kinds chain.Kinds) chain.Guardrail[operation] {
	return chain.Guardrail[operation]{
		Name: name, Able: chain.All, Kinds: kinds, Handle: func(ctx context.Context, o *operation, next chain.Next[operation]) error {
			o.did = append(o.did, name)
			err := next(ctx, o)
			o.did = append(o.did, name+" again")
			return err
		},
	}
}

func TestTheFirstGuardrailIsOutermost(t *testing.T) {
	t.Parallel()
	around := chain.New([]chain.Guardrail[operation]{named("a", chain.Call), named("b", chain.Read), named("c", chain.All)}, chain.Call, "tool")
	o, broken := &operation{}, errors.New("broken")
	err := around.Run(t.Context(), o, func(_ context.Context, o *operation) error {
		o.did = append(o.did, "handler")
		return broken
	})
	if want := []string{"a", "c", "handler", "c again", "a again"}; !errors.Is(err, broken) || !slices.Equal(o.did, want) {
		t.Errorf("got %q, %v, want %q", o.did, err, want)
	}
}

func TestAGuardrailPassesItsContextOn(t *testing.T) {
	t.Parallel()
	type key struct{}
	set := chain.Guardrail[operation]{Name: "set", Able: chain.All, Kinds: chain.All, Handle: func(ctx context.Context, o *operation, next chain.Next[operation]) error {
		return next(context.WithValue(ctx, key{}, "value"), o)
	}}
	err := chain.New([]chain.Guardrail[operation]{set, named("a", chain.All)}, chain.Get, "").Run(t.Context(), &operation{}, func(ctx context.Context, _ *operation) error {
		if ctx.Value(key{}) != "value" {
			return errors.New("there is no value")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAnEmptyChainRunsTheHandler(t *testing.T) {
	t.Parallel()
	empty := chain.New([]chain.Guardrail[operation]{named("a", chain.Read), {Name: "time", Able: chain.All, Kinds: chain.All, Timeout: time.Second}}, chain.Call, "tool")
	o := &operation{}
	if err := empty.Run(t.Context(), o, func(context.Context, *operation) error { return nil }); err != nil || !empty.Empty() || len(o.did) != 0 {
		t.Errorf("empty: %t, with %q, %v", empty.Empty(), o.did, err)
	}
	if chain.New([]chain.Guardrail[operation]{named("a", chain.Call)}, chain.Call, "tool").Empty() {
		t.Error("a chain with a guardrail is empty")
	}
}

func TestTheShortestTimeCounts(t *testing.T) {
	t.Parallel()
	within := func(d time.Duration, kinds chain.Kinds) chain.Guardrail[operation] {
		return chain.Guardrail[operation]{Name: "time", Able: chain.All, Kinds: kinds, Timeout: d}
	}
	for _, test := range []struct {
		list []chain.Guardrail[operation]
		want time.Duration
	}{
		{nil, 0},
		{[]chain.Guardrail[operation]{named("a", chain.All)}, 0},
		{[]chain.Guardrail[operation]{within(2, chain.Call), within(3, chain.Call), within(1, chain.Read)}, 2},
		{[]chain.Guardrail[operation]{within(3, chain.Call), within(2, chain.All)}, 2},
	} {
		if got := chain.New(test.list, chain.Call, "tool").Timeout; got != test.want {
			t.Errorf("%d guardrails: got %v, want %v", len(test.list), got, test.want)
		}
	}
}

func TestAllPermissionsMustAllow(t *testing.T) {
	t.Parallel()
	asked := []string{}
	allowing := func(who string, allows bool) chain.Guardrail[operation] {
		return chain.Guardrail[operation]{Name: who, Able: chain.All, Kinds: chain.Call, Allowed: func(_ context.Context, name string) bool {
			asked = append(asked, who+" about "+name)
			return allows
		}}
	}
	for _, test := range []struct {
		list []chain.Guardrail[operation]
		want bool
		asks []string
	}{
		{[]chain.Guardrail[operation]{allowing("a", true)}, true, []string{"a about tool"}},
		{[]chain.Guardrail[operation]{allowing("a", true), allowing("b", true)}, true, []string{"a about tool", "b about tool"}},
		{[]chain.Guardrail[operation]{allowing("a", true), allowing("b", false)}, false, []string{"a about tool", "b about tool"}},
		{[]chain.Guardrail[operation]{allowing("a", false), allowing("b", true)}, false, []string{"a about tool"}},
	} {
		asked = nil
		if got := chain.New(test.list, chain.Call, "tool").Allowed(t.Context()); got != test.want || !slices.Equal(asked, test.asks) {
			t.Errorf("got %t after asking %q, want %t after %q", got, asked, test.want, test.asks)
		}
	}
	if chain.New([]chain.Guardrail[operation]{allowing("a", false)}, chain.Read, "uri").Allowed != nil {
		t.Error("one that is not about reading is asked about it")
	}
}

func TestMistakesOfGuardrailsAreAllNamed(t *testing.T) {
	t.Parallel()
	ofCalls := named("Mine", chain.Call)
	wrong := named("RateLimit(0, 0s)", chain.All)
	wrong.Problem = errors.New("n must be more than 0")
	err := chain.Check([]chain.Guardrail[operation]{named("fine", chain.All), {}, wrong, ofCalls}, chain.Read|chain.Complete)
	if err == nil {
		t.Fatal("nothing was found")
	}
	want := "guardrail 2: it is empty; make it with a function of package guardrails\n" +
		"guardrail 3: RateLimit(0, 0s): n must be more than 0\n" +
		"guardrail 4: Mine: it runs only around call, but the operations here are: read, complete"
	if err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if err := chain.Check([]chain.Guardrail[operation]{ofCalls}, chain.All); err != nil {
		t.Error(err)
	}
}

func TestKindsAreListedInTheirOrder(t *testing.T) {
	t.Parallel()
	if got := chain.All.String(); got != "call, read, get, list, complete, method" {
		t.Errorf("all are %q", got)
	}
	if got := (chain.List | chain.Call).String(); got != "call, list" {
		t.Errorf("two are %q", got)
	}
}
