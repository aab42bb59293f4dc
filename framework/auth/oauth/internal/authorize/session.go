package authorize

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A session remembers in a browser who has logged in.
type session struct {
	id string

	User  User      `json:"user"`
	CSRF  string    `json:"csrf"` // of the forms of the account page
	Since time.Time `json:"since"`
}

// remember begins a session of a user who has logged in.
func (b browsers) remember(w http.ResponseWriter, r *http.Request, user *User) error {
	if user.ID == "" {
		return errors.New("the authenticator returned a user without an ID; set User.ID")
	}
	data, err := codec.MarshalRecord(user)
	if err == nil && len(data) > limits.MaxUser {
		err = fmt.Errorf("the authenticator returned a user of %d bytes as JSON; access tokens have room for %d: leave out claims", len(data), limits.MaxUser)
	}
	if err != nil {
		return err
	}
	begun := session{User: *user, CSRF: rand.Text(), Since: time.Now()}
	return b.save(r.Context(), sessionKey, b.setCookie(w, sessionCookie, limits.SessionTime), begun, begun.Since.Add(limits.SessionTime))
}

// session returns the session of the browser of a request, or nil if it has none.
func (b browsers) session(r *http.Request) (*session, error) {
	id, ctx := b.cookie(r, sessionCookie), r.Context()
	if id == "" {
		return nil, nil
	}
	found, ended := &session{id: id}, false
	_, err := b.load(ctx, sessionKey, id, found)
	if err == nil {
		ended, err = b.hasEnded(ctx, found)
	}
	if err == nil {
		err = b.checkUser(ctx, found.User.ID)
	}
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrRevoked):
		return nil, nil
	case err != nil:
		return nil, err
	case ended, found.User.ID == "":
		return nil, nil
	}
	return found, nil
}

// hasEnded reports whether the sessions of the user were ended after a session began.
func (b browsers) hasEnded(ctx context.Context, found *session) (bool, error) {
	ended, err := b.Store.Value(ctx, keyOf(endedKey, found.User.ID))
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	var end time.Time
	if err == nil {
		err = end.UnmarshalText(ended.Data)
	}
	return found.Since.Before(end), err
}

// forget ends a session.
func (b browsers) forget(w http.ResponseWriter, r *http.Request, ended *session) error {
	b.removeCookie(w, b.cookieName(sessionCookie))
	_, err := b.Store.TakeValue(r.Context(), keyOf(sessionKey, ended.id))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// EndSessions ends the sessions of a user in all browsers. The store finds no session by its
// user, so it remembers when they ended.
func EndSessions(ctx context.Context, values store.Values, user string) error {
	now := time.Now()
	text, err := now.MarshalText()
	if err != nil {
		return err
	}
	return values.SetValue(ctx, keyOf(endedKey, user), store.Value{Data: text, Expires: now.Add(limits.SessionTime)})
}

// ChangePassword sets the hash of a user's password and ends the sessions. They end first, so that
// none outlives the old password if the program is killed in between, and again for those that have
// begun with it in the meantime.
func ChangePassword(ctx context.Context, users store.Store, id, hash string) error {
	if err := EndSessions(ctx, users, id); err != nil {
		return err
	}
	err := users.UpdateUser(ctx, id, func(u *store.User) error {
		u.Password = hash
		return nil
	})
	if err != nil {
		return err
	}
	return EndSessions(ctx, users, id)
}
