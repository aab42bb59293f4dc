package admin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/tokens"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/command"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// createClient is the command client:create.
func (c *Commands) createClient(ctx context.Context, from store.Store, in *invocation) error {
	client, err := c.newClient(in)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("The client %s:\n\n  client_id      %s\n", client.Name, client.ID)
	if client.Keys == nil && client.KeysURI == "" && (in.Has("confidential") || len(client.GrantTypes) > 0) {
		secret := rand.Text() + rand.Text()
		hash := store.HashOf(secret)
		client.Secret = &hash
		text += fmt.Sprintf("  client_secret  %s\n\nThe secret can't be shown again.\n", secret)
	}
	if err := from.CreateClient(ctx, client); err != nil {
		return err
	}
	return in.printf("%s", text)
}

// newClient returns the client that the arguments of a command describe, without a secret.
func (c *Commands) newClient(in *invocation) (store.Client, error) {
	client := store.Client{
		ID: rand.Text(), Source: store.Static, Name: in.Argument, RedirectURIs: in.Values("redirect"), Scopes: in.Words("scope"),
		Resources: in.Values("resource"), KeysURI: in.Value("jwks-uri"), Created: time.Now(),
	}
	machine, enterprise, keys := in.Has("machine"), in.Has("enterprise"), in.Has("jwks") || in.Has("jwks-uri")
	public := !machine && !enterprise && !keys && !in.Has("confidential")
	switch {
	case !metadata.IsName(client.Name):
		return client, misused("NAME has more than %d characters, or invisible ones", limits.MaxClientName)
	case machine && len(client.RedirectURIs) > 0:
		return client, misused("a client has either --redirect, for users who log in, or --machine; make two clients")
	case machine && enterprise:
		return client, misused("a client has either --machine, for itself, or --enterprise, for users; make two clients")
	case enterprise && len(c.Tokens.IdentityProviders) == 0:
		return client, misused("--enterprise is for the users of an identity provider, and Config.IdentityProviders has none; add the company's")
	case !machine && !enterprise && len(client.RedirectURIs) == 0:
		return client, misused("--redirect URI is missing; give the URIs that users return to, or --machine for a client without users")
	case in.Has("confidential") && keys:
		return client, misused("a client has either a secret or keys; give --confidential, --jwks or --jwks-uri")
	case len(client.RedirectURIs) > limits.RedirectURIs:
		return client, misused("a client has at most %d redirect URIs", limits.RedirectURIs)
	case public && len(client.Resources) > 0:
		return client, misused("--resource is for a client with a secret; add --confidential")
	case public && c.Clients.NoPublicClients:
		return client, misused("Config.NoPublicClients refuses clients without a secret or a key; add --confidential")
	}
	if keys {
		if err := readKeys(&client, in); err != nil {
			return client, err
		}
	}
	if enterprise {
		client.GrantTypes = []string{grants.Assertion}
		if len(client.RedirectURIs) > 0 {
			client.GrantTypes = append(client.GrantTypes, grants.Code, grants.Refresh)
		}
	}
	if machine {
		client.GrantTypes = []string{grants.Credentials}
		if len(client.Scopes) == 0 {
			client.Scopes = c.Tokens.DefaultScopes
		}
	}
	for _, uri := range client.RedirectURIs {
		if err := metadata.CheckRedirectURI(uri, c.Clients.RedirectSchemes); err != nil {
			return client, misused("--redirect %s: %v", uri, err)
		}
	}
	for _, resource := range client.Resources {
		if !isResource(resource) {
			return client, misused("--resource %s: it must be the URL of a guarded route, as its metadata has it, such as https://example.com/mcp/private", resource)
		}
	}
	return client, c.checkScopes(client.Scopes)
}

// readKeys sets the keys of a client.
func readKeys(client *store.Client, in *invocation) error {
	if file := in.Value("jwks"); file != "" {
		text, err := os.ReadFile(file) //nolint:gosec // the operator's file
		if err != nil {
			return fmt.Errorf("--jwks: %w", err)
		}
		client.Keys = text
	}
	if err := clients.CheckKeys(client.Keys, client.KeysURI); err != nil {
		return misused("%v; give one of --jwks FILE and --jwks-uri URL", err)
	}
	return nil
}

// isResource reports whether a text can be the URL of a guarded route in its metadata.
func isResource(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.Host == strings.ToLower(u.Host) &&
		u.User == nil && !strings.ContainsAny(text, "?#") && !strings.HasSuffix(text, "/") && u.String() == text
}

// listClients is the command client:list.
func listClients(ctx context.Context, from store.Store, in *invocation) error {
	all := tokens.Each(func(after string) ([]store.Client, error) { return from.ListClients(ctx, after, tokens.Listed) }, func(c store.Client) string { return c.ID })
	return table(in, "ID\tNAME\tSOURCE\tAUTHENTICATION\tCREATED\tFIRST USED", all, func(client store.Client) []string {
		return []string{
			naming.Printable(client.ID), naming.Printable(clients.NameOf(client)), string(client.Source), strings.Join(clients.MethodsOf(client), " "),
			day(client.Created), day(client.Used),
		}
	})
}

// revokeClient is the command client:revoke. The grants of a client end with it; see
// Server.checkGrant.
func revokeClient(ctx context.Context, from store.Store, in *invocation) error {
	err := from.DeleteClient(ctx, in.Argument)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no client %q; %s client:list shows the IDs", in.Argument, command.ProgramFrom(ctx).Command)
	}
	if err != nil {
		return err
	}
	return in.printf("The client %s is removed, with its access. Other programs accept its access tokens until they expire.\n", in.Argument)
}
