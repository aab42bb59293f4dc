package oauth

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

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/command"
)

// Commands returns the commands of the server, for App.Run. Each opens only the store or the
// file of the keys, so that it can run while the program serves.
func (s *Server) Commands() []mcp.Command {
	runs := map[string]func(context.Context, *invocation) error{
		"auth:purge":    s.withStore(purgeNow),
		"client:create": s.withStore(s.createClient),
		"client:list":   s.withStore(listClients),
		"client:revoke": s.withStore(revokeClient),
		"grant:list":    s.withStore(s.listGrants),
		"grant:revoke":  s.withStore(revokeGrant),
		"key:generate":  s.generateKeys,
		"key:rotate":    s.rotateKeys,
		"session:end":   s.withStore(s.endSession),
		"token:create":  s.withStore(s.createToken),
		"token:list":    s.withStore(s.listTokens),
		"token:revoke":  s.withStore(revokeToken),
		"user:create":   s.withStore(s.createUser),
		"user:disable":  s.withStore(s.disableUser),
		"user:enable":   s.withStore(s.enableUser),
		"user:list":     s.withStore(s.listUsers),
		"user:password": s.withStore(s.setPassword),
		"user:remove":   s.withStore(s.removeUser),
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
				case s.mistakes != nil:
					return s.mistakes
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

// table writes rows with aligned columns.
func (in *invocation) table(header string, rows iter.Seq2[[]string, error]) error {
	table := tabwriter.NewWriter(in.stdout, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, header)
	for row, err := range rows {
		if err != nil {
			return errors.Join(table.Flush(), err)
		}
		_, _ = fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

// day returns the date of a time, or "-" for none.
func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateOnly)
}

// minute returns a time to the minute, or "-" for none.
func minute(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// misused returns a usage error.
func misused(format string, args ...any) error {
	return &mcp.UsageError{Reason: fmt.Sprintf(format, args...)}
}

// withStore returns a command that uses the store.
func (s *Server) withStore(run func(context.Context, store.Store, *invocation) error) func(context.Context, *invocation) error {
	return func(ctx context.Context, in *invocation) error {
		if strings.HasPrefix(s.config.Store, "memory:") {
			return errors.New("the store is in memory, so it ends with the process, and a command can't change that of the running program; set Config.Store (OAUTH_STORE) to another one, such as sqlite:storage/oauth.db")
		}
		opened, err := store.Open(ctx, s.config.Store, s.config.Drivers...)
		if err != nil {
			return fmt.Errorf("oauth: %w", err)
		}
		return errors.Join(run(ctx, opened, in), opened.Close())
	}
}

// listed is how many records a command reads at once.
const listed = 100

// each returns all records of a list that is read in parts.
func each[R any](list func(after string) ([]R, error), id func(R) string) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for after := ""; ; {
			part, err := list(after)
			if err != nil {
				var none R
				yield(none, err)
				return
			}
			for _, record := range part {
				if !yield(record, nil) {
					return
				}
				after = id(record)
			}
			if len(part) == 0 {
				return
			}
		}
	}
}

// checkScopes returns a usage error for scopes that the server doesn't have.
func (s *Server) checkScopes(scopes []string) error {
	for _, scope := range scopes {
		if _, known := s.config.Scopes[scope]; !known {
			return misused("the scope %q is unknown; Config.Scopes has %s", scope, strings.Join(slices.Sorted(maps.Keys(s.config.Scopes)), ", "))
		}
	}
	return nil
}
