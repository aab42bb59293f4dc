package completion_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/request/requesttest"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// asked returns a request for the typed text, with the arguments that are already filled
// in.
func asked(typed string, resolved map[string]string) *completion.Request {
	call := requesttest.Call{Received: request.Facts{Input: request.Input{Completing: &request.Completing{Value: typed}, Values: resolved}}}
	return &completion.Request{Request: exchange.Request(call.Request()), Value: typed}
}

func complete(t *testing.T, source completion.Source, typed string) completion.Result {
	t.Helper()
	result, err := source.Complete(t.Context(), &completion.Request{Value: typed})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

type status string

type level int

func (l level) String() string { return [...]string{"low", "high"}[l] }

type loud string

func (loud) String() string { return "never shown" }

func TestAListSuggestsValuesWithTheTypedPrefix(t *testing.T) {
	t.Parallel()
	cities := completion.Values("Paris", "Porto", "paraty", "Oslo")
	for _, test := range []struct {
		name   string
		source completion.Source
		typed  string
		want   []string
	}{
		{"nothing typed", cities, "", []string{"Paris", "Porto", "paraty", "Oslo"}},
		{"a prefix", cities, "P", []string{"Paris", "Porto"}},
		{"not the middle", cities, "aris", nil},
		{"folded", cities.Fold(), "PAR", []string{"Paris", "paraty"}},
		{"no values", completion.Values(), "", nil},
		{"strings", completion.Enum(status("draft"), status("done")), "dr", []string{"draft"}},
		{"names", completion.Enum(level(0), level(1)), "", []string{"low", "high"}},
		{"a string that has a name", completion.Enum(loud("quiet")), "", []string{"quiet"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := complete(t, test.source, test.typed)
			if !slices.Equal(got.Values, test.want) || *got.Total != len(test.want) || *got.HasMore {
				t.Errorf("got %q, total %d, more %v; want %q", got.Values, *got.Total, *got.HasMore, test.want)
			}
		})
	}
}

func TestFoldReturnsACopy(t *testing.T) {
	t.Parallel()
	list := completion.Values("Paris")
	_ = list.Fold()
	if got := complete(t, list, "p"); len(got.Values) != 0 {
		t.Errorf("got %q", got.Values)
	}
}

func TestAFunctionGetsTheRequestAndIsNotFiltered(t *testing.T) {
	t.Parallel()
	source := completion.Func(func(_ context.Context, request *completion.Request) ([]string, error) {
		return []string{request.Value, request.Argument("country"), request.Argument("absent")}, nil
	})
	got, err := source.Complete(t.Context(), asked("Pa", map[string]string{"country": "France"}))
	if want := []string{"Pa", "France", ""}; err != nil || !slices.Equal(got.Values, want) {
		t.Errorf("got %q, %v; want %q", got.Values, err, want)
	}
}

func TestTheErrorOfAFunctionIsPassedOn(t *testing.T) {
	t.Parallel()
	failed := errors.New("no database")
	source := completion.Func(func(context.Context, *completion.Request) ([]string, error) { return []string{"a"}, failed })
	if got, err := source.Complete(t.Context(), asked("", nil)); !errors.Is(err, failed) || got.Values != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func numbers(n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprint("v", i)
	}
	return values
}

func TestAtMostAHundredValuesAreSuggested(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		n, want int
		more    bool
	}{{99, 99, false}, {100, 100, false}, {101, 100, true}, {250, 100, true}} {
		for name, source := range map[string]completion.Source{
			"values": completion.Values(numbers(test.n)...),
			"func":   completion.Func(func(context.Context, *completion.Request) ([]string, error) { return numbers(test.n), nil }),
		} {
			got := complete(t, source, "")
			if len(got.Values) != test.want || *got.Total != test.n || *got.HasMore != test.more {
				t.Errorf("%s of %d: got %d values, total %d, more %v", name, test.n, len(got.Values), *got.Total, *got.HasMore)
			}
			if got.Values[test.want-1] != fmt.Sprint("v", test.want-1) {
				t.Errorf("%s of %d: the last value is %s", name, test.n, got.Values[test.want-1])
			}
		}
	}
}

// A source of a program may return any Result, so the encoder enforces the specification.
func TestTheWireFormMeetsTheSpecification(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		result completion.Result
		want   string
	}{
		"nothing":   {completion.Result{}, `{"values":[]}`},
		"of":        {completion.Of("a", "b"), `{"values":["a","b"],"total":2,"hasMore":false}`},
		"of none":   {completion.Of(), `{"values":[],"total":0,"hasMore":false}`},
		"too many":  {completion.Result{Values: numbers(101), Total: new(500)}, `{"values":["` + strings.Join(numbers(100), `","`) + `"],"total":500,"hasMore":true}`},
		"no total":  {completion.Result{Values: []string{""}, HasMore: new(true)}, `{"values":[""],"hasMore":true}`},
		"markup, é": {completion.Result{Values: []string{`<a> é`}}, `{"values":["<a> é"]}`},
	} {
		got, err := codec.Marshal(test.result)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got\n%s, %v\nwant\n%s", name, got, err, test.want)
		}
	}
}

func TestAResultRoundTrips(t *testing.T) {
	t.Parallel()
	want := completion.Of("a", "b")
	encoded, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got completion.Result
	if err := json.Unmarshal(encoded, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestAnEnumWithoutTextIsAnError(t *testing.T) {
	t.Parallel()
	_, err := completion.Enum(1, 2).Complete(t.Context(), asked("", nil))
	if err == nil || !strings.Contains(err.Error(), "completion.Enum can't convert the type int to text; give it a method String") {
		t.Errorf("got %v", err)
	}
}
