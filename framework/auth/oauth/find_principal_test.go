package oauth_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
)

// The person who runs a program looks at it as a user, while nothing is served.
func TestAGuardKnowsUsersByNameAndID(t *testing.T) {
	t.Parallel()
	o := newOperator(t, withPasswords)
	text := o.does(t, "user:create", "ana@example.com", "--password-stdin")
	id := strings.TrimSuffix(text[strings.LastIndex(text, " ")+1:], ".\n")
	guard := oauth.New(o.Config).Guard("mcp:use")
	for _, name := range []string{"ana@example.com", "Ana@Example.com", id} {
		found, err := guard.FindPrincipal(t.Context(), name)
		if got, want := fmt.Sprintln(found.ID, found.Subject, found.Scopes, found.Claims, found.Local), fmt.Sprintln(oauth.PrincipalID(id), id, "[files:write mcp:use]", map[string]any{"sub": id, "scope": "files:write mcp:use", "name": "ana@example.com"}, false); err != nil || got != want {
			t.Errorf("%s: %v, the principal is %s, want %s", name, err, got, want)
		}
	}
	o.does(t, "user:disable", "ana@example.com")
	for name, want := range map[string]string{
		"ana@example.com": "the user ana@example.com is disabled",
		"bo":              `there is no user "bo"; make one with mcp user:create`,
	} {
		if found, err := guard.FindPrincipal(t.Context(), name); err == nil || !strings.HasPrefix(err.Error(), want) || found.ID != "" {
			t.Errorf("%s: the principal is %+v, and the error %v", name, found, err)
		}
	}
	inMemory := o.Config
	inMemory.Store = "memory:"
	for want, wrong := range map[string]oauth.Config{"the store is in memory": inMemory, "oauth: Config.": {}} {
		if _, err := oauth.New(wrong).Guard().FindPrincipal(t.Context(), "ana@example.com"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s…", err, want)
		}
	}
}
