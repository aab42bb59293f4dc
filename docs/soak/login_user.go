package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// The client of the attacked login, and its proof (RFC 7636).
const (
	redirectURI = "http://127.0.0.1:9/callback"
	verifier    = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge   = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// A user is an honest client whose user has logged in.
type user struct {
	*client
	server string // the issuer
	id     string
	token  string // the refresh token
}

// newUser registers a client at 127.0.0.1 and lets ana log in.
func newUser(ctx context.Context, address string) (*user, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	u := &user{client: newClient(address, 1, 2), server: "http://" + address}
	u.http.Jar = jar
	u.http.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), redirectURI) {
			return http.ErrUseLastResponse
		}
		return nil
	}
	var client struct {
		ID string `json:"client_id"`
	}
	if err := u.post(ctx, "/oauth/register", "application/json", `{"redirect_uris":["`+redirectURI+`"],"token_endpoint_auth_method":"none"}`, &client); err != nil {
		return nil, err
	}
	u.id = client.ID
	code, err := u.allow(ctx)
	if err != nil {
		return nil, err
	}
	return u, u.tokens(ctx, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}})
}

// allow lets ana log in and allow the client, and returns the code.
func (u *user) allow(ctx context.Context) (code string, err error) {
	query := url.Values{"response_type": {"code"}, "client_id": {u.id}, "redirect_uri": {redirectURI}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}}
	response, page, err := u.do(ctx, http.MethodGet, u.server+"/oauth/authorize?"+query.Encode(), "", "")
	for _, fields := range []url.Values{{"name": {"ana"}, "password": {"correct horse"}}, {"decision": {"approve"}, "scope": {"mcp:use"}}} {
		if err != nil {
			return "", err
		}
		csrf, action := regexp.MustCompile(`name="csrf" value="([^"]*)"`).FindStringSubmatch(page), regexp.MustCompile(`action="([^"]*)"`).FindStringSubmatch(page)
		if csrf == nil || action == nil {
			return "", fmt.Errorf("the page has no form: %s", page)
		}
		fields.Set("csrf", csrf[1])
		response, page, err = u.do(ctx, http.MethodPost, html.UnescapeString(action[1]), "application/x-www-form-urlencoded", fields.Encode())
	}
	if err != nil {
		return "", err
	}
	location, err := response.Location()
	if err != nil {
		return "", fmt.Errorf("the client is not answered: %s", page)
	}
	return location.Query().Get("code"), nil
}

// refresh exchanges the refresh token for the next one.
func (u *user) refresh(ctx context.Context) error {
	return u.tokens(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {u.token}})
}

// tokens asks for tokens, and keeps the refresh token.
func (u *user) tokens(ctx context.Context, form url.Values) error {
	form.Set("client_id", u.id)
	var answer struct {
		Refresh string `json:"refresh_token"`
	}
	err := u.post(ctx, "/oauth/token", "application/x-www-form-urlencoded", form.Encode(), &answer)
	if err == nil {
		u.token = answer.Refresh
	}
	return err
}

// post sends a body and decodes the answer.
func (u *user) post(ctx context.Context, path, kind, body string, into any) error {
	response, text, err := u.do(ctx, http.MethodPost, u.server+path, kind, body)
	if err != nil {
		return err
	}
	return decode(response, text, into)
}

// decode decodes an answer.
func decode(response *http.Response, text string, into any) error {
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s is answered with %s: %s", response.Request.URL.Path, response.Status, text)
	}
	return json.Unmarshal([]byte(text), into)
}

func (u *user) do(ctx context.Context, method, address, kind, body string) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Origin", u.server)
	return u.send(r)
}
