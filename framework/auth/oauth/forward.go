package oauth

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// callbackPath is the path to which other servers send browsers back.
const callbackPath = "/oauth/callback"

// An Upstream is an [Authenticator] that lets another server log users in, such as those of
// package auth/upstream.
type Upstream interface {
	Authenticator

	// Check returns the mistakes in its configuration. They keep the program from starting.
	Check() error

	// Open gives it the issuer of this server and the store, before the first login. A record
	// of a user has to live for the given time after a login.
	Open(issuer string, records store.Values, lifetime time.Duration)

	// CheckUser returns store.ErrRevoked for a user who may no longer log in. It is called
	// when a client renews its tokens, and at most every 4 seconds for a user whose tokens are
	// used.
	CheckUser(ctx context.Context, id string) error
}

// A Button leads to another server that logs the user in.
type Button struct {
	Name   string   // of the other server, such as GitHub
	URL    string   // of the other server
	Scopes []string // that the other server will be asked for
}

// A forwardPage has the contents of the page with a button.
type forwardPage struct {
	requester
	Button       Button
	Action, CSRF string
}

// Button writes the login page with a button, which posts a form to the same URL. The page
// names the client and the host of its redirect URI, so that the user consents before the
// other server, which may know the user, is asked.
func (r *LoginRequest) Button(w http.ResponseWriter, button Button) {
	s, t := r.server, r.transaction
	page := forwardPage{requester: t.requester(r.client), Button: button, Action: s.pageURL(loginPath, t), CSRF: t.CSRF}
	if r.Switches() {
		page.Action += "&switch"
	}
	// A browser checks every redirect that follows a form, and the other server may hand over
	// to a third one.
	source := "https:"
	if !strings.HasPrefix(button.URL, source) {
		source = metadata.Source(button.URL)
	}
	s.page(w, r.Request, http.StatusOK, pages.Forward, page, source)
}

// Switches reports whether the user has to log in even if the other server knows the user:
// the user wants to be another one than before, or the client asks for it.
func (r *LoginRequest) Switches() bool { return r.transaction.LogIn || r.URL.Query().Has("switch") }

// CallbackURL returns the URL to which other servers send the browser back: the issuer with
// the path /oauth/callback.
func (r *LoginRequest) CallbackURL() string { return r.server.site.URL + callbackPath }

// A forward is a visit of a browser to another server.
type forward struct {
	Transaction string `json:"transaction"`
	Data        []byte `json:"data"`
}

// Forward sends the browser to another server, which sends it back to CallbackURL with the
// parameter state. Location returns the URL for a state. Authenticate is then called again,
// once at most and for the same browser, and Forwarded returns the data.
//
// The request must be a form: no other server may be asked before the user consents
// (specification: Security Best Practices, Confused Deputy Problem).
func (r *LoginRequest) Forward(w http.ResponseWriter, data []byte, location func(state string) string) error {
	if r.Method != http.MethodPost {
		return errors.New("oauth: LoginRequest.Forward needs a POST request; call LoginRequest.Button first")
	}
	if wait := r.server.authorizations.Take(throttle.KeyOf("", r.Address)); wait > 0 { // each visit is a row
		return &grants.WaitError{Wait: wait}
	}
	state := rand.Text()
	kept, err := codec.MarshalRecord(forward{r.transaction.ID, data})
	if err != nil {
		return err
	}
	if err := r.server.store.SetValue(r.Context(), keyOf(stateKey, state), store.Value{Data: kept, Expires: r.transaction.Expires}); err != nil {
		return err
	}
	redirectTo(w, location(state))
	return nil
}

// Forwarded returns the data of Forward, if the browser comes back from another server with
// the request.
func (r *LoginRequest) Forwarded() (data []byte, ok bool) {
	if r.forwarded == nil {
		return nil, false
	}
	return r.forwarded.Data, true
}

// callback is the page to which other servers send browsers back. It ends the state, which
// belongs to a transaction and so to one browser.
func (s *Server) callback(w http.ResponseWriter, r *http.Request) {
	f, err := parseForm(r.URL.RawQuery)
	if err == nil { // the other server may describe an error at any length
		err = checkParameters(url.Values{"state": {f.get("state")}, "code": {f.get("code")}})
	}
	if err != nil {
		s.errorPage(w, r, http.StatusBadRequest, errorPage{Key: "error.expired"})
		return
	}
	key := keyOf(stateKey, f.get("state"))
	value, err := s.store.Value(r.Context(), key) // a removal that finds nothing would hold up those who write
	if err == nil {
		value, err = s.store.TakeValue(r.Context(), key)
	}
	if errors.Is(err, store.ErrNotFound) {
		s.errorPage(w, r, http.StatusBadRequest, errorPage{Key: "error.expired"})
		return
	}
	back := &forward{}
	if err == nil {
		err = json.Unmarshal(value.Data, back)
	}
	if err != nil {
		s.failed(w, r, err)
		return
	}
	t, client, ok := s.opened(w, r, back.Transaction)
	if !ok {
		return
	}
	request := s.loginRequest(r, t, client)
	request.forwarded = back
	s.authenticateUser(w, request)
}

// A LoginError is an error of an [Authenticator] with a page of its own. The page has links to
// log in again, and to the client with the error access_denied.
type LoginError struct {
	Status int
	Text   string // the key of a text in en.json, such as login.refused
	Detail string // the value of the text
	Err    error  // is logged, and not shown
}

func (e *LoginError) Error() string { return fmt.Sprintf("%s: %v", e.Text, e.Err) }

// Unwrap returns Err.
func (e *LoginError) Unwrap() error { return e.Err }

// refuseLogin shows the page of an error.
func (s *Server) refuseLogin(w http.ResponseWriter, r *LoginRequest, refused *LoginError) {
	s.logger().LogAttrs(r.Context(), slog.LevelWarn, "a login failed", slog.String("client", r.client.ID), slog.Any("error", refused.Err))
	page := errorPage{Key: refused.Text, Detail: refused.Detail, Again: s.pageURL(loginPath, r.transaction) + "&switch"}
	if !r.transaction.isForAccount() {
		page.Host = r.transaction.host()
		page.Return = safeURL(s.answerURI(r.transaction, url.Values{"error": {"access_denied"}, "error_description": {"The user is not logged in"}}))
	}
	s.errorPage(w, r.Request, refused.Status, page)
}
