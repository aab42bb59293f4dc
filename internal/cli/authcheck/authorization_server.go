package authcheck

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/address"
	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

// authorizationServer returns the step that checks one authorization server.
func (c *Check) authorizationServer(issuer string) func(context.Context, *Step) bool {
	return func(ctx context.Context, step *Step) bool {
		if d := c.discover(ctx, step, issuer); d != nil {
			c.checkIdentity(step, d, issuer)
			endpoints := checkEndpoints(step, d)
			checkCode(step, d)
			checkRegistration(step, d)
			checkRefresh(step, d)
			c.checkServerPages(ctx, step, d, endpoints["token_endpoint"])
			c.checkKeys(ctx, step, endpoints["jwks_uri"])
		}
		return true
	}
}

// discover returns the document that clients find, or nil.
func (c *Check) discover(ctx context.Context, step *Step, issuer string) *document {
	u, _ := absolute(issuer)
	locations := wellknown.ServerURLs(u)
	for _, location := range locations {
		a, p := c.client.get(ctx, location)
		if p != nil {
			step.fault(p)
			return nil
		}
		if a.Status >= 400 && a.Status < 500 {
			continue
		}
		d, p := parseDocument(location, a)
		if p != nil {
			step.fault(p)
		}
		if d != nil {
			step.ok("The document is at %s.", strings.TrimPrefix(location, address.Origin(u)))
		}
		return d
	}
	step.fault(&problem{"There is no metadata at " + strings.Join(locations, " or ") + ".", "Serve it at one of them, or correct the issuer in authorization_servers."})
	return nil
}

// checkIdentity compares the issuer of the document with the one in authorization_servers.
func (c *Check) checkIdentity(step *Step, d *document, issuer string) {
	said, is := d.text(step, "issuer")
	switch {
	case is == malformed:
	case said == issuer:
		step.ok("issuer is the same as in authorization_servers.")
	case is == absent || said == "":
		step.fault(&problem{d.url + " has no issuer.", fmt.Sprintf("Add \"issuer\": %q.", issuer)})
	default:
		step.fault(&problem{fmt.Sprintf("issuer is %s, but authorization_servers has %s: %s. Clients compare bytes and refuse the server.",
			show(said), show(issuer), difference(issuer, said)), "Make both equal, down to the trailing slash."})
	}
}

// checkEndpoints checks the URLs to which clients send people and requests. It returns
// those that clients can use, by the names of their members.
func checkEndpoints(step *Step, d *document) map[string]string {
	faults, usable := step.Count(finding.LevelBroken), map[string]string{}
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint", "jwks_uri"} {
		text, is := d.text(step, name)
		u, ok := absolute(text)
		switch {
		case is == absent && (name == "authorization_endpoint" || name == "token_endpoint"):
			step.fault(&problem{fmt.Sprintf("%s has no %s.", d.url, name), "Add it. Clients log in with an authorization code."})
		case is != present:
		case !ok:
			step.fault(&problem{fmt.Sprintf("%s is %s, which isn't an absolute URL.", name, show(text)), "Write the whole URL."})
		case !naming.IsSecure(u):
			step.fault(&problem{fmt.Sprintf("%s is %s. Clients refuse http:// except on loopback.", name, show(text)), "Use https."})
		default:
			usable[name] = text
		}
	}
	if step.Count(finding.LevelBroken) == faults {
		step.ok("The endpoints have absolute URLs with https or on loopback.")
	}
	return usable
}

// checkCode checks that clients can get a code with PKCE.
func checkCode(step *Step, d *document) {
	types, is := d.list(step, "response_types_supported")
	if is != malformed && !slices.Contains(types, "code") {
		step.fault(&problem{`response_types_supported lacks "code".`, "Add it (RFC 8414, section 2). Clients ask for a code only."})
	}
	grants, is := d.list(step, "grant_types_supported")
	if is == present && !slices.Contains(grants, "authorization_code") {
		step.fault(&problem{`grant_types_supported lacks "authorization_code".`, "Add it, or remove the member."})
	}
	switch methods, is := d.list(step, "code_challenge_methods_supported"); {
	case is == malformed:
	case is == absent:
		step.fault(&problem{"code_challenge_methods_supported is missing. Clients refuse a server without PKCE.", `Add ["S256"].`})
	case !slices.Contains(methods, "S256"):
		step.fault(&problem{`code_challenge_methods_supported lacks "S256". Clients refuse other methods of PKCE.`, "Add it."})
	default:
		step.ok("It supports authorization codes with PKCE (S256).")
	}
	if !d.flag(step, "authorization_response_iss_parameter_supported") {
		step.note(&problem{"authorization_response_iss_parameter_supported isn't true, so clients can't tell which server answered (RFC 9207).",
			"Send iss with each authorization response, and set the member to true."})
	}
}

