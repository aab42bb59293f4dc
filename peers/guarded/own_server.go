package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// briefTime is how long access tokens are valid at the route /own/brief. It is shorter than an
// authorization server allows, so that tests need not wait for minutes.
const briefTime = 3 * time.Second

// storeAddress is the address of the store of the program's own authorization server.
const storeAddress = "sqlite:storage/oauth.db"

// An ownServer is an authorization server that tells clients the shorter lifetime of their
// access tokens.
type ownServer struct{ *oauth.Server }

// Open also adds a client to the store whose ID is the URL of a document. A client in the store
// wins over its document, so nobody fetches it.
func (s ownServer) Open(ctx context.Context, site mcp.Site) error {
	if err := s.Server.Open(ctx, site); err != nil {
		return err
	}
	clients, err := store.Open(ctx, storeAddress, sqlite.Driver())
	if err != nil {
		return err
	}
	return errors.Join(clients.CreateClient(ctx, store.Client{
		ID: "https://interop.example/client.json", Source: store.Static, Name: "interop",
		RedirectURIs: []string{"http://127.0.0.1/callback", "http://127.0.0.1/oauth/callback"}, Created: time.Now(),
	}), clients.Close())
}

func (s ownServer) Endpoints(prefix string) ([]mcp.Endpoint, error) {
	endpoints, err := s.Server.Endpoints(prefix)
	for i, endpoint := range endpoints {
		if strings.HasSuffix(endpoint.Path, "/token") {
			endpoints[i].Handler = briefly(endpoint.Handler)
		}
	}
	return endpoints, err
}

// briefly replaces the lifetime in the answers of a token endpoint.
func briefly(token http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		inner := httptest.NewRecorder()
		token.ServeHTTP(inner, r)
		text, answer := inner.Body.Bytes(), map[string]any{}
		if inner.Code == http.StatusOK && json.Unmarshal(text, &answer) == nil {
			answer["expires_in"] = int(briefTime.Seconds())
			text, _ = json.Marshal(answer)
		}
		for name, values := range inner.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		w.WriteHeader(inner.Code)
		_, _ = w.Write(text)
	}
}

// A briefVerifier refuses the access tokens of the server after the shorter lifetime.
type briefVerifier struct{ auth.Verifier }

func (v briefVerifier) Verify(ctx context.Context, token, resource string) (exchange.Principal, error) {
	principal, err := v.Verifier.Verify(ctx, token, resource)
	issued, _ := principal.Claims["iat"].(float64)
	principal.Expires = time.Unix(int64(issued), 0).Add(briefTime)
	if err == nil && !time.Now().Before(principal.Expires) {
		err = &auth.TokenError{Reason: "The access token has expired"}
	}
	return principal, err
}
