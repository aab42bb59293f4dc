package authcheck

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A claimProblem is a mistake in a token. Whether it is a fault may depend on whether the
// server accepts the token.
type claimProblem struct {
	problem
	always bool   // a fault even if the server accepts the token
	accept string // the fix if the server accepts it
}

// withToken checks the claims of the token, and what the server answers to it.
func (c *Check) withToken(ctx context.Context, step *Step) bool {
	method, a, p := c.callWithToken(ctx)
	if p != nil {
		step.fault(p)
		return true
	}
	var problems []*claimProblem
	if token, isJWT := parseJWT(c.token); isJWT {
		problems = c.checkClaims(step, token, now(a.Header))
	} else {
		step.ok("The token isn't a JWT, so only the server can check it.")
	}
	c.judge(ctx, step, method, a, problems)
	return true
}

// callWithToken calls a method that every server has, of the newest version that the
// server supports.
func (c *Check) callWithToken(ctx context.Context) (method string, a *answer, p *problem) {
	for _, method = range []string{"server/discover", "initialize"} {
		a, p = c.client.send(ctx, c.call(method).with(c.token))
		if p != nil || isOpen(a) || a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden {
			break
		}
	}
	if p == nil && method == "initialize" {
		c.endSession(ctx, a, c.token)
	}
	return method, a, p
}

// judge reports the answer to the token, and the problems of its claims.
func (c *Check) judge(ctx context.Context, step *Step, method string, a *answer, problems []*claimProblem) {
	what := fmt.Sprintf("%s with the token gets %s", method, a)
	switch {
	case a.Status == http.StatusUnauthorized:
		if len(problems) == 0 {
			step.fault(&problem{what + c.reason(a) + ".", "Read the server's log. Look for another signing key, algorithm, typ or issuer than it expects."})
		}
		for _, p := range problems {
			step.fault(&p.problem)
		}
		return
	case a.Status == http.StatusForbidden:
		c.checkForbidden(step, what, a)
	case isOpen(a):
		step.ok("%s.", what)
	default:
		step.fault(&problem{what + ". The token was accepted, but the call fails.", "Read the server's log."})
	}
	for _, p := range problems {
		if p.always {
			step.fault(&problem{p.What + " The server accepts it.", p.accept})
		} else {
			step.note(&problem{p.What + " The server accepts it.", p.accept})
		}
	}
	if isOpen(a) {
		c.tokenInQuery(ctx, step, method)
	}
}

// reason returns the description in the challenge of an answer, without the token.
func (c *Check) reason(a *answer) string {
	found, _ := endpoint.ParseChallenges(a.Header)
	challenge, _ := endpoint.Bearer(found)
	text := strings.ReplaceAll(challenge.Params["error_description"], c.token, "[token]")
	if text == "" {
		return ""
	}
	return ": " + show(text)
}

// checkForbidden checks the challenge of a 403, which should name the scopes to ask for.
func (c *Check) checkForbidden(step *Step, what string, a *answer) {
	found, _ := endpoint.ParseChallenges(a.Header)
	challenge, ok := endpoint.Bearer(found)
	scope := challenge.Params["scope"]
	switch {
	case !ok:
		step.fault(&problem{what + " without a Bearer challenge, so the client can't ask for more.",
			`If a scope is missing, send error="insufficient_scope" and scope. Otherwise the user of the token has no permission.`})
	case challenge.Params["error"] != "insufficient_scope":
		step.fault(&problem{fmt.Sprintf("%s with error=%s. Clients ask for more scopes only on insufficient_scope.", what, show(challenge.Params["error"])),
			`Send error="insufficient_scope".`})
	case scope == "":
		step.fault(&problem{what + " with a challenge that has no scope, so the client doesn't know what to ask for.", "Add all scopes of the call to the challenge."})
	case challenge.Params["resource_metadata"] == "":
		step.fault(&problem{what + " with a challenge that has no resource_metadata.", "Add it, as in the challenge of the 401."})
	default:
		step.note(&problem{fmt.Sprintf("%s: the token lacks scopes. The server wants %s.", what, show(scope)), "Get a token with these scopes."})
	}
}

// tokenInQuery checks that the server ignores a token in the URL, which logs would keep.
func (c *Check) tokenInQuery(ctx context.Context, step *Step, method string) {
	r := c.call(method)
	u := *c.url
	query := u.Query()
	query.Set("access_token", c.token)
	u.RawQuery = query.Encode()
	r.url = u.String()
	a, p := c.client.send(ctx, r)
	switch {
	case p != nil:
		step.fault(p)
	case isOpen(a):
		step.fault(&problem{"The server accepts the token in the query (?access_token=), where logs keep it.", "Read tokens from the header Authorization only."})
	default:
		step.ok("A token in the query is ignored.")
	}
	if p == nil && method == "initialize" {
		c.endSession(ctx, a, c.token)
	}
}

// A jwt is the readable part of a token.
type jwt struct {
	header struct {
		Type      string `json:"typ"`
		Algorithm string `json:"alg"`
	}
	claims struct {
		Type      string     `json:"typ"` // Keycloak
		Issuer    string     `json:"iss"`
		Audience  textOrList `json:"aud"`
		Expiry    *float64   `json:"exp"`
		NotBefore *float64   `json:"nbf"`
		Scope     textOrList `json:"scope"`
		Scp       textOrList `json:"scp"` // Entra, Okta
		Nonce     any        `json:"nonce"`
		TokenHash any        `json:"at_hash"`
		CodeHash  any        `json:"c_hash"`
	}
}

