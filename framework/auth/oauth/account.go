package oauth

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// accountPath is the path of the page on which users see and end the access of clients, change
// their password and log out.
const accountPath = "/oauth/account"

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

// account is the account page. A user who is not logged in sees the login page first.
func (s *Server) account(w http.ResponseWriter, r *http.Request) {
	session, err := s.session(r)
	if err != nil {
		s.failed(w, r, err)
		return
	}
	if session == nil {
		if !s.isTooOften(w, r) {
			s.toLogin(w, r, &transaction{})
		}
		return
	}
	if r.Method != http.MethodPost {
		done := r.URL.Query().Get("done")
		if !slices.Contains([]string{"account.ended", "account.changed"}, done) {
			done = ""
		}
		s.showAccount(w, r, session, http.StatusOK, accountPage{Done: done})
		return
	}
	if !s.ownForm(w, r, session.CSRF) {
		return
	}
	switch {
	case r.PostForm.Has("logout"):
		if err = s.forget(w, r, session); err == nil {
			s.page(w, r, http.StatusOK, pages.Account, accountPage{Action: s.site.URL + accountPath})
		}
	case r.PostForm.Has("client"):
		err = s.endAccess(w, r, session, r.PostForm.Get("client"))
	default:
		err = s.takePassword(w, r, session)
	}
	if err != nil {
		s.failed(w, r, err)
	}
}

// showAccount writes the account page of a user.
func (s *Server) showAccount(w http.ResponseWriter, r *http.Request, session *session, status int, page accountPage) {
	page.User, page.Action, page.CSRF = session.User.Name, s.site.URL+accountPath, session.CSRF
	_, page.HasPassword = s.config.Authenticator.(PasswordAuthenticator)
	all, err := accessOf(r.Context(), s.store, session.User.ID)
	if err != nil {
		s.failed(w, r, err)
		return
	}
	page.More = max(len(all)-limits.ShownClients, 0)
	page.Access = all[:len(all)-page.More]
	for i := range page.Access {
		s.addTexts(r.Context(), &page.Access[i])
	}
	slices.SortStableFunc(page.Access, func(a, b shownAccess) int { return strings.Compare(a.Client, b.Client) })
	s.page(w, r, status, pages.Account, page)
}

// accessOf returns the access of the clients of a user, the one that was used last first.
func accessOf(ctx context.Context, from store.Grants, user string) ([]shownAccess, error) {
	clients := map[string]*shownAccess{}
	for grant, err := range liveGrants(ctx, from, user) {
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

// addTexts adds the texts that users see. A client whose document can't be read now has its
// host as its name.
func (s *Server) addTexts(ctx context.Context, access *shownAccess) {
	access.Client, access.Since = access.ID, day(access.first)
	if access.source == store.Document {
		access.Client = metadata.Host(access.ID)
	} else if client, err := s.store.Client(ctx, access.ID); err == nil {
		access.Client = clientName(client)
	}
	if !access.last.IsZero() {
		access.Used = day(access.last)
	}
	for i, scope := range access.Scopes {
		access.Scopes[i] = s.meaning(scope)
	}
}

// meaning returns what a scope allows, for users.
func (s *Server) meaning(scope string) string {
	if text := s.config.Scopes[scope]; text != "" {
		return text
	}
	return scope
}

// endAccess ends all access of a client to the user's account.
func (s *Server) endAccess(w http.ResponseWriter, r *http.Request, session *session, client string) error {
	ended := 0
	for grant, err := range liveGrants(r.Context(), s.store, session.User.ID) {
		if err == nil && grant.ClientID == client {
			err = s.store.RevokeGrant(r.Context(), grant.ID, time.Now())
			ended++
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) { // purged
			return err
		}
	}
	if ended > 0 {
		s.logger().InfoContext(r.Context(), "a user ended the access of a client", "user", session.User.ID, "client", quoted(client), "grants", ended)
	}
	s.showPage(w, accountPath+"?done=account.ended")
	return nil
}

// takePassword changes the password of the user. Other browsers are logged out.
func (s *Server) takePassword(w http.ResponseWriter, r *http.Request, session *session) error {
	login, err := s.passwordLogin()
	if err != nil {
		s.errorPage(w, r, http.StatusForbidden, errorPage{Key: "error.foreign"})
		return nil //nolint:nilerr // the page of this program has no such form
	}
	right, wait, err := login.CheckPassword(s.loginRequest(r, nil, store.Client{}), session.User.Name, r.PostForm.Get("password"))
	switch {
	case err != nil:
		return err
	case wait > 0:
		seconds := strconv.Itoa(int(wait.Seconds()))
		w.Header().Set("Retry-After", seconds)
		s.showAccount(w, r, session, http.StatusTooManyRequests, accountPage{Problem: "login.wait", Detail: seconds})
		return nil
	case !right:
		s.showAccount(w, r, session, http.StatusForbidden, accountPage{Problem: "account.wrong"})
		return nil
	}
	made, err := login.NewUser(session.User.Name, r.PostForm.Get("new"))
	if err != nil {
		s.showAccount(w, r, session, http.StatusBadRequest, accountPage{Problem: "account.refused", Detail: err.Error()})
		return nil //nolint:nilerr // the page says it
	}
	if err := changePassword(r.Context(), s.store, session.User.ID, made.Password); err != nil {
		return err
	}
	s.logger().InfoContext(r.Context(), "a user changed the password", "user", session.User.ID, "address", s.address(r))
	if err := s.forget(w, r, session); err != nil {
		return err
	}
	if err := s.remember(w, r, &session.User); err != nil {
		return err
	}
	s.showPage(w, accountPath+"?done=account.changed")
	return nil
}