// checkRegistration checks how a client gets an id.
func checkRegistration(step *Step, d *document) {
	const flag, list = "client_id_metadata_document_supported", "token_endpoint_auth_methods_supported"
	methods, _ := d.list(step, list)
	documents, public := d.flag(step, flag), slices.Contains(methods, "none")
	endpoint, _ := d.text(step, "registration_endpoint")
	switch {
	case documents && public:
		step.ok("Clients identify themselves with a client ID metadata document.")
	case documents && endpoint == "" && !slices.Contains(methods, "private_key_jwt"):
		step.fault(&problem{flag + " is true, but " + list + ` lacks "none". Clients then don't use such documents, and there is no other registration.`,
			`Add "none".`})
	case documents:
		step.note(&problem{flag + " is true, but " + list + ` lacks "none". Most clients then don't use such documents.`, `Add "none".`})
	case endpoint != "":
		step.ok("Clients register themselves at registration_endpoint.")
	default:
		step.note(&problem{"There is neither " + flag + " nor registration_endpoint. Clients need an id that you register by hand.",
			"Tell users the client id, or use an authorization server that supports registration."})
	}
}

// checkRefresh notes that users must log in again when a token expires.
func checkRefresh(step *Step, d *document) {
	grants, _ := d.list(step, "grant_types_supported")
	scopes, _ := d.list(step, "scopes_supported")
	switch {
	case !slices.Contains(grants, "refresh_token"):
		step.note(&problem{`grant_types_supported lacks "refresh_token". Users must log in again when a token expires.`,
			"If the server issues refresh tokens, add it."})
	case !slices.Contains(scopes, "offline_access"):
		step.note(&problem{`scopes_supported lacks "offline_access". Some clients then don't ask for refresh tokens.`, "Add it."})
	}
}

// checkServerPages checks that clients in browsers can read the document and get tokens,
// and that the token endpoint exists.
func (c *Check) checkServerPages(ctx context.Context, step *Step, d *document, endpoint string) {
	const fix = "Send Access-Control-Allow-Origin: * (never at the authorization endpoint)."
	if readable, _, p := c.client.readableByPages(ctx, request{http.MethodGet, d.url, "", []string{"Accept", "application/json"}}); p != nil {
		step.fault(p)
	} else if !readable {
		step.note(&problem{d.url + " has no Access-Control-Allow-Origin, so clients in browsers can't read it.", fix})
	}
	if endpoint == "" {
		return // already reported
	}
	readable, a, p := c.client.readableByPages(ctx, request{http.MethodPost, endpoint, "grant_type=authorization_code", []string{
		"Content-Type", "application/x-www-form-urlencoded", "Accept", "application/json",
	}})
	switch {
	case p != nil:
		step.fault(p)
	case a.redirects() || a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed:
		step.fault(&problem{fmt.Sprintf("POST to token_endpoint (%s) gets %s.", show(endpoint), a), "Correct the URL in the document."})
	case !readable:
		step.note(&problem{"token_endpoint has no Access-Control-Allow-Origin, so clients in browsers can't get tokens.", fix})
	}
}

// checkKeys checks that the keys of the server's tokens can be read.
func (c *Check) checkKeys(ctx context.Context, step *Step, location string) {
	if location == "" {
		return // servers whose tokens aren't JWTs have none
	}
	a, p := c.client.get(ctx, location)
	if p == nil && a.Status != http.StatusOK {
		p = &problem{fmt.Sprintf("jwks_uri (%s) answers %s.", show(location), a), "Correct the URL, or serve the public keys there."}
	}
	if p != nil {
		step.fault(p)
		return
	}
	var set struct {
		Keys []codec.Value `json:"keys"`
	}
	if codec.Unmarshal(a.Body, &set) != nil || len(set.Keys) == 0 {
		step.fault(&problem{fmt.Sprintf("jwks_uri (%s) has no keys, so nobody can verify tokens.", show(location)), `Serve {"keys": […]} with the public keys.`})
		return
	}
	step.ok("jwks_uri has %d %s.", len(set.Keys), verb(make([]string, len(set.Keys)), "key", "keys"))
}
