package authcheck_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRecommendationsAreNotes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		plant func(*site)
		note  string // the beginning of the only note
	}{
		{"GET isn't allowed", guard(method("GET", "HEAD", "DELETE"), status(405)), "GET, HEAD and DELETE without a token get 405 Method Not Allowed"},
		{"no scope", challenge(`scope="mcp:use", `, ""), "The Bearer challenge has no scope"},
		{"offline_access in the challenge", challenge("mcp:use", "mcp:use offline_access"), "scope in the challenge has offline_access"},
		{"an error without a token", func(s *site) {
			s.guard = func(w http.ResponseWriter, r *http.Request, _ string) bool {
				w.Header().Set("WWW-Authenticate", s.challenge+`, error="invalid_token"`)
				return answer(w, 401)
			}
		}, `The challenge has error="invalid_token" although no token was sent`},
		{"no error for an unknown token", func(s *site) {
			s.guard = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
				w.Header().Set("WWW-Authenticate", s.challenge)
				return answer(w, 401)
			}
		}, "tools/list with an unknown token gets 401 Unauthorized without error."},
		{"another error for an unknown token", func(s *site) {
			s.guard = func(w http.ResponseWriter, r *http.Request, _ string) bool {
				if anonymous(r) {
					return false
				}
				w.Header().Set("WWW-Authenticate", s.challenge+`, error="invalid_request"`)
				return answer(w, 401)
			}
		}, `tools/list with an unknown token gets 401 Unauthorized with error="invalid_request"`},

		{"no authorization server", metadata("authorization_servers", nil), "authorization_servers is missing or empty. Clients can't log in by themselves; they need a token that you give them."},
		{"offline_access in the metadata", metadata("scopes_supported", []string{"offline_access"}), "scopes_supported in ORIGIN/.well-known/oauth-protected-resource/mcp has offline_access"},
		{"a document elsewhere", func(s *site) {
			s.challenge = strings.Replace(s.challenge, resourceWellKnown+"/mcp", "/metadata", 1)
			s.pages["/metadata"] = func(w http.ResponseWriter, _ *http.Request) { serveJSON(w, 200, s.metadata) }
			s.pages[resourceWellKnown+"/mcp"] = http.NotFound
		}, "ORIGIN/.well-known/oauth-protected-resource/mcp answers 404 Not Found. Clients that ignore the challenge look there"},
		{"another document at the path", func(s *site) {
			s.challenge = strings.Replace(s.challenge, resourceWellKnown+"/mcp", "/metadata", 1)
			s.pages["/metadata"] = func(w http.ResponseWriter, _ *http.Request) { serveJSON(w, 200, s.metadata) }
			s.pages[resourceWellKnown+"/mcp"] = func(w http.ResponseWriter, _ *http.Request) {
				serveJSON(w, 200, map[string]any{"resource": "https://other.example"})
			}
		}, `ORIGIN/.well-known/oauth-protected-resource/mcp names another resource: "https://other.example"`},
		{"a document on another host", func(s *site) {
			s.challenge = strings.Replace(s.challenge, "127.0.0.1", "localhost", 1)
		}, "resource_metadata is on http://localhost:"},
		{"no preflight", func(s *site) {
			s.pages[resourceWellKnown+"/mcp"] = func(w http.ResponseWriter, r *http.Request) {
				w.Header().Del("Access-Control-Allow-Headers")
				serveJSON(w, 200, s.metadata)
			}
		}, "OPTIONS ORIGIN/.well-known/oauth-protected-resource/mcp doesn't allow the header MCP-Protocol-Version"},

		{"no iss", server("authorization_response_iss_parameter_supported", nil), "authorization_response_iss_parameter_supported isn't true"},
		{"no registration", func(s *site) {
			delete(s.server, "registration_endpoint")
			delete(s.server, "client_id_metadata_document_supported")
		}, "There is neither client_id_metadata_document_supported nor registration_endpoint. Clients need an id that you register by hand."},
		{"no public clients", server("token_endpoint_auth_methods_supported", nil), `client_id_metadata_document_supported is true, but token_endpoint_auth_methods_supported lacks "none"`},
		{"no refresh", server("grant_types_supported", []string{"authorization_code"}), `grant_types_supported lacks "refresh_token"`},
		{"no offline_access", server("scopes_supported", []string{"mcp:use"}), `scopes_supported lacks "offline_access"`},
		{"a token endpoint that web pages can't use", page("/login/token", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Del("Access-Control-Allow-Origin")
			w.WriteHeader(400)
		}), "token_endpoint has no Access-Control-Allow-Origin"},
		{"a document that web pages can't read", func(s *site) {
			s.pages[oauthWellKnown+"/login"] = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Del("Access-Control-Allow-Origin")
				serveJSON(w, 200, s.server)
			}
		}, "ORIGIN/.well-known/oauth-authorization-server/login has no Access-Control-Allow-Origin"},

		{"another audience that is accepted", claim("aud", "app-id"), `aud of the token is "app-id"; it lacks the resource "ORIGIN/mcp". The server accepts it. Fix: That is right only if`},
		{"another issuer that is accepted", claim("iss", "https://other.example"), `iss of the token is "https://other.example"`},
		{"no end", claim("exp", nil), "The token has no exp"},
		{"a token that expired a moment ago", claim("exp", time.Now().Add(-time.Minute).Unix()), "The token expired"},
		{"a token without a scope", claim("scope", "other"), `scope of the token lacks "mcp:use" of the challenge`},
		{"scopes that are missing", func(s *site) {
			s.useToken(nil)
			s.guard = func(w http.ResponseWriter, r *http.Request, _ string) bool {
				if !strings.Contains(r.Header.Get("Authorization"), s.token) {
					return false
				}
				w.Header().Set("WWW-Authenticate", strings.Replace(s.challenge, "mcp:use", "admin", 1)+`, error="insufficient_scope"`)
				return answer(w, 403)
			}
		}, `server/discover with the token gets 403 Forbidden: the token lacks scopes. The server wants "admin"`},
		{"another clock", func(s *site) {
			s.useToken(map[string]any{"exp": time.Now().Add(3 * time.Hour).Unix()})
			s.guard = func(w http.ResponseWriter, _ *http.Request, _ string) bool {
				w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
				return false
			}
		}, "The server's clock differs from this machine's by"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			test.plant(s)
			report, faults, notes := check(t, s.url, s.token)
			want := strings.ReplaceAll(test.note, "ORIGIN", s.origin)
			if len(faults) != 0 || len(notes) != 1 || !strings.HasPrefix(notes[0], want) {
				t.Errorf("the faults are %q and the notes %q, want only the note %q\n%s", faults, notes, want, report)
			}
		})
	}
}

