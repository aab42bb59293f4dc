package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
)

// The client of the attacks, and its proof (RFC 7636).
const (
	redirectURI = "http://127.0.0.1:9/callback"
	verifier    = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge   = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// A user is an honest client whose user has logged in.
type user struct{ authtest.Tokens }

// newUser registers a client and lets ana log in.
func newUser(address string) (*user, error) {
	failed := &failure{}
	u := &user{authtest.Login(failed, "http://"+address+"/mcp",
		url.Values{"name": {"ana"}, "password": {"correct horse"}}, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}})}
	return u, failed.err
}

// A failure keeps the error of a login, in place of a test.
type failure struct{ err error }

func (*failure) Helper()        {}
func (*failure) Cleanup(func()) {}

// Fatal keeps the error.
func (f *failure) Fatal(args ...any) { f.err = errors.New(fmt.Sprint(args...)) }

// refresh exchanges the refresh token for the next one.
func (u *user) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {u.Refresh}, "client_id": {u.Client}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.Endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	return decode(response, string(text), &u.Tokens)
}

// decode decodes an answer.
func decode(response *http.Response, text string, into any) error {
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s is answered with %s: %s", response.Request.URL.Path, response.Status, text)
	}
	return json.Unmarshal([]byte(text), into)
}
