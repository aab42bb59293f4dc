package oauth

import (
	"context"
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// passwordLogin returns what logs in the users of the store, or an error if users log in
// elsewhere.
func (s *Server) passwordLogin() (PasswordAuthenticator, error) {
	login, ok := s.config.Authenticator.(PasswordAuthenticator)
	if !ok {
		return nil, errors.New("the store has no users, since Config.Authenticator logs them in elsewhere; manage them there, or set it to login.Password()")
	}
	return login, nil
}

// createUser is the command user:create.
func (s *Server) createUser(ctx context.Context, users store.Store, in *invocation) error {
	login, err := s.passwordLogin()
	if err != nil {
		return err
	}
	password, err := readPassword(ctx, in)
	if err != nil {
		return err
	}
	user, err := login.NewUser(in.Argument, password)
	if err != nil {
		return err
	}
	if err := users.CreateUser(ctx, user); errors.Is(err, store.ErrExists) {
		return fmt.Errorf("there is a user %s already; choose another name", user.Name)
	} else if err != nil {
		return err
	}
	return in.printf("The user %s can log in. The ID is %s.\n", user.Name, user.ID)
}

// listUsers is the command user:list.
func (s *Server) listUsers(ctx context.Context, users store.Store, in *invocation) error {
	if _, err := s.passwordLogin(); err != nil {
		return err
	}
	all := each(func(after string) ([]store.User, error) { return users.ListUsers(ctx, after, listed) }, func(u store.User) string { return u.ID })
	return in.table("ID\tNAME\tSTATE\tCREATED\tLAST LOGIN", func(yield func([]string, error) bool) {
		for user, err := range all {
			state := "enabled"
			if user.Disabled {
				state = "disabled"
			}
			if !yield([]string{user.ID, naming.Printable(user.Name), state, day(user.Created), minute(user.LoggedIn)}, err) {
				return
			}
		}
	})
}

// localUser returns the user whom the argument of a command names.
func (s *Server) localUser(ctx context.Context, users store.Users, in *invocation) (store.User, error) {
	if _, err := s.passwordLogin(); err != nil {
		return store.User{}, err
	}
	return s.findUser(ctx, users, in.Argument)
}

// setPassword is the command user:password. Whoever knew the old password is logged out.
func (s *Server) setPassword(ctx context.Context, users store.Store, in *invocation) error {
	user, err := s.localUser(ctx, users, in)
	if err != nil {
		return err
	}
	password, err := readPassword(ctx, in)
	if err != nil {
		return err
	}
	login, err := s.passwordLogin()
	if err != nil {
		return err
	}
	made, err := login.NewUser(user.Name, password)
	if err != nil {
		return err
	}
	if err := changePassword(ctx, users, user.ID, made.Password); err != nil {
		return err
	}
	return in.printf("The password of %s is changed, and all browsers are logged out. Clients keep their access; mcp grant:list --user %s shows it.\n", user.Name, user.ID)
}

// changePassword sets the hash of a user's password and ends the sessions. They end first, so that
// none outlives the old password if the program is killed in between, and again for those that have
// begun with it in the meantime.
func changePassword(ctx context.Context, users store.Store, id, hash string) error {
	if err := endSessions(ctx, users, id); err != nil {
		return err
	}
	err := users.UpdateUser(ctx, id, func(u *store.User) error {
		u.Password = hash
		return nil
	})
	if err != nil {
		return err
	}
	return endSessions(ctx, users, id)
}

// disableUser is the command user:disable.
func (s *Server) disableUser(ctx context.Context, users store.Store, in *invocation) error {
	user, err := s.setDisabled(ctx, users, in, true)
	if err != nil {
		return err
	}
	return in.printf("The user %s can't log in, and this program refuses the user's tokens. Other programs accept them until they expire.\n", user.Name)
}

// enableUser is the command user:enable.
func (s *Server) enableUser(ctx context.Context, users store.Store, in *invocation) error {
	user, err := s.setDisabled(ctx, users, in, false)
	if err != nil {
		return err
	}
	return in.printf("The user %s can log in. Clients have the access again that they had.\n", user.Name)
}

func (s *Server) setDisabled(ctx context.Context, users store.Store, in *invocation, disabled bool) (store.User, error) {
	user, err := s.localUser(ctx, users, in)
	if err != nil {
		return user, err
	}
	return user, users.UpdateUser(ctx, user.ID, func(u *store.User) error {
		u.Disabled = disabled
		return nil
	})
}

// removeUser is the command user:remove. Tokens are refused as soon as the user is gone, so
// nothing is valid if the command is killed before it has removed them.
func (s *Server) removeUser(ctx context.Context, from store.Store, in *invocation) error {
	if _, err := s.passwordLogin(); err != nil {
		return err
	}
	user, err := s.findUser(ctx, from, in.Argument)
	if err != nil {
		return s.removeRest(ctx, from, in, err)
	}
	if err := from.DeleteUser(ctx, user.ID); err != nil && !errors.Is(err, store.ErrNotFound) { // by another command
		return err
	}
	clients, tokens, err := removeAccess(ctx, from, user.ID)
	if err != nil {
		return err
	}
	return in.printf("The user %s was removed. Access that ended: %d of clients, %d of personal access tokens.\n", user.Name, clients, tokens)
}

// removeRest removes what a command that was killed has left of a user whom it had removed, by the
// ID. If there is nothing, it returns the error that there is no such user.
func (s *Server) removeRest(ctx context.Context, from store.Store, in *invocation, unknown error) error {
	id := in.Argument
	if _, err := from.User(ctx, id); !errors.Is(err, store.ErrNotFound) || s.isProvided(id) {
		return unknown
	}
	clients, tokens, err := removeAccess(ctx, from, id)
	if err != nil {
		return err
	}
	if clients+tokens == 0 {
		return unknown
	}
	return in.printf("The user %s was removed before. Access that ended now: %d of clients, %d of personal access tokens.\n", id, clients, tokens)
}

// removeAccess revokes the grants and removes the personal access tokens of a user. It returns of
// how many clients the grants were, and how many tokens there were.
func removeAccess(ctx context.Context, from store.Store, user string) (clients, tokens int, err error) {
	if clients, err = revokeGrants(ctx, from, user); err != nil {
		return clients, 0, err
	}
	for token, err := range tokensOf(ctx, from, user) {
		if err == nil {
			err = from.DeleteToken(ctx, token.ID)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return clients, tokens, err
		}
		tokens++
	}
	return clients, tokens, nil
}
