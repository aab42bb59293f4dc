// Package admin has the commands with which an operator manages the clients, users, grants, tokens
// and keys of the authorization server.
package admin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/tokens"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/command"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Commands has what the commands need of a server, which may not be open: fields of its
// oauth.Config and some of its parts.
type Commands struct {
	Mistakes error // in the configuration; no command runs then

	Store            string
	Drivers          []store.Driver
	Keys, PrivateKey string
	LongestAccess    time.Duration

	Clients *clients.Registry
	Tokens  *tokens.Endpoint

	// NewUser is a method of oauth.PasswordAuthenticator, or nil if users log in elsewhere.
	NewUser func(name, password string) (store.User, error)
}

// All returns the commands. Each opens only the store or the file of the keys, so that it can run
// while the program serves.
func (c *Commands) All() []mcp.Command {
	runs := map[string]func(context.Context, *invocation) error{
		"auth:purge":    c.withStore(purgeNow),
		"client:create": c.withStore(c.createClient),
		"client:list":   c.withStore(listClients),
		"client:revoke": c.withStore(revokeClient),
		"grant:list":    c.withStore(c.listGrants),
		"grant:revoke":  c.withStore(revokeGrant),
		"key:generate":  c.generateKeys,
		"key:rotate":    c.rotateKeys,
		"session:end":   c.withStore(c.endSession),
		"token:create":  c.withStore(c.createToken),
		"token:list":    c.withStore(c.listTokens),
		"token:revoke":  c.withStore(revokeToken),
		"user:create":   c.withUsers(c.createUser),
		"user:disable":  c.withUsers(c.setDisabled(true, "The user %s can't log in, and this program refuses the user's tokens. Other programs accept them until they expire.\n")),
		"user:enable":   c.withUsers(c.setDisabled(false, "The user %s can log in. Clients have the access again that they had.\n")),
		"user:list":     c.withUsers(listUsers),
		"user:password": c.withUsers(c.setPassword),
		"user:remove":   c.withUsers(c.removeUser),
	}
	var all []mcp.Command
	for _, described := range command.All() {
		all = append(all, mcp.Command{
			Name: described.Name, Usage: described.Usage(), Summary: described.Summary,
			Run: func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
				given, err := described.Parse(args)
				switch {
				case errors.Is(err, flag.ErrHelp):
					return err
				case err != nil:
					return &mcp.UsageError{Reason: err.Error()}
				case c.Mistakes != nil:
					return c.Mistakes
				}
				return runs[described.Name](ctx, &invocation{given, stdin, stdout, stderr})
			},
		})
	}
	return all
}

// An invocation is one run of a command.
type invocation struct {
	command.Arguments
	stdin          io.Reader
	stdout, stderr io.Writer
}

// printf writes a part of the result.
func (in *invocation) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(in.stdout, format, args...)
	return err
}

// table writes records as rows with aligned columns.
func table[R any](in *invocation, header string, records iter.Seq2[R, error], row func(R) []string) error {
	table := tabwriter.NewWriter(in.stdout, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, header)
	for record, err := range records {
		if err != nil {
			return errors.Join(table.Flush(), err)
		}
		_, _ = fmt.Fprintln(table, strings.Join(row(record), "\t"))
	}
	return table.Flush()
}

// day returns the date of a time, or "-" for none.
func day(t time.Time) string { return formatted(t, time.DateOnly) }

// minute returns a time to the minute, or "-" for none.
func minute(t time.Time) string { return formatted(t, "2006-01-02 15:04") }

func formatted(t time.Time, layout string) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(layout)
}

// misused returns a usage error.
func misused(format string, args ...any) error {
	return &mcp.UsageError{Reason: fmt.Sprintf(format, args...)}
}

// A storeCommand is a command that uses the store.
type storeCommand = func(ctx context.Context, from store.Store, in *invocation) error

// withStore returns a command that opens the store.
func (c *Commands) withStore(run storeCommand) func(context.Context, *invocation) error {
	return func(ctx context.Context, in *invocation) error {
		if strings.HasPrefix(c.Store, "memory:") {
			return errors.New("the store is in memory, so it ends with the process, and a command can't change the store of the running program; set Config.Store (OAUTH_STORE) to another one, such as sqlite:storage/oauth.db")
		}
		opened, err := store.Open(ctx, c.Store, c.Drivers...)
		if err != nil {
			return fmt.Errorf("oauth: %w", err)
		}
		return errors.Join(run(ctx, opened, in), opened.Close())
	}
}

// withUsers returns a command that uses the users of the store.
func (c *Commands) withUsers(run storeCommand) func(context.Context, *invocation) error {
	return c.withStore(func(ctx context.Context, users store.Store, in *invocation) error {
		if c.NewUser == nil {
			return errors.New("the store has no users, since Config.Authenticator logs them in elsewhere; manage them there, or set it to login.Password()")
		}
		return run(ctx, users, in)
	})
}

// checkScopes returns a usage error for scopes that the server doesn't have.
func (c *Commands) checkScopes(scopes []string) error {
	for _, scope := range scopes {
		if _, known := c.Tokens.Scopes[scope]; !known {
			return misused("the scope %q is unknown; Config.Scopes has %s", scope, strings.Join(slices.Sorted(maps.Keys(c.Tokens.Scopes)), ", "))
		}
	}
	return nil
}

// Purge removes what has expired, and the oldest of many clients that nobody has used.
func Purge(ctx context.Context, from store.Store) (records, clients int, err error) {
	if records, err = from.Purge(ctx, time.Now()); err != nil {
		return records, 0, err
	}
	clients, err = from.PruneClients(ctx, limits.UnusedClients)
	return records, clients, err
}

// purgeNow is the command auth:purge.
func purgeNow(ctx context.Context, from store.Store, in *invocation) error {
	records, clients, err := Purge(ctx, from)
	if err != nil {
		return err
	}
	return in.printf("Removed %d expired grants, tokens and logins, and %d clients that nobody has used.\n", records, clients)
}
