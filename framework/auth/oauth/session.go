package oauth

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// sessionTime is how long a login is remembered.
const sessionTime = time.Hour

// maxUser is the maximum size of a user in bytes of JSON. A request has at most 8 KiB for its
// access token, which has the claims of the user.
const maxUser = 4 << 10

// A session remembers in a browser who has logged in.
type session struct {
	id string

	User  User      `json:"user"`
	CSRF  string    `json:"csrf"` // of the forms of the account page
	Since time.Time `json:"since"`
}

// remember begins a session of a user who has logged in.
func (s *Server) remember(w http.ResponseWriter, r *http.Request, user *User) error {
	if user.ID == "" {
		return errors.New("the authenticator returned a user without an ID; set User.ID")
	}
	data, err := json.Marshal(user)
	if err == nil && len(data) > maxUser {
		err = fmt.Errorf("the authenticator returned a user of %d bytes as JSON; access tokens have room for %d: leave out claims", len(data), maxUser)
	}
	if err == nil {
		data, err = json.Marshal(session{User: *user, CSRF: rand.Text(), Since: time.Now()})
	}
	if err != nil {
		return err
	}
	id := s.setCookie(w, sessionCookie, sessionTime)
	return s.store.SetValue(r.Context(), keyOf(sessionKey, id), store.Value{Data: data, Expires: time.Now().Add(sessionTime)})
}

// session returns the session of the browser of a request, or nil.
func (s *Server) session(r *http.Request) *session {
	id, ctx := s.cookie(r, sessionCookie), r.Context()
	if id == "" {
		return nil
	}
	value, err := s.store.Value(ctx, keyOf(sessionKey, id))
	if err != nil || !time.Now().Before(value.Expires) {
		return nil
	}
	found := &session{id: id}
	if json.Unmarshal(value.Data, found) != nil || found.User.ID == "" {
		return nil
	}
	if ended, err := s.store.Value(ctx, keyOf(endedKey, found.User.ID)); !errors.Is(err, store.ErrNotFound) {
		var end time.Time
		if err != nil || end.UnmarshalText(ended.Data) != nil || found.Since.Before(end) {
			return nil
		}
	}
	if s.checkUser(ctx, found.User.ID) != nil {
		return nil
	}
	return found
}

// forget ends a session.
func (s *Server) forget(w http.ResponseWriter, r *http.Request, ended *session) error {
	s.removeCookie(w, s.cookieName(sessionCookie))
	_, err := s.store.TakeValue(r.Context(), keyOf(sessionKey, ended.id))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// endSessions ends the sessions of a user in all browsers. The store finds no session by its
// user, so it remembers when they ended.
func endSessions(ctx context.Context, values store.Values, user string) error {
	now := time.Now()
	text, err := now.MarshalText()
	if err != nil {
		return err
	}
	return values.SetValue(ctx, keyOf(endedKey, user), store.Value{Data: text, Expires: now.Add(sessionTime)})
}
