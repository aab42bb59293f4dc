package oauth_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

const (
	callback  = "http://127.0.0.1:9/callback"
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// An agent is a public client of a program. Its methods return an error if the program doesn't
// answer, and a refusal if it answers with an error.
type agent struct {
	url    string // of the program
	client func() *http.Client
	id     string // "" before it has registered
	code   string // "" before a user has allowed it
}

// A refusal is the error of an answer, such as "invalid_grant".
type refusal string

func (r refusal) Error() string { return "the answer is " + string(r) }

// tokens are those of an answer.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// post sends a form to an endpoint, and decodes the answer.
func (a *agent) post(ctx context.Context, path string, form url.Values, into any) error {
	form.Set("client_id", a.id)
	w, text, err := send(ctx, a.client(), http.MethodPost, a.url+path, "application/x-www-form-urlencoded", form.Encode())
	return decode(w, text, err, into)
}

// fresh returns a client that keeps no connections to a program that may be killed.
func fresh() *http.Client { return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} }

func decode(w *http.Response, text string, err error, into any) error {
	if err != nil {
		return err
	}
	if w.StatusCode >= http.StatusBadRequest {
		var refused struct{ Error string }
		_ = json.Unmarshal([]byte(text), &refused)
		return refusal(refused.Error)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal([]byte(text), into)
}

// register registers the client.
func (a *agent) register(ctx context.Context) error {
	w, text, err := send(ctx, a.client(), http.MethodPost, a.url+"/oauth/register", "application/json", `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`)
	var client struct {
		ID string `json:"client_id"`
	}
	err = decode(w, text, err, &client)
	a.id = client.ID
	return err
}

// login lets a user log in with a new browser and allow the client.
func (a *agent) login(ctx context.Context, user string) error {
	return a.ask(ctx, "/mcp/office", "", user, "mcp:use")
}

// ask asks for scopes of a route. A user logs in with a new browser and allows those that are
// ticked.
func (a *agent) ask(ctx context.Context, path, scope, user string, ticked ...string) error {
	return a.askIn(ctx, newWebBrowser(a.url, a.client), path, scope, user, ticked...)
}

// loginIn lets the user of a browser allow the client.
func (a *agent) loginIn(ctx context.Context, b *webBrowser, user string) error {
	return a.askIn(ctx, b, "/mcp/office", "", user, "mcp:use")
}

func (a *agent) askIn(ctx context.Context, b *webBrowser, path, scope, user string, ticked ...string) error {
	query := url.Values{
		"response_type": {"code"}, "client_id": {a.id}, "redirect_uri": {callback}, "resource": {a.url + path}, "scope": {scope}, "code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}
	answer, err := b.authorize(ctx, a.url+"/oauth/authorize?"+query.Encode(), user, ticked...)
	a.code = answer.Get("code")
	return err
}

func (a *agent) redeem(ctx context.Context) (got tokens, err error) {
	err = a.post(ctx, "/oauth/token", url.Values{"grant_type": {"authorization_code"}, "code": {a.code}, "code_verifier": {verifier}}, &got)
	return got, err
}

func (a *agent) refresh(ctx context.Context, token string) (got tokens, err error) {
	err = a.post(ctx, "/oauth/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}, &got)
	return got, err
}

func (a *agent) revoke(ctx context.Context, token string) error {
	return a.post(ctx, "/oauth/revoke", url.Values{"token": {token}}, nil)
}

// call calls a tool of the office.
func (a *agent) call(ctx context.Context, token string) error {
	w, text, err := send(ctx, a.client(), http.MethodPost, a.url+"/mcp/office", "application/json", whoami, "Authorization", "Bearer "+token, "Accept", "application/json, text/event-stream",
		"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "whoami")
	return decode(w, text, err, nil)
}
