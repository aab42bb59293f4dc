package authorize

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/tokens"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// An accountPage has the contents of the account page.
type accountPage struct {
	User          string
	Access        []shownAccess
	More          int // clients with access that are not shown
	HasPassword   bool
	Problem, Done string // the keys of texts, or ""
	Detail        string // the value of the problem
	Action, CSRF  string
}

// A shownAccess is the access of one client, by all of its grants.
type shownAccess struct {
	ID, Client  string
	Scopes      []string
	Since, Used string // dates; Used is "" if it was never used

	source      store.Source
	first, last time.Time // of Since and Used
}

// Account is the account page, on which users see and end the access of clients, change their
// password and log out. A user who is not logged in sees the login page first.
func (e *Endpoint) Account(w http.ResponseWriter, r *http.Request) error {
	session, err := e.browsers().session(r)
	if err != nil {
		return err
	}
	if session == nil {
		if err := e.countRequest(r); err != nil {
			return err
		}
		return e.toLogin(w, r, &transaction{})
	}
	ctx := r.Context()
	endpoint.SetUser(ctx, session.User.ID)
	if r.Method != http.MethodPost {
		done := r.URL.Query().Get("done")
		if !slices.Contains([]string{"account.ended", "account.changed"}, done) {
			done = ""
		}
		return e.showAccount(w, r, session, http.StatusOK, accountPage{Done: done})
	}
	if err := e.checkForm(r, session.CSRF); err != nil {
		return err
	}
	switch {
	case r.PostForm.Has("logout"):
		if err := e.browsers().forget(w, r, session); err != nil {
			return err
		}
		endpoint.Report(ctx, e.Base, slog.LevelInfo, "a user logged out", events.LoggedOut{Authorization: endpoint.Authorization(ctx)})
		e.page(w, r, http.StatusOK, pages.Account, accountPage{Action: e.URL + endpoint.AccountPath})
		return nil
	case r.PostForm.Has("client"):
		return e.endAccess(w, r, session, r.PostForm.Get("client"))
	}
	return e.takePassword(w, r, session)
}

// showAccount writes the account page of a user.
func (e *Endpoint) showAccount(w http.ResponseWriter, r *http.Request, session *session, status int, page accountPage) error {
	page.User, page.Action, page.CSRF = session.User.Name, e.URL+endpoint.AccountPath, session.CSRF
	page.HasPassword = e.Passwords != nil
	all, err := accessOf(r.Context(), e.Store, session.User.ID)
	if err != nil {
		return err
	}
	page.More = max(len(all)-limits.ShownClients, 0)
	page.Access = all[:len(all)-page.More]
	for i := range page.Access {
		e.addTexts(r.Context(), &page.Access[i])
	}
	slices.SortStableFunc(page.Access, func(a, b shownAccess) int { return strings.Compare(a.Client, b.Client) })
	e.page(w, r, status, pages.Account, page)
	return nil
}

// accessOf returns the access of the clients of a user, the one that was used last first.
func accessOf(ctx context.Context, from store.Grants, user string) ([]shownAccess, error) {
	clients := map[string]*shownAccess{}
	for grant, err := range tokens.LiveGrants(ctx, from, user) {
		if err != nil {
			return nil, err
		}
		client := clients[grant.ClientID]
		if client == nil {
			client = &shownAccess{ID: grant.ClientID, source: grant.ClientSource, first: grant.Created}
			clients[grant.ClientID] = client
		}
		if grant.Created.Before(client.first) {
			client.first = grant.Created
		}
		if grant.Used.After(client.last) {
			client.last = grant.Used
		}
		for _, scope := range grant.Scopes {
			if !slices.Contains(client.Scopes, scope) {
				client.Scopes = append(client.Scopes, scope)
			}
		}
	}
	all := make([]shownAccess, 0, len(clients))
	for _, client := range clients {
		all = append(all, *client)
	}
	slices.SortFunc(all, func(a, b shownAccess) int {
		return cmp.Or(b.last.Compare(a.last), b.first.Compare(a.first), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

// day returns the date of a time.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// addTexts adds the texts that users see. A client whose document can't be read now has its
// host as its name.
func (e *Endpoint) addTexts(ctx context.Context, access *shownAccess) {
	access.Client, access.Since = access.ID, day(access.first)
	if access.source == store.Document {
		access.Client = metadata.Host(access.ID)
	} else if client, err := e.Store.Client(ctx, access.ID); err == nil {
		access.Client = clients.NameOf(client)
	}
	if !access.last.IsZero() {
		access.Used = day(access.last)
	}
	for i, scope := range access.Scopes {
		access.Scopes[i] = e.meaning(scope)
	}
}

// meaning returns what a scope allows, for users.
func (e *Endpoint) meaning(scope string) string {
	if text := e.Tokens.Scopes[scope]; text != "" {
		return text
	}
	return scope
}

// endAccess ends all access of a client to the user's account.
func (e *Endpoint) endAccess(w http.ResponseWriter, r *http.Request, session *session, client string) error {
	ctx := r.Context()
	for grant, err := range tokens.LiveGrants(ctx, e.Store, session.User.ID) {
		if err == nil && grant.ClientID == client {
			err = e.Store.RevokeGrant(ctx, grant.ID, time.Now())
			if err == nil {
				endpoint.SetClient(ctx, client)
				e.ReportRevoked(ctx, grant, events.RevokedByUser)
			}
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) { // purged
			return err
		}
	}
	return e.goTo(w, endpoint.AccountPath+"?done=account.ended", nil)
}

// takePassword changes the password of the user. Other browsers are logged out.
func (e *Endpoint) takePassword(w http.ResponseWriter, r *http.Request, session *session) error {
	if e.Passwords == nil { // the page of this program has no such form
		return foreignForm()
	}
	right, wait, err := e.Passwords.Check(&Login{Request: r, Endpoint: e}, session.User.Name, r.PostForm.Get("password"))
	switch {
	case err != nil:
		return err
	case wait > 0:
		e.reportLockedOut(r, session.User.Name, wait)
		return e.showAccount(w, r, session, http.StatusTooManyRequests, accountPage{Problem: "login.wait", Detail: retryAfter(w, wait)})
	case !right:
		e.reportFailed(r, slog.LevelInfo, session.User.Name, errWrong)
		return e.showAccount(w, r, session, http.StatusForbidden, accountPage{Problem: "account.wrong"})
	}
	made, err := e.Passwords.NewUser(session.User.Name, r.PostForm.Get("new"))
	if err != nil {
		return e.showAccount(w, r, session, http.StatusBadRequest, accountPage{Problem: "account.refused", Detail: err.Error()})
	}
	if err := ChangePassword(r.Context(), e.Store, session.User.ID, made.Password); err != nil {
		return err
	}
	ctx := r.Context()
	event := events.UserChanged{Authorization: endpoint.Authorization(ctx), Name: session.User.Name, Change: events.PasswordChanged}
	endpoint.Report(ctx, e.Base, slog.LevelInfo, "a user changed the password", event)
	if err := e.browsers().forget(w, r, session); err != nil {
		return err
	}
	if err := e.browsers().remember(w, r, &session.User); err != nil {
		return err
	}
	return e.goTo(w, endpoint.AccountPath+"?done=account.changed", nil)
}