// A textOrList is a claim that is a string or an array of strings.
type textOrList []string

// UnmarshalJSON accepts both.
func (t *textOrList) UnmarshalJSON(data []byte) error {
	var text *string
	if codec.Unmarshal(data, &text) != nil {
		return codec.Unmarshal(data, (*[]string)(t))
	}
	if text != nil {
		*t = textOrList{*text}
	}
	return nil
}

// fields splits scopes, which a string separates by spaces.
func (t textOrList) fields() []string { return strings.Fields(strings.Join(t, " ")) }

// parseJWT decodes a token, without verifying it.
func parseJWT(token string) (parsed jwt, is bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return jwt{}, false
	}
	for i, into := range []any{&parsed.header, &parsed.claims} {
		decoded, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || codec.Unmarshal(decoded, into) != nil {
			return jwt{}, false
		}
	}
	return parsed, true
}

// isIDToken reports whether a token tells a client who logged in, instead of giving
// access.
func (t jwt) isIDToken() bool {
	return t.claims.Type == "ID" || t.claims.Nonce != nil || t.claims.TokenHash != nil || t.claims.CodeHash != nil
}

// now returns the time by the server's clock.
func now(header http.Header) time.Time {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		return date
	}
	return time.Now()
}

// checkClaims returns the mistakes in the claims that make servers refuse the token.
func (c *Check) checkClaims(step *Step, token jwt, now time.Time) []*claimProblem {
	if skew := time.Until(now).Round(time.Second); skew.Abs() > time.Minute {
		step.note(&problem{fmt.Sprintf("The server's clock differs from this machine's by %s.", skew.Abs()), "Set both clocks (NTP). Tokens expire by the server's."})
	}
	if token.isIDToken() || token.claims.Type == "Refresh" {
		return []*claimProblem{{
			problem{"The token is an ID token or a refresh token, not an access token (its typ, nonce, at_hash or c_hash shows it).", "Use access_token of the token response."},
			true, "Refuse such tokens: check typ and aud.",
		}}
	}
	problems := slices.Concat(c.checkAudience(token), c.checkTokenIssuer(token), checkTimes(step, token, now))
	if len(problems) == 0 {
		step.ok("The token is a JWT. aud, iss and exp are right.")
	}
	if strings.EqualFold(token.header.Algorithm, "none") {
		problems = append(problems, &claimProblem{problem{"The token isn't signed (alg is none).", "Use a signed token."}, true, "Allow the algorithms of your issuer only."})
	}
	granted := append(token.claims.Scope.fields(), token.claims.Scp.fields()...)
	var missing []string
	for _, scope := range strings.Fields(c.scope) {
		if !slices.Contains(granted, scope) {
			missing = append(missing, scope)
		}
	}
	if len(missing) > 0 {
		step.note(&problem{fmt.Sprintf("scope of the token lacks %s of the challenge.", show(strings.Join(missing, " "))), "If calls get 403, get a token with these scopes."})
	}
	return problems
}

func (c *Check) checkAudience(token jwt) []*claimProblem {
	if slices.ContainsFunc(token.claims.Audience, func(audience string) bool {
		return sameResource(c.resource, audience) || sameResource(c.used, audience)
	}) {
		return nil
	}
	what := fmt.Sprintf("aud of the token is %s; it lacks the resource %s.", show(strings.Join(token.claims.Audience, " ")), show(c.resource))
	if len(token.claims.Audience) == 0 {
		what = "The token has no aud, so it may be meant for any service."
	}
	return []*claimProblem{{
		problem{what, "Get a token with resource=" + show(c.resource) + ". If the issuer uses another audience for this server, configure it (with Bowline: Audiences of auth.JWT)."},
		false, "That is right only if the issuer uses this audience for this server alone. Otherwise the server must refuse it.",
	}}
}

func (c *Check) checkTokenIssuer(token jwt) []*claimProblem {
	if len(c.issuers) == 0 || slices.Contains(c.issuers, token.claims.Issuer) {
		return nil
	}
	return []*claimProblem{{
		problem{fmt.Sprintf("iss of the token is %s, which isn't in authorization_servers (%s).", show(token.claims.Issuer), show(strings.Join(c.issuers, " "))),
			"Get a token of a listed issuer, or list its issuer."},
		false, "If clients should get such tokens, list the issuer.",
	}}
}

func checkTimes(step *Step, token jwt, now time.Time) []*claimProblem {
	if token.claims.Expiry == nil {
		step.note(&problem{"The token has no exp, so it never expires.", "Let the issuer set one."})
	} else if age := now.Sub(seconds(*token.claims.Expiry)).Round(time.Second); age > 0 {
		return []*claimProblem{{
			problem{fmt.Sprintf("The token expired %s ago (exp, by the server's clock).", age), "Get a new one."},
			age > 2*time.Minute, "Refuse expired tokens; a minute of tolerance for clocks is enough.",
		}}
	}
	if token.claims.NotBefore != nil && seconds(*token.claims.NotBefore).After(now.Add(time.Minute)) {
		return []*claimProblem{{
			problem{"The token isn't valid yet (nbf, by the server's clock).", "Compare the clocks of the issuer and the server."},
			true, "Refuse tokens before nbf.",
		}}
	}
	return nil
}

// seconds returns the time of a NumericDate.
func seconds(date float64) time.Time {
	const limit = 1 << 40 // beyond the year 30000
	return time.Unix(int64(math.Max(-limit, math.Min(limit, date))), 0)
}
