package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/authorize"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/tokens"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/internal/command"
	"github.com/bowline-mcp/bowline/internal/engine/dispatch"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// listGrants is the command grant:list.
func (c *Commands) listGrants(ctx context.Context, from store.Store, in *invocation) error {
	user, err := c.flaggedUser(ctx, from, in)
	if err != nil {
		return err
	}
	return table(in, "ID\tUSER\tCLIENT\tSCOPES\tCREATED\tLAST USED\tEXPIRES", tokens.LiveGrants(ctx, from, user), func(grant store.Grant) []string {
		return []string{
			grant.ID, naming.Printable(cmp.Or(grant.UserName, grant.UserID, "-")), naming.Printable(grant.ClientID), strings.Join(grant.Scopes, " "),
			day(grant.Created), minute(grant.Used), day(grant.Expires),
		}
	})
}

// revokeGrant is the command grant:revoke.
func revokeGrant(ctx context.Context, from store.Store, in *invocation) error {
	grant, err := from.Grant(ctx, in.Argument)
	if errors.Is(err, store.ErrNotFound) || err == nil && !grant.Live(time.Now()) {
		return fmt.Errorf("there is no grant %q; %s grant:list shows the IDs", in.Argument, command.ProgramFrom(ctx).Command)
	}
	if err == nil {
		err = from.RevokeGrant(ctx, grant.ID, time.Now())
	}
	if err != nil {
		return err
	}
	about := events.Authorization{User: grant.UserID, Client: grant.ClientID}
	dispatch.Send(ctx, events.GrantRevoked{Authorization: about, Grant: grant.ID, Reason: events.RevokedByCommand})
	return in.printf("The access of the client %s is ended. Other programs accept its access token until it expires.\n", naming.Printable(grant.ClientID))
}

// revokeGrants revokes the grants of a user, and returns of how many clients they were.
func revokeGrants(ctx context.Context, from store.Grants, user string) (clients int, err error) {
	var ids []string
	for grant, err := range tokens.LiveGrants(ctx, from, user) {
		if err == nil {
			err = from.RevokeGrant(ctx, grant.ID, time.Now())
		}
		if err != nil {
			return len(ids), err
		}
		if !slices.Contains(ids, grant.ClientID) {
			ids = append(ids, grant.ClientID)
		}
	}
	return len(ids), nil
}

// endSession is the command session:end.
func (c *Commands) endSession(ctx context.Context, from store.Store, in *invocation) error {
	user, err := c.findUser(ctx, from, in.Argument)
	if err != nil {
		return err
	}
	if err := authorize.EndSessions(ctx, from, user.ID); err != nil {
		return err
	}
	dispatch.Send(ctx, events.LoggedOut{Authorization: events.Authorization{User: user.ID}, Everywhere: true})
	return in.printf("The user %s is logged out of all browsers. Clients keep their access.\n", cmp.Or(user.Name, user.ID))
}
