package auth

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/fetch"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// An Issuer is an authorization server whose access tokens a program accepts. Only URL is
// required. Mistakes in an Issuer keep the program from starting.
type Issuer struct {
	// URL is the issuer exactly as its tokens (claim iss) and its metadata have it, such as
	// https://login.example.com/realms/staff. It must be an https URL; http is allowed on
	// loopback.
	URL string

	// JWKS is the URL of the issuer's keys (jwks_uri). The default is the one in the metadata
	// of the issuer (RFC 8414 or OpenID Connect Discovery).
	JWKS string

	// Audiences are values of the claim aud that the program accepts besides the URL of the
	// route. Set it if the issuer can't put the URL into its tokens, for instance to the
	// application ID of Microsoft Entra ID. A slash at the end doesn't matter.
	Audiences []string

	// Claims names the claims of the issuer that differ from the default.
	Claims Claims

	// Implies has the scopes that a broader scope includes, such as
	// {"files:write": {"files:read"}}. They are added to the principal's.
	Implies map[string][]string

	// Leeway is how much the clocks of the issuer and of the program may differ, at most 5
	// minutes. The default is 30 seconds.
	Leeway time.Duration

	// Client sends the requests to the issuer. It doesn't follow redirects, and each token
	// waits at most 5 seconds. The default client uses the proxy of the environment, and
	// doesn't connect to loopback and link-local addresses unless the URL is on loopback.
	Client *http.Client

	// Logger gets one line when the issuer begins to fail, with the cause, and one when it
	// works again. The default is slog.Default().
	Logger *slog.Logger
}

// leeway returns the setting or its default.
func (i *Issuer) leeway() time.Duration { return cmp.Or(i.Leeway, limits.Leeway) }

// check returns the mistakes in the fields. Their texts name the function that made the verifier.
func (i *Issuer) check(function string) error {
	var mistakes []error
	add := func(format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("auth."+function+": "+format, args...))
	}
	if err := checkIssuerURL(i.URL); err != nil {
		add("Issuer.URL %q: %w", i.URL, err)
	} else if i.JWKS != "" {
		if err := fetch.ReachFrom(i.URL).CheckURL(i.JWKS); err != nil {
			add("Issuer.JWKS %q: %w", i.JWKS, err)
		}
	}
	if slices.Contains(i.Audiences, "") {
		add(`Issuer.Audiences has ""; remove it, or set it to the audience of the tokens`)
	}
	for scope, implied := range i.Implies {
		if err := checkScopes(append([]string{scope}, implied...)); err != nil {
			add("Issuer.Implies: %w", err)
		}
	}
	if i.Leeway < 0 || i.Leeway > limits.MaxLeeway {
		add("Issuer.Leeway is %v; set it to at most %v, or leave it out for %v", i.Leeway, limits.MaxLeeway, limits.Leeway)
	}
	return errors.Join(mistakes...)
}

// checkIssuerURL returns the mistake in the URL of an issuer (RFC 8414, section 2).
func checkIssuerURL(text string) error {
	switch {
	case text == "":
		return errors.New("it is missing; set it to the claim iss of the tokens, such as https://login.example.com/realms/staff")
	case strings.ContainsAny(text, " \t\r\n?#@"):
		return errors.New("an issuer has no query, fragment, user or white space; set it to the claim iss of the tokens")
	}
	return fetch.ReachFrom(text).CheckURL(text)
}
