package oauth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

func TestMistakesInTheConfigurationAreNamed(t *testing.T) {
	t.Parallel()
	good := Config{Authenticator: door{}, Store: "memory:", Drivers: []store.Driver{memory.Driver()}}
	if _, err := New(good).Endpoints(""); err != nil {
		t.Fatal(err)
	}
	for want, alter := range map[string]func(*Config){
		"Config.Authenticator is missing; set it to what logs users in, such as login.Password()": func(c *Config) { c.Authenticator = nil },
		"Config.Store is missing; set it, such as to sqlite:storage/oauth.db (OAUTH_STORE)":       func(c *Config) { c.Store = "" },
		`Config.Scopes has "a b", which can't be a scope`:                                         func(c *Config) { c.Scopes = map[string]string{"a b": ""} },
		`Config.Scopes has "openid", which is a scope of OpenID Connect and grants nothing`:       func(c *Config) { c.Scopes = map[string]string{"openid": ""} },
		`Config.DefaultScopes has "admin", which Config.Scopes lacks`:                             func(c *Config) { c.DefaultScopes = []string{"admin"} },
		"Config.AccessTime is 1s; set it to a time from 1m0s to 24h0m0s":                          func(c *Config) { c.AccessTime = time.Second },
		"must not become shorter": func(c *Config) { c.TotalTime = time.Hour },
	} {
		config := good
		alter(&config)
		if _, err := New(config).Endpoints(""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q in it", err, want)
		}
	}
}

func TestKeysAreMadeOnlyOnLoopback(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "storage", "oauth.keys")
	config := Config{Authenticator: door{}, Store: "memory:", Drivers: []store.Driver{memory.Driver()}, Keys: path}
	err := New(config).Open(t.Context(), mcp.OAuthSite{URL: "https://example.com"})
	if err == nil || !strings.Contains(err.Error(), "there are no keys at "+path) || !strings.Contains(err.Error(), "openssl genpkey") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("keys were made for a public program")
	}
	for range 2 {
		server := New(config)
		if err := server.Open(t.Context(), mcp.OAuthSite{URL: "http://127.0.0.1:8080", Loopback: true}); err != nil {
			t.Fatal(err)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
	config.Keys, config.PrivateKey = "", "not a key"
	if err := New(config).Open(t.Context(), mcp.OAuthSite{URL: "https://example.com"}); err == nil || !strings.Contains(err.Error(), "Config.PrivateKey (OAUTH_PRIVATE_KEY)") {
		t.Errorf("the error is %v", err)
	}
	config.PrivateKey, config.Keys, config.Store = "", path, "postgres://:hunter2@127.0.0.1/app"
	if err := New(config).Open(t.Context(), mcp.OAuthSite{URL: "https://example.com"}); err == nil || !strings.Contains(err.Error(), "add postgres.Driver()") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error is %v", err)
	}
}

// A login session ends what a disabled user can do when the next token is due.
func TestADisabledUserGetsNoMoreTokens(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if err := f.store.CreateUser(t.Context(), store.User{ID: "u1", Name: "ana", Created: time.Now()}); err != nil {
		t.Fatal(err)
	}
	tokens := f.login(t)
	if err := f.store.UpdateUser(t.Context(), store.User{ID: "u1", Disabled: true}); err != nil {
		t.Fatal(err)
	}
	form := map[string][]string{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {tokens.RefreshToken}}
	refuses(t, "a disabled user", f.post(tokenPath, form), 400, "invalid_grant")
}
