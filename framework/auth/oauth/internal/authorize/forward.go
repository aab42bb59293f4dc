package authorize

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
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

// Button writes the login page with a button; see oauth.LoginRequest.
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

// Switches reports whether the user has to log in even if the other server knows the user.
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
		return &errorPage{status: http.StatusTooManyRequests, Key: "error.busy", wait: wait}
	}
	state := rand.Text()
	if err := l.Endpoint.browsers().save(l.Context(), stateKey, state, Forward{l.transaction.ID, data}, l.transaction.Expires); err != nil {
		return err
	}
	return redirectTo(w, location(state))
}

// Callback is the page to which other servers send browsers back. It ends the state, which
// belongs to a transaction and so to one browser.
func (e *Endpoint) Callback(w http.ResponseWriter, r *http.Request) error {
	f, err := endpoint.ParseForm(r.URL.RawQuery)
	if err == nil { // the other server may describe an error at any length
		err = endpoint.CheckParameters(url.Values{"state": {f.Get("state")}, "code": {f.Get("code")}})
	}
	if err != nil {
		return &errorPage{Key: "error.expired"}
	}
	back := &Forward{}
	_, err = e.browsers().load(r.Context(), stateKey, f.Get("state"), back) // a removal that finds nothing would hold up those who write
	if err == nil {
		_, err = e.Store.TakeValue(r.Context(), keyOf(stateKey, f.Get("state")))
	}
	if errors.Is(err, store.ErrNotFound) {
		return &errorPage{Key: "error.expired"}
	}
	if err != nil {
		return err
	}
	t, client, err := e.opened(r, back.Transaction)
	if err != nil {
		return err
	}
	return e.authenticateUser(w, &Login{Request: r, Endpoint: e, Forwarded: back, transaction: t, client: client})
}

// Refuse returns an error with a page of its own; see oauth.LoginError.
func (l *Login) Refuse(status int, text, detail string, err error) error {
	e, t := l.Endpoint, l.transaction
	level := slog.LevelInfo
	if status >= http.StatusInternalServerError { // the other server fails
		level = slog.LevelWarn
	}
	e.reportFailed(l.Request, level, "", err)
	page := &errorPage{status: status, Key: text, Detail: detail, Again: e.pageURL(endpoint.LoginPath, t) + "&switch"}
	if !t.isForAccount() {
		page.Host, page.Return = t.host(), safeURL(e.answerURI(t, url.Values{"error": {"access_denied"}, "error_description": {"The user is not logged in"}}))
	}
	return page
}
