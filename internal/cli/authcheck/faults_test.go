package authcheck_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestARightServerHasNoFault(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.useToken(nil)
	for _, token := range []string{"", s.token} {
		report, faults, notes := check(t, s.url, token)
		if len(faults)+len(notes) > 0 {
			t.Errorf("the report of a right server is\n%s", report)
		}
	}
}

// open answers as an MCP server without a guard does.
func open(w http.ResponseWriter) bool {
	serveJSON(w, http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": 1, "result": map[string]any{}})
	return true
}

func answer(w http.ResponseWriter, status int) bool {
	w.WriteHeader(status)
	return true
}

func anonymous(r *http.Request) bool { return r.Header.Get("Authorization") == "" }

// guard plants a fault into the answers to requests that satisfy a condition.
func guard(when func(r *http.Request, body string) bool, do func(http.ResponseWriter) bool) func(*site) {
	return func(s *site) {
		s.guard = func(w http.ResponseWriter, r *http.Request, body string) bool { return when(r, body) && do(w) }
	}
}

func always(*http.Request, string) bool { return true }

func method(names ...string) func(*http.Request, string) bool {
	return func(r *http.Request, body string) bool {
		for _, name := range names {
			if r.Method == name || strings.Contains(body, `"method":"`+name+`"`) {
				return true
			}
		}
		return false
	}
}

func status(code int) func(http.ResponseWriter) bool {
	return func(w http.ResponseWriter) bool { return answer(w, code) }
}

func unknownToken(r *http.Request, _ string) bool {
	return strings.Contains(r.Header.Get("Authorization"), "unknown")
}

// challenge replaces a part of the challenge. ORIGIN stands for the origin of the site.
func challenge(part, other string) func(*site) {
	return func(s *site) {
		s.challenge = strings.Replace(s.challenge, strings.ReplaceAll(part, "ORIGIN", s.origin), strings.ReplaceAll(other, "ORIGIN", s.origin), 1)
	}
}

// metadata sets a member of the resource's metadata, or removes it.
func metadata(name string, value any) func(*site) {
	return func(s *site) { set(s, s.metadata, name, value) }
}

// server sets a member of the authorization server's metadata, or removes it.
func server(name string, value any) func(*site) {
	return func(s *site) { set(s, s.server, name, value) }
}

func set(s *site, members map[string]any, name string, value any) {
	switch value := value.(type) {
	case nil:
		delete(members, name)
	case string:
		members[name] = strings.ReplaceAll(value, "ORIGIN", s.origin)
	default:
		members[name] = value
	}
}

func page(path string, handler http.HandlerFunc) func(*site) {
	return func(s *site) { s.pages[path] = handler }
}

func without(header string) func(*site) {
	return func(s *site) {
		s.pages[resourceWellKnown+"/mcp"] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Del(header)
			serveJSON(w, http.StatusOK, s.metadata)
		}
	}
}

func claim(name string, value any) func(*site) {
	return func(s *site) {
		s.useToken(map[string]any{name: value})
	}
}

func refused(plant func(*site)) func(*site) {
	return func(s *site) {
		plant(s)
		s.accepted = ""
	}
}

