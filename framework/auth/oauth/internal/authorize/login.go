package authorize

import (
	"crypto/subtle"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/events"
)

// A User is a user who has logged in; see oauth.User.
type User struct {
	ID     string         `json:"id"`
	Name   string         `json:"name"`
	Claims map[string]any `json:"claims,omitempty"`
}

// A Login is a request for the login page, or one with which a browser comes back from another
// server; see oauth.LoginRequest.
type Login struct {
	*http.Request

	Endpoint    *Endpoint
	Forwarded   *Forward // nil unless the browser comes back
	transaction *transaction
	client      store.Client
}

// ShowForm writes the form for a name and a password, with a problem and its value.
func (l *Login) ShowForm(w http.ResponseWriter, status int, problem, detail string) {
	e, t := l.Endpoint, l.transaction
	if problem == "login.wrong" {
		e.reportFailed(l.Request, slog.LevelInfo, l.PostForm.Get("name"), errWrong)
	}
	e.page(w, l.Request, status, pages.Login, map[string]any{
		"Client": clients.NameOf(l.client), "Action": e.pageURL(endpoint.LoginPath, t), "CSRF": t.CSRF, "Problem": problem, "Detail": detail, "Name": l.PostForm.Get("name"),
	})
}

// ShowWait writes the form for a user who has to wait for a time until the next try.
func (l *Login) ShowWait(w http.ResponseWriter, wait time.Duration) {
	l.Endpoint.reportLockedOut(l.Request, l.PostForm.Get("name"), wait)
	l.ShowForm(w, http.StatusTooManyRequests, "login.wait", retryAfter(w, wait))
}

// opened returns a transaction and its client for a request for a page, which may be a form.
func (e *Endpoint) opened(r *http.Request, id string) (t *transaction, client store.Client, err error) {
	t, err = e.browsers().transaction(r, id)
	if err == nil && !t.isForAccount() {
		client, err = e.clientOf(r, t)
	}
	switch {
	case errors.Is(err, errTransaction), errors.Is(err, store.ErrNotFound), errors.Is(err, clients.ErrDocument):
		err = &errorPage{Key: "error.expired"}
	case err == nil && r.Method == http.MethodPost:
		err = e.checkForm(r, t.CSRF)
	}
	return t, client, err
}

// clientOf returns the client of a transaction.
func (e *Endpoint) clientOf(r *http.Request, t *transaction) (store.Client, error) {
	client, err := e.Clients.Client(r, t.ClientID)
	if err == nil {
		if _, known := redirectURI(client, t.RedirectURI); !known { // no longer
			err = errTransaction
		}
	}
	return client, err
}

// checkForm reads the form of a page. It returns an error unless the form comes from the page
// itself, in the same browser.
func (e *Endpoint) checkForm(r *http.Request, csrf string) error {
	if r.ParseForm() != nil || endpoint.CheckPageForm(r.PostForm) != nil || http.NewCrossOriginProtection().Check(r) != nil ||
		subtle.ConstantTimeCompare([]byte(r.PostForm.Get("csrf")), []byte(csrf)) != 1 {
		return foreignForm()
	}
	return nil
}

// foreignForm returns the error for a form that no page of the server has sent.
func foreignForm() error { return &errorPage{status: http.StatusForbidden, Key: "error.foreign"} }

// Login is the page on which users log in. It is skipped for a user who has logged in a short
// time ago, unless the user wants to be another one.
func (e *Endpoint) Login(w http.ResponseWriter, r *http.Request) error {
	t, client, err := e.opened(r, transactionID(r))
	if err != nil {
		return err
	}
	session, err := e.browsers().session(r)
	if err != nil {
		return err
	}
	if session != nil && r.Method != http.MethodPost && !t.LogIn && !r.URL.Query().Has("switch") {
		endpoint.SetUser(r.Context(), session.User.ID)
		return e.loggedIn(w, r, t, &session.User)
	}
	return e.authenticateUser(w, &Login{Request: r, Endpoint: e, transaction: t, client: client})
}

// authenticateUser begins a session of the user whom the authenticator returns.
func (e *Endpoint) authenticateUser(w http.ResponseWriter, l *Login) error {
	user, err := e.Authenticate(w, l)
	if err == nil && user == nil {
		return nil
	}
	if err == nil {
		err = e.browsers().remember(w, l.Request, user)
	}
	if err == nil && e.Passwords != nil { // others have no tries, and no users in the store
		err = e.noteLogin(w, l.Request, user)
	}
	if err != nil {
		return err
	}
	ctx := l.Context()
	endpoint.SetUser(ctx, user.ID)
	event := events.LoggedIn{Authorization: endpoint.Authorization(ctx), Name: user.Name}
	endpoint.Report(ctx, e.Base, slog.LevelInfo, "a user logged in", event)
	return e.loggedIn(w, l.Request, l.transaction, user)
}

// noteLogin notes in which browser and when a user of the store logged in.
func (e *Endpoint) noteLogin(w http.ResponseWriter, r *http.Request, user *User) error {
	if err := e.browsers().know(w, r, user); err != nil {
		return err
	}
	return e.Store.UpdateUser(r.Context(), user.ID, func(u *store.User) error {
		u.LoggedIn = time.Now()
		return nil
	})
}

// loggedIn lets a user decide on the consent page, or shows the account page. The
// transaction's cookie changes, in case that somebody else knows the old one.
func (e *Endpoint) loggedIn(w http.ResponseWriter, r *http.Request, t *transaction, user *User) error {
	if t.isForAccount() {
		if err := e.browsers().end(r.Context(), w, t); err != nil && !errors.Is(err, errTransaction) {
			return err
		}
		return e.goTo(w, endpoint.AccountPath, nil)
	}
	t.User, t.LogIn = user, false
	if err := e.browsers().renew(r.Context(), w, t); err != nil {
		return err
	}
	return e.goTo(w, endpoint.ConsentPath, t)
}

// safeURL marks a URL that has been checked, whose scheme may be private.
func safeURL(uri string) template.URL { return template.URL(uri) } //nolint:gosec // the client registered it
