package authorize

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

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
func (l *Login) Button(w http.ResponseWriter, button Button) {
	e, t := l.Endpoint, l.transaction
	page := forwardPage{requester: t.requester(l.client), Button: button, Action: e.pageURL(endpoint.LoginPath, t), CSRF: t.CSRF}
	if l.Switches() {
		page.Action += "&switch"
	}
	// A browser checks every redirect that follows a form, and the other server may hand over
	// to a third one.
	source := "https:"
	if !strings.HasPrefix(button.URL, source) {
		source = metadata.Source(button.URL)
	}
	e.page(w, l.Request, http.StatusOK, pages.Forward, page, source)
}

// Switches reports whether the user has to log in even if the other server knows the user:
// the user wants to be another one than before, or the client asks for it.
func (l *Login) Switches() bool { return l.transaction.LogIn || l.URL.Query().Has("switch") }

// A Forward is a visit of a browser to another server.
type Forward struct {
	Transaction string `json:"transaction"`
	Data        []byte `json:"data"`
}

// Forward sends the browser to another server, which sends it back to the callback page.
func (l *Login) Forward(w http.ResponseWriter, data []byte, location func(state string) string) error {
	if l.Method != http.MethodPost {
		return errors.New("oauth: LoginRequest.Forward needs a POST request; call LoginRequest.Button first")
	}
	if wait := l.Endpoint.Limits.Authorizations.Take(l.Endpoint.Caller(l.Request)); wait > 0 { // each visit is a row
		return endpoint.SlowDown(wait)
	}
	state := rand.Text()
	kept, err := codec.MarshalRecord(Forward{l.transaction.ID, data})
	if err != nil {
		return err
	}
	if err := l.Endpoint.Store.SetValue(l.Context(), keyOf(stateKey, state), store.Value{Data: kept, Expires: l.transaction.Expires}); err != nil {
		return err
	}
	redirectTo(w, location(state))
	return nil
}

// Callback is the page to which other servers send browsers back. It ends the state, which
// belongs to a transaction and so to one browser.
func (e *Endpoint) Callback(w http.ResponseWriter, r *http.Request) {
	f, err := endpoint.ParseForm(r.URL.RawQuery)
	if err == nil { // the other server may describe an error at any length
		err = endpoint.CheckParameters(url.Values{"state": {f.Get("state")}, "code": {f.Get("code")}})
	}
	if err != nil {
		e.errorPage(w, r, http.StatusBadRequest, errorPage{Key: "error.expired"})
		return
	}
	key := keyOf(stateKey, f.Get("state"))
	value, err := e.Store.Value(r.Context(), key) // a removal that finds nothing would hold up those who write
	if err == nil {
		value, err = e.Store.TakeValue(r.Context(), key)
	}
	if errors.Is(err, store.ErrNotFound) {
		e.errorPage(w, r, http.StatusBadRequest, errorPage{Key: "error.expired"})
		return
	}
	back := &Forward{}
	if err == nil {
		err = json.Unmarshal(value.Data, back)
	}
	if err != nil {
		e.failed(w, r, err)
		return
	}
	t, client, ok := e.opened(w, r, back.Transaction)
	if !ok {
		return
	}
	e.authenticateUser(w, &Login{Request: r, Endpoint: e, Forwarded: back, transaction: t, client: client})
}

// A Refusal is a page for the error of a login; see oauth.LoginError.
type Refusal struct {
	Status int
	Text   string
	Detail string
	Err    error
}

// refuseLogin shows the page of an error.
func (e *Endpoint) refuseLogin(w http.ResponseWriter, l *Login, refused *Refusal) {
	e.Logger.LogAttrs(l.Context(), slog.LevelWarn, "a login failed", slog.String("client", l.client.ID), slog.Any("error", refused.Err))
	page := errorPage{Key: refused.Text, Detail: refused.Detail, Again: e.pageURL(endpoint.LoginPath, l.transaction) + "&switch"}
	if !l.transaction.isForAccount() {
		page.Host = l.transaction.host()
		page.Return = safeURL(e.answerURI(l.transaction, url.Values{"error": {"access_denied"}, "error_description": {"The user is not logged in"}}))
	}
	e.errorPage(w, l.Request, refused.Status, page)
}
