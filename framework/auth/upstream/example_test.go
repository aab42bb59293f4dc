package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/auth/upstream"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// The people of a company log in with their Google accounts. Without an app at Google, the
// program doesn't start.
func Example() {
	google := upstream.Google(upstream.Config{
		ClientID:     env.String("GOOGLE_CLIENT_ID", ""),
		ClientSecret: env.String("GOOGLE_CLIENT_SECRET", ""),
		Allow:        upstream.Domain("example.com"),
	})
	server := oauth.New(oauth.Config{Authenticator: google, Store: "sqlite:storage/oauth.db", Drivers: []store.Driver{sqlite.Driver()}})

	app := mcp.New(mcp.Config{URL: "https://mcp.example.com"})
	app.Router.Component(server)
	app.Router.Web("office", &office{}).Guard(server.Guard("mcp:use"))
	fmt.Println(google.Check())
	// Output: upstream.Google: Config.ClientID or ClientSecret is missing; register an app at the provider with the redirect URI <URL of the program>/oauth/callback
}

// A rule of the program's own lets a group of an OpenID provider in.
func ExampleRule() {
	staff := func(_ context.Context, user upstream.Identity) (bool, error) {
		groups, _ := user.Claims["groups"].([]any)
		for _, group := range groups {
			if group == "staff" {
				return true, nil
			}
		}
		return false, nil
	}
	upstream.OIDC(upstream.Config{URL: "https://login.example.com/realms/staff", Allow: staff})
	fmt.Println(staff(context.Background(), upstream.Identity{Claims: map[string]any{"groups": []any{"staff"}}}))
	// Output: true <nil>
}

// A tool calls the API of the provider as the user.
func ExampleProvider_Token() {
	github := upstream.GitHub(upstream.Config{Scopes: []string{"repo"}, Keep: true, Key: []string{"of mcp.Config.Key"}, Allow: upstream.Anyone()})
	issues := func(ctx context.Context, _ *tools.Request) (tools.Result, error) {
		token, err := github.Token(ctx)
		if err != nil {
			return nil, err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.github.com/issues", nil)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+token)
		// ...
		return tools.Text("There are no issues."), nil
	}
	_, err := issues(context.Background(), nil)
	fmt.Println(errors.Is(err, upstream.ErrNoToken))
	// Output: true
}