// A planted mistake and the beginning of the only fault that the check must find, and a
// part of its fix.
var planted = []struct {
	name  string
	plant func(*site)
	fault string
	fix   string
}{
	// Without a token.
	{"an open server", guard(always, open), "tools/list, server/discover and initialize without a token get 200 OK: anybody", "with Bowline: add .Guard("},
	{"an open method", guard(method("initialize"), open), "initialize without a token gets 200 OK", "token"},
	{"an open stream", guard(method("GET", "HEAD"), open), "GET and HEAD without a token get 200 OK: only POST is guarded", "every method"},
	{"an open server of older versions", func(s *site) {
		s.guard = func(w http.ResponseWriter, r *http.Request, body string) bool {
			if method("initialize")(r, body) {
				return open(w)
			}
			return answer(w, http.StatusBadRequest)
		}
	}, "initialize without a token gets 200 OK: anybody", "token"},
	{"403 instead of 401", guard(always, status(403)), "tools/list, server/discover and initialize without a token get 403 Forbidden", "APP_ALLOWED_HOSTS"},
	{"a wrong path", guard(always, status(404)), "tools/list, server/discover and initialize without a token get 404 Not Found: there is no MCP", "mcp list"},
	{"no POST", guard(always, status(405)), "tools/list, server/discover and initialize without a token get 405", "POST"},
	{"a failing server", guard(always, status(502)), "tools/list, server/discover and initialize without a token get 502 Bad Gateway", "log"},
	{"a throttled check", guard(always, status(429)), "tools/list, server/discover and initialize without a token get 429", "Wait"},
	{"a check before the guard", guard(method("server/discover"), status(400)), "server/discover without a token gets 400 Bad Request", "before anything else"},
	{"a redirect", guard(always, func(w http.ResponseWriter) bool {
		w.Header().Set("Location", "/mcp/")
		return answer(w, http.StatusTemporaryRedirect)
	}), `tools/list, server/discover and initialize without a token get 307 Temporary Redirect, to "/mcp/"`, "serve MCP here"},
	{"a page of something else", guard(always, func(w http.ResponseWriter) bool {
		_, _ = w.Write([]byte("<html>"))
		return true
	}), `tools/list, server/discover and initialize without a token get 200 OK with the Content-Type "text/html; charset=utf-8": this isn't an MCP endpoint`, "URL"},
	{"an error in a 200", guard(always, func(w http.ResponseWriter) bool {
		serveJSON(w, http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": 1, "error": map[string]any{"code": -32001, "message": "no"}})
		return true
	}), "tools/list, server/discover and initialize without a token get 200 OK with the JSON-RPC error -32001", "401"},

	// Challenge.
	{"no challenge", guard(func(r *http.Request, _ string) bool { return anonymous(r) }, status(401)), "The 401 has no header WWW-Authenticate", "resource_metadata="},
	{"no challenge for GET", guard(method("GET", "HEAD", "DELETE"), status(401)), "The 401 for GET, HEAD and DELETE has no Bearer challenge", "each 401"},
	{"another scheme", challenge("Bearer", "Basic"), `The header WWW-Authenticate of the 401 has no Bearer challenge (schemes: "basic")`, "Bearer resource_metadata="},
	{"another scheme first", challenge("Bearer", `Basic realm="a", Bearer`), `The 401 names the scheme "basic" before Bearer`, "first"},
	{"no resource_metadata", challenge(", resource_metadata", ", other"), "The Bearer challenge has no resource_metadata", "/.well-known/oauth-protected-resource/mcp"},
	{"a relative resource_metadata", challenge("ORIGIN", ""), `resource_metadata in WWW-Authenticate is "/.well-known`, "whole URL"},
	{"a value without quotes", challenge(`"mcp:use"`, `mcp:use`), "The header WWW-Authenticate has the value of scope without double quotes", `scope="mcp:use"`},
	{"403 for an unknown token", guard(unknownToken, status(403)), "tools/list with an unknown token gets 403 Forbidden, not 401", "scopes"},
	{"500 for an unknown token", guard(unknownToken, status(500)), "tools/list with an unknown token gets 500", "401"},
	{"any token is accepted", guard(unknownToken, open), "tools/list with an unknown token gets 200 OK: the server accepts any token", "Verify"},

	// Protected resource metadata.
	{"no document", page(resourceWellKnown+"/mcp", answers(404)), "ORIGIN/.well-known/oauth-protected-resource/mcp answers 404", "without a login"},
	{"a document that redirects", page(resourceWellKnown+"/mcp", http.RedirectHandler("/x", http.StatusFound).ServeHTTP), "ORIGIN/.well-known/oauth-protected-resource/mcp redirects (302 Found) to", "this URL"},
	{"a document without JSON", page(resourceWellKnown+"/mcp", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }),
		"ORIGIN/.well-known/oauth-protected-resource/mcp answers 200, but not with a JSON object", "JSON"},
	{"a document that is too large", page(resourceWellKnown+"/mcp", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2<<20)) }),
		"ORIGIN/.well-known/oauth-protected-resource/mcp answers more than 1 MiB", "only the metadata"},
	{"another content type", func(s *site) {
		s.pages[resourceWellKnown+"/mcp"] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_ = json.NewEncoder(w).Encode(s.metadata)
		}
	}, `ORIGIN/.well-known/oauth-protected-resource/mcp has the Content-Type "text/plain"`, "application/json"},
	{"no resource", metadata("resource", nil), "ORIGIN/.well-known/oauth-protected-resource/mcp has no resource", `"resource": "ORIGIN/mcp"`},
	{"a resource of another type", metadata("resource", 1), "resource in ORIGIN/.well-known/oauth-protected-resource/mcp is \"1\"; it must be a string", "Correct"},
	{"a resource with a trailing slash", metadata("resource", "ORIGIN/mcp/"), `resource is "ORIGIN/mcp/", but you used "ORIGIN/mcp": the trailing slash differs`, "ORIGIN/mcp"},
	{"a resource in another case", metadata("resource", "ORIGIN/MCP"), `resource is "ORIGIN/MCP", but you used "ORIGIN/mcp": the case of the path differs`, "ORIGIN/mcp"},
	{"a resource without a path", metadata("resource", "ORIGIN"), `resource is "ORIGIN", but you used "ORIGIN/mcp": the path is missing`, "ORIGIN/mcp"},
	{"a resource on another host", metadata("resource", "https://internal:8080/mcp"), `resource is "https://internal:8080/mcp", but you used "ORIGIN/mcp": you used http, the server says https`, "APP_URL=ORIGIN"},
	{"APP_URL with another name of this machine", func(s *site) {
		other := strings.Replace(s.origin, "127.0.0.1", "localhost", 1)
		s.metadata["resource"] = other + "/mcp"
		s.challenge = strings.Replace(s.challenge, s.origin, other, 1)
	}, `resource is "http://localhost:`, "APP_URL=ORIGIN"},
	{"authorization_server", func(s *site) {
		s.metadata["authorization_server"] = s.metadata["authorization_servers"]
		delete(s.metadata, "authorization_servers")
	}, "ORIGIN/.well-known/oauth-protected-resource/mcp has authorization_server, which clients don't read", "Rename"},
	{"an issuer that isn't in a list", metadata("authorization_servers", "ORIGIN/login"), "authorization_servers in ORIGIN/.well-known/oauth-protected-resource/mcp is", "Correct"},
	{"an issuer without https", metadata("authorization_servers", []string{"http://login.example"}), `authorization_servers has "http://login.example". Clients refuse http://`, "https"},
	{"an issuer with a query", metadata("authorization_servers", []string{"https://login.example/?a=b"}), `authorization_servers has "https://login.example/?a=b". An issuer has no query`, "Remove"},
	{"a relative issuer", metadata("authorization_servers", []string{"login"}), `authorization_servers has "login", which isn't an absolute URL`, "iss"},
	{"tokens in the query only", metadata("bearer_methods_supported", []string{"query"}), "bearer_methods_supported in", `["header"]`},
	{"a document that web pages can't read", without("Access-Control-Allow-Origin"), "ORIGIN/.well-known/oauth-protected-resource/mcp has no Access-Control-Allow-Origin", "*"},
	{"documents for every path", func(s *site) {
		s.unknown = func(w http.ResponseWriter, r *http.Request) {
			path, _ := strings.CutPrefix(r.URL.Path, resourceWellKnown)
			serveJSON(w, http.StatusOK, map[string]any{"resource": s.origin + path})
		}
	}, "ORIGIN/.well-known/oauth-protected-resource/… answers 200 OK for a path that doesn't exist", "404"},

	// Authorization server.
	{"no document of the issuer", page(oauthWellKnown+"/login", answers(404)), "There is no metadata at ORIGIN/.well-known/oauth-authorization-server/login or ORIGIN/.well-known/openid-configuration/login or ORIGIN/login/.well-known/openid-configuration", "issuer"},
	{"a failing document of the issuer", page(oauthWellKnown+"/login", answers(503)), "ORIGIN/.well-known/oauth-authorization-server/login answers 503", "document"},
	{"another issuer", server("issuer", "ORIGIN/login/"), `issuer is "ORIGIN/login/", but authorization_servers has "ORIGIN/login": the trailing slash differs`, "equal"},
	{"no issuer", server("issuer", nil), "ORIGIN/.well-known/oauth-authorization-server/login has no issuer", `"issuer": "ORIGIN/login"`},
	{"no token_endpoint", server("token_endpoint", nil), "ORIGIN/.well-known/oauth-authorization-server/login has no token_endpoint", "Add"},
	{"an authorization_endpoint without https", server("authorization_endpoint", "http://login.example/authorize"), `authorization_endpoint is "http://login.example/authorize"`, "https"},
	{"a relative endpoint", server("authorization_endpoint", "/authorize"), `authorization_endpoint is "/authorize", which isn't an absolute URL`, "whole"},
	{"no code", server("response_types_supported", []string{"token"}), `response_types_supported lacks "code"`, "Add"},
	{"no grant for codes", server("grant_types_supported", []string{"refresh_token"}), `grant_types_supported lacks "authorization_code"`, "Add"},
	{"no PKCE", server("code_challenge_methods_supported", nil), "code_challenge_methods_supported is missing", `["S256"]`},
	{"plain PKCE", server("code_challenge_methods_supported", []string{"plain"}), `code_challenge_methods_supported lacks "S256"`, "Add"},
	{"no public clients", func(s *site) {
		delete(s.server, "registration_endpoint")
		s.server["token_endpoint_auth_methods_supported"] = []string{"client_secret_basic"}
	}, `client_id_metadata_document_supported is true, but token_endpoint_auth_methods_supported lacks "none"`, "Add"},
	{"a token endpoint that isn't there", page("/login/token", answers(404)), `POST to token_endpoint ("ORIGIN/login/token") gets 404`, "URL"},
	{"no keys", page("/login/jwks", func(w http.ResponseWriter, _ *http.Request) { serveJSON(w, 200, map[string]any{"keys": []any{}}) }), `jwks_uri ("ORIGIN/login/jwks") has no keys`, "public keys"},
	{"keys that aren't there", page("/login/jwks", answers(404)), `jwks_uri ("ORIGIN/login/jwks") answers 404`, "keys"},

	// Token.
	{"a token for another audience", refused(claim("aud", []string{"https://other.example", "x"})), `aud of the token is "https://other.example x"; it lacks the resource "ORIGIN/mcp"`, "Audiences"},
	{"a token without an audience", refused(claim("aud", nil)), "The token has no aud", "resource="},
	{"a token of another issuer", refused(claim("iss", "https://other.example")), `iss of the token is "https://other.example", which isn't in authorization_servers`, "list"},
	{"an expired token", refused(claim("exp", time.Now().Add(-time.Hour).Unix())), "The token expired 1h", "new"},
	{"an expired token that is accepted", claim("exp", time.Now().Add(-time.Hour).Unix()), "The token expired 1h", "Refuse expired tokens"},
	{"a token of the future", refused(claim("nbf", time.Now().Add(time.Hour).Unix())), "The token isn't valid yet", "clocks"},
	{"an ID token", refused(claim("nonce", "a")), "The token is an ID token or a refresh token", "access_token"},
	{"an ID token that is accepted", claim("typ", "ID"), "The token is an ID token or a refresh token", "Refuse such tokens"},
	{"a right token that is refused", refused(claim("sub", "a")), "server/discover with the token gets 401 Unauthorized.", "log"},
	{"403 without a challenge", func(s *site) {
		s.useToken(nil)
		s.guard = func(w http.ResponseWriter, r *http.Request, _ string) bool {
			return strings.Contains(r.Header.Get("Authorization"), s.token) && answer(w, 403)
		}
	}, "server/discover with the token gets 403 Forbidden without a Bearer challenge", "insufficient_scope"},
	{"a token in the query", func(s *site) {
		s.useToken(nil)
		s.guard = func(w http.ResponseWriter, r *http.Request, _ string) bool {
			return r.URL.Query().Get("access_token") == s.token && open(w)
		}
	}, "The server accepts the token in the query", "header Authorization only"},
}

func TestEachPlantedMistakeIsTheOnlyFault(t *testing.T) {
	t.Parallel()
	for _, test := range planted {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			test.plant(s)
			report, faults, _ := check(t, s.url, s.token)
			wantFault, wantFix := strings.ReplaceAll(test.fault, "ORIGIN", s.origin), strings.ReplaceAll(test.fix, "ORIGIN", s.origin)
			if len(faults) != 1 || !strings.HasPrefix(faults[0], wantFault) {
				t.Fatalf("the faults are %q, want only %q\n%s", faults, wantFault, report)
			}
			if _, fix, _ := strings.Cut(faults[0], " Fix: "); !strings.Contains(fix, wantFix) {
				t.Errorf("the fix is %q, want one with %q", fix, wantFix)
			}
		})
	}
}
