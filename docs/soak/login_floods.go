package main

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

// A flood is a request that is sent again and again, with random parts.
type flood struct {
	path    string
	query   func() url.Values // of a GET request
	form    func() url.Values // of a POST request
	json    func() string
	page    bool // belongs to a transaction
	session bool // has the cookie of a session that doesn't exist
	opens   bool // a transaction
	spends  bool // what an address may do a few times, and others need: it waits for the second half

	// The status of the answer and a part of it show that the request got as far as it should. The status is 0 if any
	// answer does.
	what    string
	status  int
	says    string
	reached atomic.Int64
}

// The parts of answers that show how far a request got.
const (
	loginForm     = `name="password"`
	wrongPassword = `role="alert"` // above that form
	wrongGrant    = "invalid_grant"
	inactive      = `"active":false`
)

func nothing() url.Values { return url.Values{} }

// fields returns a function that returns a form or query, with new values for the functions among its pairs.
func fields(pairs ...any) func() url.Values {
	return func() url.Values {
		made := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			name, _ := pairs[i].(string)
			switch value := pairs[i+1].(type) {
			case string:
				made.Set(name, value)
			case func() string:
				made.Set(name, value())
			}
		}
		return made
	}
}

// authorization returns the query of an authorization request.
func authorization(client, state any) func() url.Values {
	return fields("response_type", "code", "client_id", client, "state", state, "code_challenge", challenge, "code_challenge_method", "S256")
}

// opening returns the flood of authorization requests whose transactions are as large as they can be: JSON escapes each
// character of the state with six bytes.
func (a *attacker) opening() *flood {
	return &flood{what: "a large state", path: "/oauth/authorize", query: authorization(a.public, strings.Repeat("<", 4<<10)), opens: true, status: http.StatusSeeOther}
}

// floods returns floods for each endpoint. Those with a status get as far as a stranger can. The others are refused early,
// and are as large as endpoints allow and larger.
func (a *attacker) floods() []*flood {
	long, padding := strings.Repeat("x", 60_000), strings.Repeat("<", 13_000)
	document := func() string { return "https://" + strings.ToLower(rand.Text()) + ".invalid/client.json" }
	name := func() string { return strings.ToLower(rand.Text()) + long[:254-26] }
	code := fields("grant_type", "authorization_code", "client_id", a.public, "code", secret, "code_verifier", verifier)
	refresh := fields("grant_type", "refresh_token", "client_id", a.public, "refresh_token", secret)
	revoked, forged := fields("client_id", a.public, "token", secret), fields("client_id", a.public, "token", a.forged)
	large := fields("name", name, "password", long)
	return []*flood{
		a.opening(),
		{what: "a page", path: "/oauth/login", query: nothing, page: true, status: http.StatusOK, says: loginForm},
		{what: "new names", path: "/oauth/login", form: fields("name", name, "password", long[:1024]), page: true, status: http.StatusForbidden, says: wrongPassword},
		{what: "one name", path: "/oauth/login", form: fields("name", "ana", "password", rand.Text), page: true, status: http.StatusForbidden, says: wrongPassword},
		{what: "a wrong session", path: "/oauth/consent", form: fields("decision", "approve", "scope", "mcp:use"), page: true, session: true, status: http.StatusSeeOther},
		{path: "/oauth/account", form: fields("name", "ana", "password", rand.Text, "new", rand.Text), session: true, spends: true},
		{path: "/oauth/callback", query: fields("state", rand.Text)},
		{what: "a wrong code", path: "/oauth/token", form: code, status: http.StatusBadRequest, says: wrongGrant},
		{what: "a wrong refresh token", path: "/oauth/token", form: refresh, status: http.StatusBadRequest, says: wrongGrant},
		{what: "an assertion and a code", path: "/oauth/token", form: a.asserted(code), status: http.StatusBadRequest, says: wrongGrant},
		{what: "an assertion and a refresh token", path: "/oauth/token", form: a.asserted(refresh), status: http.StatusBadRequest, says: wrongGrant},
		{what: "a wrong refresh token", path: "/oauth/revoke", form: revoked, status: http.StatusOK},
		{what: "a forged access token", path: "/oauth/revoke", form: forged, status: http.StatusOK},
		{what: "an assertion", path: "/oauth/revoke", form: a.asserted(revoked), status: http.StatusOK},
		{what: "an assertion", path: "/oauth/introspect", form: a.asserted(forged), status: http.StatusOK, says: inactive},
		{what: "large keys", path: "/oauth/register", json: func() string { return metadata("private_key_jwt", a.keySet(`"x":"`+padding+`"`)) }, status: http.StatusCreated},

		{path: "/oauth/authorize", query: authorization(rand.Text, rand.Text), spends: true},
		{path: "/oauth/authorize", query: authorization(document, rand.Text), spends: true},
		{path: "/oauth/authorize", query: authorization(rand.Text, long), spends: true},
		{path: "/oauth/account", query: nothing, spends: true},
		{path: "/oauth/login", form: large},
		{path: "/oauth/consent", form: large},
		{path: "/oauth/account", form: large},
		{path: "/oauth/register", json: func() string { return metadata("none", `"`+long+`"`) }},
		{path: "/oauth/register", json: func() string { return metadata("none", "") }, spends: true},
		{path: "/oauth/token", form: fields("grant_type", "refresh_token", "client_id", rand.Text, "refresh_token", rand.Text), spends: true},
		{path: "/oauth/token", form: fields("grant_type", "authorization_code", "client_id", document, "code", long, "code_verifier", verifier)},
		{path: "/oauth/revoke", form: fields("client_id", rand.Text, "token", rand.Text), spends: true},
		{path: "/oauth/introspect", form: fields("client_id", rand.Text, "client_secret", rand.Text, "token", long), spends: true},
		{path: "/oauth/jwks", query: nothing},
		{path: "/.well-known/oauth-authorization-server", query: nothing},
		{path: "/.well-known/oauth-protected-resource/mcp", query: nothing},
	}
}
