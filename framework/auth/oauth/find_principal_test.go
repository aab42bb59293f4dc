package oauth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
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

// The store has no such users, but their grants and tokens.
func TestAGuardKnowsUsersOfAnotherLoginWhoHaveAccess(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	grant := store.Grant{ID: "g", ClientID: "editor", UserID: "github:1", UserName: "Ana", Created: time.Now(), Expires: time.Now().Add(time.Hour)}
	if err := o.open(t).CreateGrant(t.Context(), grant, nil); err != nil {
		t.Fatal(err)
	}
	o.does(t, "token:create", "CI", "--user", "github:2")
	guard := oauth.New(o.Config).Guard()
	for id, name := range map[string]any{"github:1": "Ana", "github:2": nil} {
		if found, err := guard.FindPrincipal(t.Context(), id); err != nil || found.ID != oauth.PrincipalID(id) || found.Claims["name"] != name {
			t.Errorf("%s: the principal is %+v, and the error %v", id, found, err)
		}
	}
	for _, id := range []string{"github:3", "Ana", ""} {
		want := fmt.Sprintf(`there is no user %q with a grant or a token; name a user of another login by the ID, which the log shows as "oauth: ID"`, id)
		if found, err := guard.FindPrincipal(t.Context(), id); err == nil || err.Error() != want || found.ID != "" {
			t.Errorf("%s: the principal is %+v, and the error %v", id, found, err)
		}
	}
}
