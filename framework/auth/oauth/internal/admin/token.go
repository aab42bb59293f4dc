package admin

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/tokens"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/command"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// createToken is the command token:create.
func (c *Commands) createToken(ctx context.Context, from store.Store, in *invocation) error {
	token := store.Token{ID: rand.Text(), Name: in.Argument, Scopes: in.Words("scope"), Created: time.Now()}
	if len(token.Scopes) == 0 {
		token.Scopes = c.Tokens.DefaultScopes
	}
	if !metadata.IsName(token.Name) {
		return misused("NAME has more than %d characters, or invisible ones", limits.MaxClientName)
	}
	lifetime := limits.PersonalTime
	if text := in.Value("expires"); text != "" {
		var err error
		if lifetime, err = parseLifetime(text); err != nil {
			return misused("--expires %s: %v", text, err)
		}
	}
	if err := c.checkScopes(token.Scopes); err != nil {
		return err
	}
	user, err := c.enabledUser(ctx, from, in.Value("user"))
	if err != nil {
		return err
	}
	secret := tokens.NewPersonal()
	token.UserID, token.UserName, token.Hash, token.Expires = user.ID, user.Name, store.HashOf(secret), token.Created.Add(lifetime)
	if err := from.CreateToken(ctx, token); err != nil {
		return err
	}
	return in.printf("The token, which can't be shown again:\n\n  %s\n\nIts ID is %s. It stands for %s with %s until %s UTC.\n",
		secret, token.ID, cmp.Or(user.Name, user.ID), strings.Join(token.Scopes, " "), minute(token.Expires))
}

// parseLifetime returns a time such as 12h or 30d.
func parseLifetime(text string) (time.Duration, error) {
	lifetime, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		if n, err = strconv.ParseUint(days, 10, 16); err == nil {
			lifetime = time.Duration(n) * 24 * time.Hour
		}
	}
	if err != nil || lifetime < time.Minute {
		return 0, errors.New("it is not a time of a minute or more; give one such as 12h or 30d")
	}
	return lifetime, nil
}

// findUser returns a user by the ID or the name. A user of another login, whom the store
// doesn't have, is known by the ID alone.
func (c *Commands) findUser(ctx context.Context, users store.Users, text string) (store.User, error) {
	user, err := users.User(ctx, text)
	if errors.Is(err, store.ErrNotFound) {
		user, err = users.UserByName(ctx, strings.ToLower(text)) // see store.User
	}
	switch {
	case errors.Is(err, store.ErrNotFound) && c.NewUser != nil:
		return user, fmt.Errorf("there is no user %q; make one with %s user:create", text, command.ProgramFrom(ctx).Command)
	case errors.Is(err, store.ErrNotFound):
		return store.User{ID: text}, nil
	}
	return user, err
}

// enabledUser returns a user as findUser does, if the user may log in.
func (c *Commands) enabledUser(ctx context.Context, users store.Users, text string) (store.User, error) {
	user, err := c.findUser(ctx, users, text)
	if err == nil && user.Disabled {
		err = fmt.Errorf("the user %s is disabled; enable the user with %s user:enable %s", user.Name, command.ProgramFrom(ctx).Command, user.Name)
	}
	return user, err
}

// FindUser returns the user with an ID or a name who may log in. A user of another login must have a
// grant or a token: nothing else shows that the ID is somebody's. FindUser opens the store, as a
// command does.
func (c *Commands) FindUser(ctx context.Context, text string) (user store.User, err error) {
	if c.Mistakes != nil {
		return user, c.Mistakes
	}
	err = c.withStore(func(ctx context.Context, from store.Store, _ *invocation) (err error) {
		user, err = c.enabledUser(ctx, from, text)
		if err == nil && user.Name == "" { // the store doesn't have the user
			user, err = userWithAccess(ctx, from, text)
		}
		return err
	})(ctx, nil)
	return user, err
}

// userWithAccess returns the user of another login whose ID a grant or a personal access token has.
func userWithAccess(ctx context.Context, from store.Store, id string) (store.User, error) {
	unknown := fmt.Errorf(`there is no user %q with a grant or a token; name a user of another login by the ID, which the log shows as "oauth: ID"`, id)
	if id == "" { // stands for all users in the lists
		return store.User{}, unknown
	}
	grants, err := from.ListGrants(ctx, id, "", 1)
	if err != nil {
		return store.User{}, err
	}
	if len(grants) > 0 {
		return store.User{ID: id, Name: grants[0].UserName}, nil
	}
	personal, err := from.ListTokens(ctx, id, "", 1)
	if err != nil {
		return store.User{}, err
	}
	if len(personal) == 0 {
		return store.User{}, unknown
	}
	return store.User{ID: id}, nil
}

// flaggedUser returns the ID of the user whom the flag --user names, or "" without it.
func (c *Commands) flaggedUser(ctx context.Context, users store.Users, in *invocation) (id string, err error) {
	name := in.Value("user")
	if name == "" {
		return "", nil
	}
	user, err := c.findUser(ctx, users, name)
	return user.ID, err
}

// listTokens is the command token:list.
func (c *Commands) listTokens(ctx context.Context, from store.Store, in *invocation) error {
	user, err := c.flaggedUser(ctx, from, in)
	if err != nil {
		return err
	}
	return table(in, "ID\tNAME\tUSER\tSCOPES\tCREATED\tEXPIRES", tokensOf(ctx, from, user), func(token store.Token) []string {
		name := naming.Printable(cmp.Or(token.UserName, token.UserID))
		return []string{token.ID, naming.Printable(token.Name), name, strings.Join(token.Scopes, " "), day(token.Created), day(token.Expires)}
	})
}

// tokensOf returns the personal access tokens of a user, or of all for "".
func tokensOf(ctx context.Context, from store.Tokens, user string) iter.Seq2[store.Token, error] {
	return tokens.Each(func(after string) ([]store.Token, error) { return from.ListTokens(ctx, user, after, tokens.Listed) }, func(t store.Token) string { return t.ID })
}

// revokeToken is the command token:revoke.
func revokeToken(ctx context.Context, from store.Store, in *invocation) error {
	err := from.DeleteToken(ctx, in.Argument)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no token %q; %s token:list shows the IDs", in.Argument, command.ProgramFrom(ctx).Command)
	}
	if err != nil {
		return err
	}
	return in.printf("The token %s is removed.\n", in.Argument)
}
