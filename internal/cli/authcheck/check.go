// Package authcheck checks how an MCP server over HTTP authorizes clients. It acts as a
// client: it reads the challenge of the server, the metadata of the resource and of its
// authorization servers, and optionally uses a token.
//
// A fault makes clients fail, or breaks a rule of the MCP specification or of an RFC that
// it requires. A note is a recommendation that isn't followed, or a limit that users
// should know.
package authcheck

import (
	"context"
	"fmt"
	"iter"
	"net/url"

	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
)

// A Check is the check of one server.
type Check struct {
	client *client
	url    *url.URL // of the MCP endpoint
	used   string   // the URL as the user wrote it, with which clients compare bytes
	token  string   // or ""

	// What earlier steps found.
	refusals    []refusal // the requests that got 401
	scope       string    // of the challenge
	metadataURL *url.URL  // of the challenge, or nil
	resource    string    // what the metadata call the server; the URL if they don't
	issuers     []string  // the authorization servers

	// wrongOrigin is the origin that the server names instead of its own, once it has been
	// reported.
	wrongOrigin string
}

// A refusal is a request that got 401.
type refusal struct {
	name   string
	answer *answer
}

// New returns the check of the MCP server at the URL. The token is an access token for it,
// or "". The errors are mistakes of the user, and one of them is a token for a URL over which
// others could read it.
func New(rawURL, token string) (*Check, error) {
	u, err := endpoint.Parse(rawURL)
	if err == nil && token != "" {
		err = endpoint.CheckToken(u)
	}
	if err != nil {
		return nil, err
	}
	return &Check{client: newClient(), url: u, used: rawURL, token: token}, nil
}

// Steps runs the check and yields each step when it has ended. The check makes about 30
// requests, each of at most 10 s, and takes at most two minutes.
func (c *Check) Steps(ctx context.Context) iter.Seq[*Step] {
	return func(yield func(*Step) bool) {
		ctx, cancel := context.WithTimeout(ctx, totalTime)
		defer cancel()
		defer c.client.http.CloseIdleConnections()
		run := func(title string, check func(context.Context, *Step) bool) bool {
			step := &Step{Title: title}
			goesOn := check(ctx, step)
			switch ctx.Err() {
			case context.Canceled:
				return false
			case context.DeadlineExceeded:
				step.Findings = nil // they may be about requests that were cut off
				step.fault(&problem{fmt.Sprintf("The check ended early, since it takes at most %s.", totalTime), "Find out why the servers are slow."})
				goesOn = false
			}
			return yield(step) && goesOn
		}
		if !run("Without a token", c.withoutToken) || !run("Challenge", c.challenges) || !run("Protected resource metadata", c.resourceMetadata) {
			return
		}
		for _, issuer := range c.issuers {
			if !run("Authorization server "+show(issuer), c.authorizationServer(issuer)) {
				return
			}
		}
		if c.token != "" {
			run("Token", c.withToken)
		}
	}
}

// absolute parses an absolute http or https URL.
func absolute(text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	return u, err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
