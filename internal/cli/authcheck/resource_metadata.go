package authcheck

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/address"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

// resourceMetadata checks the metadata of the resource (RFC 9728): at the URL of the
// challenge, and at the two places where clients look without one.
func (c *Check) resourceMetadata(ctx context.Context, step *Step) bool {
	c.resource = c.used
	if d := c.findMetadata(ctx, step); d != nil {
		c.checkResource(step, d)
		c.checkMembers(step, d)
		c.findIssuers(step, d)
		c.checkPages(ctx, step, d)
	}
	c.unknownPath(ctx, step)
	return true
}

// findMetadata returns the document that clients find first, or nil.
func (c *Check) findMetadata(ctx context.Context, step *Step) *document {
	var found *document
	byPath, byRoot := wellknown.ResourceURL(c.url), address.Origin(c.url)+wellknown.Resource
	if c.metadataURL != nil {
		found = c.fetchChallenged(ctx, step)
	}
	if c.metadataURL == nil || c.metadataURL.String() != byPath {
		found = c.fallBack(ctx, step, found, byPath, "path")
	}
	if byRoot != byPath && (c.metadataURL == nil || c.metadataURL.String() != byRoot) {
		found = c.fallBack(ctx, step, found, byRoot, "root")
	}
	if found == nil && c.metadataURL == nil {
		step.fault(&problem{fmt.Sprintf("There is no metadata, neither at %s nor at %s.", byPath, byRoot), "Serve the document at the first URL (RFC 9728)."})
	}
	return found
}

// fetchChallenged gets the document at the URL of the challenge.
func (c *Check) fetchChallenged(ctx context.Context, step *Step) *document {
	location := c.metadataURL.String()
	if naming.IsSecure(c.url) && !naming.IsSecure(c.metadataURL) {
		c.wrongOrigin = address.Origin(c.metadataURL)
		step.fault(&problem{fmt.Sprintf("resource_metadata is %s. Clients refuse http://.", location),
			fmt.Sprintf("Send %s (with Bowline: APP_URL=%s).", wellknown.ResourceURL(c.url), address.Origin(c.url))})
		return nil
	}
	d, p := c.client.fetch(ctx, location)
	if p != nil {
		if address.Origin(c.metadataURL) != address.Origin(c.url) {
			c.wrongOrigin = address.Origin(c.metadataURL)
			p.Fix = fmt.Sprintf("If the host is wrong, send %s (with Bowline: APP_URL=%s). Otherwise: %s", wellknown.ResourceURL(c.url), address.Origin(c.url), p.Fix)
		}
		step.fault(p)
	}
	if d != nil {
		step.ok("The document is served at resource_metadata.")
	}
	return d
}

// fallBack looks where clients look if they have no URL from a challenge. It returns the
// document that was found before, or else this one.
func (c *Check) fallBack(ctx context.Context, step *Step, found *document, location, form string) *document {
	a, p := c.client.get(ctx, location)
	if p != nil {
		step.note(p)
		return found
	}
	d, p := parseDocument(location, a)
	switch {
	case d != nil && found == nil:
		if p != nil {
			step.fault(p)
		}
		step.ok("The document is served at %s.", location)
		return d
	case d != nil:
		c.compareFallback(step, d, found, form)
	case a.Status == http.StatusNotFound && form == "root":
		step.ok("%s gets 404; clients look there last.", wellknown.Resource)
	default:
		p.What += " Clients that ignore the challenge look there."
		step.note(p)
	}
	return found
}

// compareFallback checks a document that only some clients read against the one that was
// found before.
func (c *Check) compareFallback(step *Step, d, found *document, form string) {
	said := resourceOf(d)
	switch {
	case said == resourceOf(found):
		step.ok("The document is also served at %s.", d.url)
	case form == "root":
		step.ok("%s is for %s.", d.url, show(said))
	default:
		step.note(&problem{fmt.Sprintf("%s names another resource: %s.", d.url, show(said)), "Serve the same document at both URLs."})
	}
}

// resourceOf returns the resource of a document, or "" if it has none.
func resourceOf(d *document) string {
	var resource string
	_ = codec.Unmarshal(d.members["resource"], &resource) // another type is reported elsewhere
	return resource
}

// checkResource compares the resource of the document with the URL that was used.
func (c *Check) checkResource(step *Step, d *document) {
	said, is := d.text(step, "resource")
	switch s, isURL := absolute(said); {
	case is == malformed:
	case is == absent || said == "":
		step.fault(&problem{d.url + " has no resource, so clients ignore it.", fmt.Sprintf("Add \"resource\": %q.", c.used)})
	case sameResource(c.used, said):
		step.ok("resource is the URL that you used.")
		c.checkOrigin(step)
	case isURL && c.wrongOrigin != "" && address.Origin(s) == c.wrongOrigin && s.RequestURI() == c.url.RequestURI():
		// The same mistake as in the challenge, already reported.
	default:
		step.fault(c.mismatch(said))
		c.resource = said
		if isURL && address.Origin(s) != address.Origin(c.url) {
			c.wrongOrigin = address.Origin(s)
		}
	}
}

