package exchange_test

import (
	"errors"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
)

func TestAPrincipalCanDoWhatAllScopesAllow(t *testing.T) {
	t.Parallel()
	ana := exchange.Principal{ID: "ana", Scopes: []string{"files:read", "files:write"}}
	for _, test := range []struct {
		principal exchange.Principal
		scopes    []string
		want      bool
	}{
		{ana, nil, true},
		{ana, []string{"files:write"}, true},
		{ana, []string{"files:write", "files:read"}, true},
		{ana, []string{"files:write", "files:delete"}, false},
		{ana, []string{"files"}, false},
		{ana, []string{"Files:Read"}, false},
		{exchange.Principal{}, nil, true},
		{exchange.Principal{}, []string{"files:read"}, false},
		{exchange.Principal{Local: true}, []string{"files:read"}, true},
	} {
		if got := test.principal.Can(test.scopes...); got != test.want {
			t.Errorf("%+v can %q: %t, want %t", test.principal, test.scopes, got, test.want)
		}
	}
}

func TestAMissingScopeForbidsAnOperation(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"Insufficient scope: the operation needs a b; the token has c":      &exchange.ScopeError{Needed: []string{"a", "b"}, Granted: []string{"c"}},
		"Insufficient scope: the operation needs a; the token has no scope": &exchange.ScopeError{Needed: []string{"a"}},
	} {
		if err.Error() != want || !errors.Is(err, exchange.ErrForbidden) {
			t.Errorf("the error is %q (forbidden: %t), want %q", err, errors.Is(err, exchange.ErrForbidden), want)
		}
	}
}