func TestOtherRightServersHaveNoFault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		plant func(*site)
	}{
		{"a document by OpenID Connect", func(s *site) {
			s.pages[oauthWellKnown+"/login"] = http.NotFound
			s.pages["/login"+openIDWellKnown] = func(w http.ResponseWriter, _ *http.Request) { serveJSON(w, 200, s.server) }
		}},
		{"only dynamic registration", server("client_id_metadata_document_supported", false)},
		{"tokens that aren't JWTs", func(s *site) { s.token, s.accepted = "opaque.token", "opaque.token" }},
		{"several audiences and scopes in scp", func(s *site) {
			s.useToken(map[string]any{"aud": []string{"x", s.url}, "scope": nil, "scp": []string{"a", "mcp:use"}})
		}},
		{"a document at the root", func(s *site) {
			s.pages[resourceWellKnown] = func(w http.ResponseWriter, _ *http.Request) { serveJSON(w, 200, s.metadata) }
		}},
		{"a document of another server at the root", func(s *site) {
			s.pages[resourceWellKnown] = func(w http.ResponseWriter, _ *http.Request) {
				serveJSON(w, 200, map[string]any{"resource": "https://other.example"})
			}
		}},
		{"a challenge among others", challenge("Bearer ", `bearer realm="a, \"b\"", `)},
		{"a web page that the server allows by name", func(s *site) {
			s.pages[resourceWellKnown+"/mcp"] = func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
				serveJSON(w, 200, s.metadata)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			test.plant(s)
			if report, faults, notes := check(t, s.url, s.token); len(faults)+len(notes) > 0 {
				t.Errorf("the report is\n%s", report)
			}
		})
	}
}

func TestASessionThatTheCheckBeginsIsEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.useToken(nil)
	var ended []string
	s.guard = func(w http.ResponseWriter, r *http.Request, body string) bool {
		switch {
		case anonymous(r) || unknownToken(r, body):
			return false
		case r.Method == http.MethodDelete:
			ended = append(ended, r.Header.Get("Mcp-Session-Id"))
			return answer(w, 200)
		case method("initialize")(r, body):
			w.Header().Set("Mcp-Session-Id", "s1")
			return open(w)
		}
		return answer(w, 400)
	}
	if report, faults, _ := check(t, s.url, s.token); len(faults) > 0 {
		t.Errorf("the report is\n%s", report)
	}
	if !slices.Equal(ended, []string{"s1"}) {
		t.Errorf("the sessions %q were ended", ended)
	}
}