// checkOrigin notes that another host serves the document, if the document is right.
func (c *Check) checkOrigin(step *Step) {
	if c.metadataURL != nil && c.wrongOrigin == "" && address.Origin(c.metadataURL) != address.Origin(c.url) {
		step.note(&problem{fmt.Sprintf("resource_metadata is on %s, not on the server's origin. Some clients refuse that.", address.Origin(c.metadataURL)),
			fmt.Sprintf("Serve the document at %s.", wellknown.ResourceURL(c.url))})
	}
}

// checkMembers checks the members other than resource and authorization_servers.
func (c *Check) checkMembers(step *Step, d *document) {
	scopes, _ := d.list(step, "scopes_supported")
	if slices.Contains(scopes, "offline_access") {
		step.note(&problem{"scopes_supported in " + d.url + " has offline_access, which isn't a scope of this server.",
			"Remove it. Clients ask the authorization server for it themselves."})
	}
	methods, is := d.list(step, "bearer_methods_supported")
	if is == present && !slices.Contains(methods, "header") {
		step.fault(&problem{"bearer_methods_supported in " + d.url + ` lacks "header", the only way in which MCP clients send tokens.`, `Make it ["header"].`})
	}
}

// findIssuers checks the list of authorization servers.
func (c *Check) findIssuers(step *Step, d *document) {
	issuers, is := d.list(step, "authorization_servers")
	for _, wrong := range []string{"authorization_server", "authorizationServers", "authorization-servers"} {
		if _, has := d.members[wrong]; has && is == absent {
			step.fault(&problem{fmt.Sprintf("%s has %s, which clients don't read.", d.url, wrong), "Rename it to authorization_servers, an array of issuers."})
			return
		}
	}
	switch {
	case is == malformed:
		return
	case len(issuers) == 0:
		step.note(&problem{"authorization_servers is missing or empty. Clients can't log in by themselves; they need a token that you give them.",
			"If clients should log in, add the issuer of the tokens."})
		return
	case len(issuers) > 1:
		step.note(&problem{fmt.Sprintf("authorization_servers has %d issuers. Most clients use only the first.", len(issuers)), "List the one for most users first."})
	}
	const limit = 3
	for _, issuer := range issuers[:min(len(issuers), limit)] {
		if p := c.checkIssuer(issuer); p != nil {
			if u, _ := url.Parse(issuer); u == nil || c.wrongOrigin == "" || address.Origin(u) != c.wrongOrigin {
				step.fault(p) // otherwise the same mistake as in resource, already reported
			}
		} else if !slices.Contains(c.issuers, issuer) {
			c.issuers = append(c.issuers, issuer)
		}
	}
	if len(issuers) > limit {
		step.note(&problem{fmt.Sprintf("The check reads only the first %d issuers.", limit), ""})
	}
}

// checkIssuer returns why clients can't use an issuer.
func (c *Check) checkIssuer(issuer string) *problem {
	what := "authorization_servers has " + show(issuer)
	switch u, ok := absolute(issuer); {
	case !ok:
		return &problem{what + ", which isn't an absolute URL.", "Write the issuer as in iss of its tokens, such as https://login.example.com."}
	case !naming.IsSecure(u):
		return &problem{what + ". Clients refuse http:// except on loopback.", "Use an https issuer."}
	case u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(issuer, "#"):
		return &problem{what + ". An issuer has no query and no fragment (RFC 8414, section 2).", "Remove it."}
	case naming.IsLoopback(u.Hostname()) && !naming.IsLoopback(c.url.Hostname()):
		return &problem{what + ", a loopback address. Clients on other machines can't reach it.", "Name the public URL of the authorization server (with Bowline: APP_URL)."}
	}
	return nil
}

// checkPages checks that clients in browsers can read the document.
func (c *Check) checkPages(ctx context.Context, step *Step, d *document) {
	readable, _, p := c.client.readableByPages(ctx, request{http.MethodGet, d.url, "", []string{"Accept", "application/json"}})
	switch {
	case p != nil:
		step.fault(p)
	case !readable:
		step.fault(&problem{d.url + " has no Access-Control-Allow-Origin, so clients in browsers can't read it.", "Send Access-Control-Allow-Origin: *."})
	case !c.client.preflight(ctx, d.url):
		step.note(&problem{"OPTIONS " + d.url + " doesn't allow the header MCP-Protocol-Version. Clients in browsers must then try again without it.",
			"Answer preflights with 204, Access-Control-Allow-Origin: * and Access-Control-Allow-Headers: MCP-Protocol-Version."})
	default:
		step.ok("Web pages of other origins can read the document.")
	}
}

// unknownPath checks that the server has no metadata for paths that it doesn't serve.
func (c *Check) unknownPath(ctx context.Context, step *Step) {
	location := address.Origin(c.url) + wellknown.Resource + "/" + url.PathEscape("auth-check-"+rand.Text()) + "/no/such/path"
	a, p := c.client.get(ctx, location)
	switch {
	case p != nil:
		step.fault(p)
	case a.succeeded():
		step.fault(&problem{fmt.Sprintf("%s/… answers %s for a path that doesn't exist.", address.Origin(c.url)+wellknown.Resource, a),
			"Answer 404, except for paths of MCP endpoints. Clients take each answer as a document."})
	default:
		step.ok("An unknown path gets %s.", a)
	}
}
