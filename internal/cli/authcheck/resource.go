package authcheck

import (
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/internal/address"
)

// sameResource reports whether two URLs are equal for clients, which compare bytes. An
// empty path equals "/", since URL types of clients write it so.
func sameResource(used, said string) bool {
	if u, ok := absolute(used); ok && u.Path == "" && u.RawQuery == "" {
		used += "/"
	}
	if u, ok := absolute(said); ok && u.Path == "" && u.RawQuery == "" {
		said += "/"
	}
	return used == said
}

// difference names the first difference between the URL that the client used and the one
// that the server says.
func difference(used, said string) string {
	u, _ := absolute(used)
	s, ok := absolute(said)
	switch {
	case !ok:
		return "it isn't an absolute URL"
	case strings.EqualFold(used, said) && u.EscapedPath() == s.EscapedPath():
		return "the case of the scheme or host differs"
	case !strings.EqualFold(u.Scheme, s.Scheme):
		return fmt.Sprintf("you used %s, the server says %s", u.Scheme, s.Scheme)
	case !strings.EqualFold(u.Hostname(), s.Hostname()):
		return fmt.Sprintf("the host differs: you used %s, the server says %s", u.Hostname(), show(s.Hostname()))
	case address.Origin(u) != address.Origin(s):
		return fmt.Sprintf("the port differs: you used %s, the server says %s", u.Host, show(s.Host))
	case u.Port() != s.Port():
		return "one of them names the default port"
	case strings.TrimSuffix(used, "/") == strings.TrimSuffix(said, "/"):
		return "the trailing slash differs"
	case strings.EqualFold(used, said):
		return "the case of the path differs"
	case s.Path == "" || s.Path == "/":
		return "the path is missing"
	case s.Fragment != "":
		return "it has a fragment"
	}
	return "the path or query differs"
}

// mismatch explains that the document says another resource than the URL that was used.
func (c *Check) mismatch(said string) *problem {
	fix := fmt.Sprintf("Make the server say %s", c.used)
	s, ok := absolute(said)
	if ok && address.Origin(s) != address.Origin(c.url) {
		fix += fmt.Sprintf(" (with Bowline: APP_URL=%s)", address.Origin(c.url))
	}
	if ok {
		fix += ", or use its URL in clients"
	}
	return &problem{fmt.Sprintf("resource is %s, but you used %s: %s. Clients compare bytes and ignore the document.",
		show(said), show(c.used), difference(c.used, said)), fix + "."}
}
