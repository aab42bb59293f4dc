package authcheck

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

// challenges checks the WWW-Authenticate headers of all requests that got 401, and the
// answer to a token that nobody issued.
func (c *Check) challenges(ctx context.Context, step *Step) bool {
	first := c.refusals[0]
	found, mistakes := endpoint.ParseChallenges(first.answer.Header)
	for _, m := range mistakes {
		step.fault((*problem)(&m))
	}
	challenge, ok := endpoint.Bearer(found)
	if !ok && len(mistakes) == 0 {
		step.fault(c.noBearer(found, len(first.answer.Header.Values("WWW-Authenticate"))))
	}
	if ok {
		if found[0].Scheme != "bearer" {
			step.fault(&problem{fmt.Sprintf("The 401 names the scheme %s before Bearer. Clients with the TypeScript SDK read the first scheme only.",
				show(found[0].Scheme)), "Send the Bearer challenge first."})
		}
		c.readChallenge(step, challenge)
		c.compareChallenges(step, challenge)
	}
	c.unknownToken(ctx, step, ok)
	return true
}

// noBearer explains a 401 without a Bearer challenge.
func (c *Check) noBearer(found []endpoint.Challenge, headers int) *problem {
	fix := fmt.Sprintf("Send WWW-Authenticate: Bearer resource_metadata=%q.", wellknown.ResourceURL(c.url))
	if headers == 0 {
		return &problem{"The 401 has no header WWW-Authenticate, so clients don't know how to log in.", fix}
	}
	var schemes []string
	for _, other := range found {
		schemes = append(schemes, show(other.Scheme))
	}
	return &problem{fmt.Sprintf("The header WWW-Authenticate of the 401 has no Bearer challenge (schemes: %s).", strings.Join(schemes, ", ")), fix}
}

// readChallenge checks the parameters of the Bearer challenge.
func (c *Check) readChallenge(step *Step, challenge endpoint.Challenge) {
	wellKnown := wellknown.ResourceURL(c.url)
	text, given := challenge.Params["resource_metadata"]
	switch u, isAbsolute := absolute(text); {
	case !given:
		step.fault(&problem{"The Bearer challenge has no resource_metadata, so clients must guess where the metadata is.",
			fmt.Sprintf("Add resource_metadata=%q to WWW-Authenticate.", wellKnown)})
	case !isAbsolute:
		step.fault(&problem{fmt.Sprintf("resource_metadata in WWW-Authenticate is %s, which isn't an absolute URL.", show(text)),
			fmt.Sprintf("Send the whole URL: %s.", wellKnown)})
	default:
		c.metadataURL = u
		step.ok("resource_metadata is %s.", show(text))
	}
	c.scope = challenge.Params["scope"]
	switch {
	case c.scope == "":
		step.note(&problem{"The Bearer challenge has no scope. Clients then ask for every scope in the metadata, or for none.",
			`Add the scopes that a client needs first, such as scope="mcp:use".`})
	case slices.Contains(strings.Fields(c.scope), "offline_access"):
		step.note(&problem{"scope in the challenge has offline_access, which isn't a scope of this server.",
			"Remove it. Clients ask the authorization server for it themselves."})
	default:
		step.ok("scope is %s.", show(c.scope))
	}
	if code, sent := challenge.Params["error"]; sent {
		step.note(&problem{fmt.Sprintf("The challenge has error=%s although no token was sent (RFC 6750, section 3.1).", show(code)),
			"Send error only if the request has a token."})
	}
}

// compareChallenges reports requests whose 401 leads elsewhere.
func (c *Check) compareChallenges(step *Step, want endpoint.Challenge) {
	var others []string
	for _, refused := range c.refusals[1:] {
		found, _ := endpoint.ParseChallenges(refused.answer.Header)
		challenge, ok := endpoint.Bearer(found)
		if !ok || challenge.Params["resource_metadata"] != want.Params["resource_metadata"] {
			others = append(others, refused.name)
		}
	}
	if len(others) > 0 {
		step.fault(&problem{fmt.Sprintf("The 401 for %s has no Bearer challenge, or another resource_metadata, than that for %s.",
			enumeration(others), c.refusals[0].name), "Send the same challenge with each 401."})
	}
}

// unknownToken checks the answer to a token that nobody issued. Its challenge is checked
// only if the server sends one without a token.
func (c *Check) unknownToken(ctx context.Context, step *Step, hasChallenge bool) {
	name := c.refusals[0].name
	a, p := c.client.send(ctx, c.call(name).with("mcp-auth-check-unknown-token"))
	if p != nil {
		step.fault(p)
		return
	}
	what := fmt.Sprintf("%s with an unknown token gets %s", name, a)
	switch {
	case isOpen(a):
		step.fault(&problem{what + ": the server accepts any token.", "Verify tokens: signature or introspection, issuer, audience and expiry."})
		return
	case a.Status >= http.StatusInternalServerError:
		step.fault(&problem{what + ". Clients retry instead of logging in again.",
			"Answer 401 to every token that can't be verified. If the issuer can't be reached, the log should say so."})
		return
	case a.Status != http.StatusUnauthorized:
		step.fault(&problem{what + ", not 401. Clients then don't log in again.", "Answer 401. 403 is for missing scopes."})
		return
	}
	found, _ := endpoint.ParseChallenges(a.Header)
	challenge, ok := endpoint.Bearer(found)
	switch code := challenge.Params["error"]; {
	case !ok && !hasChallenge:
	case !ok:
		step.fault(&problem{what + " without a Bearer challenge.", `Send the same challenge as without a token, and error="invalid_token".`})
	case code == "":
		step.note(&problem{what + " without error.", `Send error="invalid_token" (RFC 6750, section 3.1).`})
	case code != "invalid_token":
		step.note(&problem{fmt.Sprintf("%s with error=%s.", what, show(code)), `Send error="invalid_token" (RFC 6750, section 3.1).`})
	default:
		step.ok("An unknown token gets 401 with error=%q.", code)
	}
}
