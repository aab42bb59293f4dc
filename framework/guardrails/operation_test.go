package guardrails_test

import (
	"errors"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/request/requesttest"
)

// operation returns an operation with an input and its result.
func operation(input request.Input, result request.Result) *guardrails.Operation {
	call := requesttest.Call{Received: request.Facts{Input: input}, Returned: result}
	served := exchange.Request(call.Request())
	return &guardrails.Operation{Request: &served}
}

func TestArgumentFindsArgumentsAndVariables(t *testing.T) {
	t.Parallel()
	tool := operation(request.Input{Arguments: []byte(`{"text":"a\n","number":1.50,"list":[1],"null":null}`)}, nil)
	template := operation(request.Input{Values: map[string]string{"id": "7"}}, nil)
	completed := operation(request.Input{Completing: &request.Completing{Argument: "city", Value: "Os"}, Values: map[string]string{"country": "Norway"}}, nil)
	for _, test := range []struct {
		of         *guardrails.Operation
		name, want string
		ok         bool
	}{
		{tool, "text", "a\n", true},
		{tool, "number", "1.50", true},
		{tool, "list", "[1]", true},
		{tool, "null", "null", true},
		{tool, "absent", "", false},
		{template, "id", "7", true},
		{template, "", "", false},
		{completed, "city", "Os", true},
		{completed, "country", "Norway", true},
		{operation(request.Input{}, nil), "a", "", false},
	} {
		if got, ok := test.of.Argument(test.name); got != test.want || ok != test.ok {
			t.Errorf("%q: got %q, %t, want %q, %t", test.name, got, ok, test.want, test.ok)
		}
	}
}

// outcome is a result with a size.
type outcome struct {
	err  error
	size int
}

func (o outcome) Err() error { return o.err }
func (o outcome) Size() int  { return o.size }

func TestAnOperationHasAResultAfterNext(t *testing.T) {
	t.Parallel()
	if before := operation(request.Input{}, nil); before.IsError() || before.Size() != 0 {
		t.Errorf("before its result it failed: %t, with %d bytes", before.IsError(), before.Size())
	}
	if failed := operation(request.Input{}, outcome{errors.New("no"), 12}); !failed.IsError() || failed.Size() != 12 {
		t.Errorf("it failed: %t, with %d bytes", failed.IsError(), failed.Size())
	}
	if fine := operation(request.Input{}, outcome{nil, 3}); fine.IsError() || fine.Size() != 3 {
		t.Errorf("it failed: %t, with %d bytes", fine.IsError(), fine.Size())
	}
}

func TestKindsHaveTheirNames(t *testing.T) {
	t.Parallel()
	for kind, want := range map[guardrails.Kind]string{
		guardrails.Call: "call", guardrails.Read: "read", guardrails.Get: "get", guardrails.List: "list", guardrails.Complete: "complete", 99: "unknown",
	} {
		if got := kind.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
