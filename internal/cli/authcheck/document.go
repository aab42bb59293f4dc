package authcheck

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A document is a JSON object with metadata.
type document struct {
	url     string
	members map[string]codec.Value
}

// fetch gets a document.
func (c *client) fetch(ctx context.Context, url string) (*document, *problem) {
	a, p := c.get(ctx, url)
	if p != nil {
		return nil, p
	}
	return parseDocument(url, a)
}

func (c *client) get(ctx context.Context, url string) (*answer, *problem) {
	return c.send(ctx, request{http.MethodGet, url, "", []string{"Accept", "application/json", "MCP-Protocol-Version", "2026-07-28"}})
}

// parseDocument returns the document in an answer.
func parseDocument(url string, a *answer) (*document, *problem) {
	d := &document{url: url}
	switch err := codec.Unmarshal(a.Body, &d.members); {
	case a.redirects():
		return nil, &problem{fmt.Sprintf("%s redirects (%s) to %s.", url, a, show(a.Header.Get("Location"))), "Serve the document at this URL itself."}
	case a.Status != http.StatusOK:
		return nil, &problem{fmt.Sprintf("%s answers %s.", url, a), "Serve the document there, without a login."}
	case a.tooLarge:
		return nil, &problem{fmt.Sprintf("%s answers more than 1 MiB.", url), "Serve only the metadata there."}
	case err != nil || d.members == nil:
		return nil, &problem{fmt.Sprintf("%s answers 200, but not with a JSON object whose members are unique (Content-Type: %s).", url, show(a.Header.Get("Content-Type"))),
			"Serve the document as JSON, and answer 404 where there is none."}
	case a.MediaType() != "application/json":
		return d, &problem{fmt.Sprintf("%s has the Content-Type %s, which clients with the Go SDK refuse.", url, show(a.Header.Get("Content-Type"))),
			"Send application/json."}
	}
	return d, nil
}

// A presence tells whether a document has a member.
type presence int

const (
	absent    presence = iota
	malformed          // of another type; already reported
	present
)

// text returns a member that must be a string.
func (d *document) text(step *Step, name string) (value string, is presence) {
	is = d.decode(step, name, &value, "a string")
	return value, is
}

// list returns a member that must be an array of strings.
func (d *document) list(step *Step, name string) (values []string, is presence) {
	is = d.decode(step, name, &values, "an array of strings")
	return values, is
}

// flag returns a member that must be a boolean.
func (d *document) flag(step *Step, name string) (value bool) {
	d.decode(step, name, &value, "true or false")
	return value
}

func (d *document) decode(step *Step, name string, into any, kind string) presence {
	raw, has := d.members[name]
	if !has || string(raw) == "null" {
		return absent
	}
	if codec.Unmarshal(raw, into) != nil {
		step.fault(&problem{fmt.Sprintf("%s in %s is %s; it must be %s.", name, d.url, show(string(raw)), kind), "Correct the member."})
		return malformed
	}
	return present
}

// pageOrigin is the origin of the web page that the check pretends to be.
const pageOrigin = "https://client.example"

// readableByPages reports whether a web page of any origin can read the answer to a
// request that needs no preflight, and the answer.
func (c *client) readableByPages(ctx context.Context, r request) (bool, *answer, *problem) {
	r.header = append(slices.Clip(r.header), "Origin", pageOrigin)
	a, p := c.send(ctx, r)
	if p != nil {
		return false, nil, p
	}
	return allowsPages(a), a, nil
}

func allowsPages(a *answer) bool {
	allowed := a.Header.Get("Access-Control-Allow-Origin")
	return allowed == "*" || allowed == pageOrigin
}

// preflight reports whether a web page may send the header MCP-Protocol-Version with GET,
// as the TypeScript SDK does.
func (c *client) preflight(ctx context.Context, url string) bool {
	a, p := c.send(ctx, request{http.MethodOptions, url, "", []string{
		"Origin", pageOrigin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "mcp-protocol-version",
	}})
	if p != nil || !a.succeeded() || !allowsPages(a) {
		return false
	}
	headers := strings.ToLower(a.Header.Get("Access-Control-Allow-Headers"))
	return headers == "*" || slices.Contains(strings.FieldsFunc(headers, func(r rune) bool { return r == ',' || r == ' ' }), "mcp-protocol-version")
}
