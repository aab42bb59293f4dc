package oauth

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/throttle"
)

// accountPath is the path of the page on which users see and end the access of clients, change
// their password and log out.
const accountPath = "/oauth/account"

// An accountPage has the contents of the account page.
type accountPage struct {
	User          string
	Access        []shownAccess
	HasPassword   bool
	Problem, Done string // the keys of texts, or ""
	Detail        string // the value of the problem
	Action, CSRF  string
}

// A shownAccess is the access of one client.
type shownAccess struct {
	Grant, Client string
	Scopes        []string
	Since, Used   string // dates; Used is "" if it was never used
}

// maxShown is how many grants the account page shows.
const maxShown = 100

// account is the account page. A user who is not logged in sees the login page first.
func (s *Server) account(w http.ResponseWriter, r *http.Request) {
	session := s.session(r)
	if session == nil {
		if wait := s.authorizations.Take(throttle.KeyOf("", s.address(r))); wait > 0 {
			s.busyPage(w, r, http.StatusTooManyRequests, wait)
			return
		}
		s.toLogin(w, r, &transaction{})
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
	var err error
	switch {
	case r.PostForm.Has("logout"):
		if err = s.forget(w, r, session); err == nil {
			s.page(w, r, http.StatusOK, pages.Account, accountPage{Action: s.site.URL + accountPath})
		}
	case r.PostForm.Has("grant"):
		err = s.endAccess(w, r, session, r.PostForm.Get("grant"))
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
	for grant, err := range liveGrants(r.Context(), s.store, session.User.ID) {
		if err != nil {
			s.failed(w, r, err)
			return
		}
		if len(page.Access) == maxShown {
			break
		}
		page.Access = append(page.Access, s.shown(r, grant))
	}
	slices.SortStableFunc(page.Access, func(a, b shownAccess) int { return strings.Compare(a.Client, b.Client) })
	s.page(w, r, status, pages.Account, page)
}

// shown returns a grant for the account page. A client whose document can't be read now has
// its host as its name.
func (s *Server) shown(r *http.Request, grant store.Grant) shownAccess {
	access := shownAccess{Grant: grant.ID, Client: grant.ClientID, Since: day(grant.Created)}
	if grant.ClientSource == store.Document {
		access.Client = metadata.Host(grant.ClientID)
	} else if client, err := s.store.Client(r.Context(), grant.ClientID); err == nil {
		access.Client = clientName(client)
	}
	if !grant.Used.IsZero() {
		access.Used = day(grant.Used)
	}
	for _, scope := range grant.Scopes {
		access.Scopes = append(access.Scopes, s.meaning(scope))
	}
	return access
}

// meaning returns what a scope allows, for users.
func (s *Server) meaning(scope string) string {
	if text := s.config.Scopes[scope]; text != "" {
		return text
	}
	return scope
}

// endAccess ends the access of a client, if it is that of the user.
func (s *Server) endAccess(w http.ResponseWriter, r *http.Request, session *session, id string) error {
	grant, err := s.store.Grant(r.Context(), id)
	if err == nil && grant.UserID == session.User.ID {
		if err = s.store.RevokeGrant(r.Context(), id, time.Now()); err == nil {
			s.logger().InfoContext(r.Context(), "a user ended the access of a client", "user", session.User.ID, "client", quoted(grant.ClientID))
		}
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) { // ended before
		return err
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
		w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
		s.showAccount(w, r, session, http.StatusTooManyRequests, accountPage{Problem: "login.wait"})
		return nil
	case !right:
		s.showAccount(w, r, session, http.StatusForbidden, accountPage{Problem: "account.wrong"})
		return nil
	}
	made, err := login.NewUser(session.User.Name, r.PostForm.Get("new"))
	if err != nil {
		s.showAccount(w, r, session, http.StatusBadRequest, accountPage{Problem: "account.refused", Detail: err.Error()})
		return nil //nolint:nilerr // the user is told
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
