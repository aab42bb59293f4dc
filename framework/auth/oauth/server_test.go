package oauth

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
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
		`Config.Scopes has "", which can't be a scope`:                                            func(c *Config) { c.Scopes = map[string]string{"": ""} },
		`Config.Scopes has "café", which can't be a scope`:                                        func(c *Config) { c.Scopes = map[string]string{"café": ""} },
		`Config.Scopes has "a\"b", which can't be a scope`:                                        func(c *Config) { c.Scopes = map[string]string{`a"b`: ""} },
		`Config.Scopes has "a\\b", which can't be a scope`:                                        func(c *Config) { c.Scopes = map[string]string{`a\b`: ""} },
		"Config.AccessTime is 25h0m0s; set it to a time from 1m0s to 24h0m0s":                     func(c *Config) { c.AccessTime = 25 * time.Hour },
		"Config.IdleTime is 1m0s, which is less than Config.AccessTime, 10m0s":                    func(c *Config) { c.IdleTime = time.Minute },
		"Config.IdleTime is 1h0m0s, which is less than Config.PublicAccessTime, 2h0m0s":           func(c *Config) { c.IdleTime, c.PublicAccessTime = time.Hour, 2*time.Hour },
		"Config.PublicAccessTime is 48h0m0s; set it to a time from 1m0s to 24h0m0s":               func(c *Config) { c.PublicAccessTime = 48 * time.Hour },
		"Config.Limits.Registrations is -1; set it to 1 or more, or to 0 for the default of 100":  func(c *Config) { c.Limits.Registrations = -1 },
		"Config.AccessTime is 1s; set it to a time from 1m0s to 24h0m0s":                          func(c *Config) { c.AccessTime = time.Second },
		"Config.PublicAccessTime is 24h0m1s; set it to a time from 1m0s to 24h0m0s":               func(c *Config) { c.PublicAccessTime = 24*time.Hour + time.Second },
		"Config.PublicAccessTime is 59s; set it to a time from 1m0s to 24h0m0s":                   func(c *Config) { c.PublicAccessTime = 59 * time.Second },
		`Config.IdentityProviders: auth.JWT: Issuer.URL "login.example.com"`:                      func(c *Config) { c.IdentityProviders = []auth.Issuer{{URL: "login.example.com"}} },
		"Config.IdentityProviders has https://login.example.com twice":                            func(c *Config) { c.IdentityProviders = []auth.Issuer{{URL: company}, {URL: company}} },
		"with Audiences, Claims or Implies, which its assertions don't have":                      func(c *Config) { c.IdentityProviders = []auth.Issuer{{URL: company, Audiences: []string{"x"}}} },
		"Config.TotalTime is 1h0m0s, which is less than Config.IdleTime":                          func(c *Config) { c.TotalTime = time.Hour },
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
	err := New(config).Open(t.Context(), mcp.Site{URL: "https://example.com"})
	if err == nil || !strings.Contains(err.Error(), "there are no keys at "+path) || !strings.Contains(err.Error(), "make them with: mcp key:generate, or set OAUTH_PRIVATE_KEY") {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("keys were made for a public program")
	}
	for range 2 {
		server := New(config)
		if err := server.Open(t.Context(), mcp.Site{URL: "http://127.0.0.1:8080", Loopback: true}); err != nil {
			t.Fatal(err)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
	config.Keys, config.PrivateKey = "", "not a key"
	if err := New(config).Open(t.Context(), mcp.Site{URL: "https://example.com"}); err == nil || !strings.Contains(err.Error(), "Config.PrivateKey (OAUTH_PRIVATE_KEY)") {
		t.Errorf("the error is %v", err)
	}
	config.PrivateKey, config.Keys, config.Store = "", path, "postgres://:hunter2@127.0.0.1/app"
	if err := New(config).Open(t.Context(), mcp.Site{URL: "https://example.com"}); err == nil || !strings.Contains(err.Error(), "add postgres.Driver()") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error is %v", err)
	}
}

func TestAServerNeedsTheURLOfTheProgram(t *testing.T) {
	t.Parallel()
	config := Config{Authenticator: door{}, Store: "memory:", Drivers: []store.Driver{memory.Driver()}, Keys: filepath.Join(t.TempDir(), "oauth.keys")}
	for url, want := range map[string]string{
		"":                   "oauth: clients need the program's URL; set Config.URL (APP_URL), such as https://example.com",
		"http://example.com": `oauth: the URL "http://example.com" must begin with https://, since clients send their tokens to it`,
	} {
		if err := New(config).Open(t.Context(), mcp.Site{URL: url}); err == nil || err.Error() != want {
			t.Errorf("%q: the error is %v, want %s", url, err, want)
		}
	}
}

func TestTheLogSaysWhereTheStoreIs(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"sqlite:storage/oauth.db":                           "sqlite:storage/oauth.db",
		"postgres://app:hunter2@127.0.0.1/app?password=two": "postgres://app:xxxxx@127.0.0.1/app",
		"redis://:hunter2@127.0.0.1:6379/0":                 "redis://:xxxxx@127.0.0.1:6379/0",
		"postgres://app:%zz@127.0.0.1/app":                  "postgres:",
	} {
		if got := withoutPassword(address); got != want {
			t.Errorf("%s is logged as %s, want %s", address, got, want)
		}
	}
	f := newFixture(t)
	if want := `msg="the authorization server is open" issuer=https://example.com store="?` + regexp.QuoteMeta(withoutPassword(f.config.Store)); !regexp.MustCompile(want).MatchString(f.log.String()) {
		t.Errorf("the log is %s", f.log)
	}
}
