package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// isURL reports whether a word is meant as a URL, not as a handle.
func isURL(word string) bool { return strings.Contains(word, "://") }

// headerFlags are the flags of a command that connects to a URL.
type headerFlags struct {
	lines []string
	token tokenFlag
}

func (f *headerFlags) add(command *cobra.Command) {
	command.Flags().StringArrayVarP(&f.lines, "header", "H", nil, "send a `HEADER` such as \"X-Team: a\" with each request to the URL; repeatable")
	f.token.add(command, "send an access token to the URL, read from the first line of stdin")
}

// check returns an error for headers to a server that isn't given by its URL.
func (f *headerFlags) check(server string) error {
	if !isURL(server) && (len(f.lines) > 0 || bool(f.token)) {
		return invocation.NewUsageError("--header and --token-stdin are for the URL of a server; a server on stdio has no headers")
	}
	return nil
}

// read returns the headers that the flags give.
func (f *headerFlags) read(stdin io.Reader) (http.Header, error) {
	header := http.Header{}
	for _, line := range f.lines {
		name, value, found := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !found || name == "" || strings.ContainsAny(name, " \t") {
			return nil, invocation.NewUsageError("--header %q is not a header; write it as \"NAME: VALUE\"", line)
		}
		header.Add(name, strings.TrimSpace(value))
	}
	token, err := f.token.read(stdin)
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	return header, err
}

// connectURL connects to the server at a URL.
func connectURL(ctx context.Context, address string, header http.Header, options client.Options) (*client.Client, error) {
	u, err := endpoint.Parse(address)
	if err != nil {
		return nil, invocation.AsUsage(err)
	}
	if header.Get("Authorization") != "" {
		if err := endpoint.CheckToken(u); err != nil {
			return nil, invocation.AsUsage(err)
		}
	}
	return client.HTTP(ctx, u, header, options)
}

// appOf returns the app that a handle belongs to.
func appOf(i *invocation.Invocation, handle string) (*scaffold.App, error) {
	app, err := i.App()
	if err != nil && strings.ContainsAny(handle, ":/") {
		return nil, invocation.NewUsageError("%q is not a URL, which begins with https://, or with http:// on this machine; and there is no app here that has a handle of this name", handle)
	}
	return app, err
}

// explainRefusal adds to the error of a server at a URL that refuses requests what the user
// can do.
func explainRefusal(err error, server string, header http.Header) error {
	refusal := new(client.RefusedError)
	switch {
	case !errors.As(err, &refusal):
		return err
	case refusal.Status == http.StatusUnauthorized && header.Get("Authorization") == "":
		return fmt.Errorf("%w; give an access token with --header \"Authorization: Bearer …\" or --token-stdin; mcp token:create makes one for an app of yours", err)
	case refusal.Scopes != "":
		return fmt.Errorf("%w; give an access token with the scopes %s", err, endpoint.Show(refusal.Scopes))
	case refusal.IsLogin():
		return fmt.Errorf("%w; the access token isn't valid here, or has too few scopes: mcp auth:check %s --token-stdin says more", err, server)
	case refusal.Location != "":
		return fmt.Errorf("%w; it has moved to %s", err, naming.Printable(refusal.Location))
	case refusal.Status == http.StatusNotFound:
		return fmt.Errorf("%w; is the path right? mcp list shows the paths of an app", err)
	}
	return err
}
