package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/authorize"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/tokens"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/internal/command"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// createUser is the command user:create.
func (c *Commands) createUser(ctx context.Context, users store.Store, in *invocation) error {
	password, err := readPassword(ctx, in)
	if err != nil {
		return err
	}
	user, err := c.NewUser(in.Argument, password)
	if err != nil {
		return err
	}
	if err := users.CreateUser(ctx, user); errors.Is(err, store.ErrExists) {
		return fmt.Errorf("there is a user %s already; choose another name", user.Name)
	} else if err != nil {
		return err
	}
	reportUser(ctx, user, events.UserCreated)
	return in.printf("The user %s can log in. The ID is %s.\n", user.Name, user.ID)
}

// reportUser reports a change of a user to the listeners of the program.
func reportUser(ctx context.Context, user store.User, change events.UserChange) {
	dispatch.Send(ctx, events.UserChanged{Authorization: events.Authorization{User: user.ID}, Name: user.Name, Change: change})
}

// listUsers is the command user:list.
func listUsers(ctx context.Context, users store.Store, in *invocation) error {
	all := tokens.Each(func(after string) ([]store.User, error) { return users.ListUsers(ctx, after, tokens.Listed) }, func(u store.User) string { return u.ID })
	return table(in, "ID\tNAME\tSTATE\tCREATED\tLAST LOGIN", all, func(user store.User) []string {
		state := "enabled"
		if user.Disabled {
			state = "disabled"
		}
		return []string{user.ID, naming.Printable(user.Name), state, day(user.Created), minute(user.LoggedIn)}
	})
}

// setPassword is the command user:password. Whoever knew the old password is logged out.
func (c *Commands) setPassword(ctx context.Context, users store.Store, in *invocation) error {
	user, err := c.findUser(ctx, users, in.Argument)
	if err != nil {
		return err
	}
	password, err := readPassword(ctx, in)
	if err != nil {
		return err
	}
	made, err := c.NewUser(user.Name, password)
	if err != nil {
		return err
	}
	if err := authorize.ChangePassword(ctx, users, user.ID, made.Password); err != nil {
		return err
	}
	reportUser(ctx, user, events.PasswordChanged)
	return in.printf("The password of %s is changed, and all browsers are logged out. Clients keep their access; %s grant:list --user %s shows it.\n", user.Name, command.ProgramFrom(ctx).Command, user.ID)
}

// setDisabled returns the command user:disable or user:enable, which prints a text.
func (c *Commands) setDisabled(disabled bool, text string) storeCommand {
	change := events.UserEnabled
	if disabled {
		change = events.UserDisabled
	}
	return func(ctx context.Context, users store.Store, in *invocation) error {
		user, err := c.findUser(ctx, users, in.Argument)
		if err != nil {
			return err
		}
		err = users.UpdateUser(ctx, user.ID, func(u *store.User) error {
			u.Disabled = disabled
			return nil
		})
		if err != nil {
			return err
		}
		reportUser(ctx, user, change)
		return in.printf(text, user.Name)
	}
}

// removeUser is the command user:remove. Tokens are refused as soon as the user is gone, so
// nothing is valid if the command is killed before it has removed them.
func (c *Commands) removeUser(ctx context.Context, from store.Store, in *invocation) error {
	user, err := c.findUser(ctx, from, in.Argument)
	if err != nil {
		return c.removeRest(ctx, from, in, err)
	}
	if err := from.DeleteUser(ctx, user.ID); err != nil && !errors.Is(err, store.ErrNotFound) { // by another command
		return err
	}
	reportUser(ctx, user, events.UserRemoved)
	clients, removed, err := removeAccess(ctx, from, user.ID)
	if err != nil {
		return err
	}
	return in.printf("The user %s was removed. Access that ended: %d of clients, %d of personal access tokens.\n", user.Name, clients, removed)
}

// removeRest removes what a command that was killed has left of a user whom it had removed, by the
// ID. If there is nothing, it returns the error that there is no such user.
func (c *Commands) removeRest(ctx context.Context, from store.Store, in *invocation, unknown error) error {
	id := in.Argument
	if _, err := from.User(ctx, id); !errors.Is(err, store.ErrNotFound) || tokens.IsProvided(c.Tokens.IdentityProviders, id) {
		return unknown
	}
	clients, removed, err := removeAccess(ctx, from, id)
	if err != nil {
		return err
	}
	if clients+removed == 0 {
		return unknown
	}
	return in.printf("The user %s was removed before. Access that ended now: %d of clients, %d of personal access tokens.\n", id, clients, removed)
}

// removeAccess revokes the grants and removes the personal access tokens of a user. It returns of
// how many clients the grants were, and how many tokens there were.
func removeAccess(ctx context.Context, from store.Store, user string) (clients, removed int, err error) {
	if clients, err = revokeGrants(ctx, from, user); err != nil {
		return clients, 0, err
	}
	for token, err := range tokensOf(ctx, from, user) {
		if err == nil {
			err = from.DeleteToken(ctx, token.ID)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return clients, removed, err
		}
		removed++
	}
	return clients, removed, nil
}
