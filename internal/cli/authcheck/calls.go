package authcheck

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// modernBody is the body of a request of the version 2026-07-28.
const modernBody = `{"jsonrpc":"2.0","id":1,"method":%q,"params":{"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"mcp auth:check","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}}}`

const initializeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"clientInfo":{"name":"mcp auth:check","version":"1"},"capabilities":{}}}`

// call returns a JSON-RPC request: initialize as clients of 2025-11-25 send it, any other
// method as those of 2026-07-28 do.
func (c *Check) call(method string) request {
	r := request{http.MethodPost, c.used, initializeBody, []string{
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream",
	}}
	if method != "initialize" {
		r.body = fmt.Sprintf(modernBody, method)
		r.header = append(r.header, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method)
	}
	return r
}

// with returns the request with a token.
func (r request) with(token string) request {
	r.header = append(r.header[:len(r.header):len(r.header)], "Authorization", "Bearer "+token)
	return r
}

// rpcError returns the code of the JSON-RPC error in an answer, and whether it has one.
func rpcError(a *answer) (code int, is bool) {
	var message struct {
		Error *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if codec.Unmarshal(a.Body, &message) != nil || message.Error == nil {
		return 0, false
	}
	return message.Error.Code, true
}

// endSession ends the session that an answer to initialize began.
func (c *Check) endSession(ctx context.Context, a *answer, token string) {
	session := a.Header.Get("Mcp-Session-Id")
	if session == "" {
		return
	}
	r := request{http.MethodDelete, c.used, "", []string{"Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-11-25"}}
	if token != "" {
		r = r.with(token)
	}
	_, _ = c.client.send(ctx, r) // the session ends by itself otherwise
}

// isOpen reports whether an MCP server answered that does its work.
func isOpen(a *answer) bool {
	_, fails := rpcError(a)
	return a.succeeded() && !fails && (a.Status != http.StatusOK || a.isMCP())
}

// A group is the requests that got the same kind of answer.
type group struct {
	kind   string
	names  []string
	answer *answer // to the first
}

// groups collects requests by the kinds of their answers, in the order of the first.
type groups []*group

func (g *groups) add(kind, name string, a *answer) {
	i := slices.IndexFunc(*g, func(known *group) bool { return known.kind == kind })
	if i < 0 {
		*g = append(*g, &group{kind, []string{name}, a})
		return
	}
	(*g)[i].names = append((*g)[i].names, name)
}

// withoutToken makes requests without a token, which must all get 401.
func (c *Check) withoutToken(ctx context.Context, step *Step) bool {
	if !naming.IsSecure(c.url) {
		step.fault(&problem{"The URL begins with http://, so tokens are sent unencrypted, and clients refuse to log in.",
			"Serve the URL with https, for example by a proxy."})
	}
	var calls groups
	for _, method := range []string{"tools/list", "server/discover", "initialize"} {
		a, p := c.client.send(ctx, c.call(method))
		if p != nil {
			step.fault(p)
			return false
		}
		if method == "initialize" {
			c.endSession(ctx, a, "")
		}
		calls.add(fmt.Sprint(a.Status, isOpen(a)), method, a)
		c.keepRefusal(method, a)
	}
	if !reportCalls(step, calls) {
		return false
	}
	var others groups
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodDelete} {
		a, p := c.client.send(ctx, request{method, c.used, "", []string{"Accept", "text/event-stream"}})
		if p != nil {
			step.fault(p)
			return true
		}
		others.add(a.String(), method, a)
		c.keepRefusal(method, a)
	}
	reportOthers(step, others)
	return true
}

// keepRefusal keeps a 401, whose challenge the next step reads.
func (c *Check) keepRefusal(name string, a *answer) {
	if a.Status == http.StatusUnauthorized {
		c.refusals = append(c.refusals, refusal{name, a})
	}
}

// reportCalls reports whether at least one of the calls got 401. If none did, one of them
// is enough to name the cause.
func reportCalls(step *Step, calls groups) bool {
	refused := func(g *group) bool { return g.answer.Status == http.StatusUnauthorized }
	if !slices.ContainsFunc(calls, refused) {
		worst := max(0, slices.IndexFunc(calls, func(g *group) bool { return isOpen(g.answer) }))
		step.fault(notUnauthorized(calls[worst]))
		return false
	}
	for _, g := range calls {
		if refused(g) {
			step.ok("%s %s 401.", enumeration(g.names), verb(g.names, "gets", "get"))
		} else {
			step.fault(notUnauthorized(g))
		}
	}
	return true
}

// notUnauthorized explains an answer other than 401 to a call without a token.
func notUnauthorized(g *group) *problem {
	a := g.answer
	what := enumeration(g.names) + " without a token " + verb(g.names, "gets ", "get ") + a.String()
	code, fails := rpcError(a)
	switch {
	case a.succeeded() && fails:
		return &problem{what + " with the JSON-RPC error " + strconv.Itoa(code) + ". Clients log in only on HTTP 401.", "Answer 401 with a challenge."}
	case isOpen(a):
		return &problem{what + ": anybody can call the server.",
			"Require a token in every request (with Bowline: add .Guard(auth.Bearer(…)) to the route)."}
	case a.succeeded():
		return &problem{fmt.Sprintf("%s with the Content-Type %s: this isn't an MCP endpoint.", what, show(a.Header.Get("Content-Type"))), "Correct the URL."}
	case a.redirects():
		return &problem{what + ", to " + show(a.Header.Get("Location")) + ". A redirect loses the body or the token.",
			"Give clients that URL, if it is the MCP endpoint, or serve MCP here."}
	case a.Status == http.StatusBadRequest && strings.Contains(string(a.Body), "HTTP request to an HTTPS server"):
		return &problem{"The server uses TLS on this port.", "Write the URL with https://."}
	case a.Status == http.StatusForbidden:
		return &problem{what + ". Clients log in only on 401.",
			"Answer 401. If the server refuses the host name, allow it (with Bowline: APP_URL or APP_ALLOWED_HOSTS)."}
	case a.Status == http.StatusNotFound:
		return &problem{what + ": there is no MCP endpoint.", "Correct the path of the URL (with Bowline: mcp list shows the paths)."}
	case a.Status == http.StatusMethodNotAllowed:
		return &problem{what + ": this isn't an endpoint of Streamable HTTP.", "Use the URL to which clients send POST. A URL for HTTP+SSE often ends in /sse."}
	case a.Status == http.StatusTooManyRequests:
		return &problem{what + ", so the check can't go on.", "Wait, and run it again."}
	case a.Status >= http.StatusInternalServerError:
		return &problem{what + ": the server, or the proxy before it, fails.", "Read its log."}
	}
	return &problem{what + ". Clients log in only on 401.", "Check the token before anything else in the request."}
}

// reportOthers reports the answers to requests other than POST.
func reportOthers(step *Step, others groups) {
	for _, g := range others {
		what := enumeration(g.names) + " without a token " + verb(g.names, "gets ", "get ") + g.answer.String()
		switch {
		case g.answer.Status == http.StatusUnauthorized:
			step.ok("%s %s 401.", enumeration(g.names), verb(g.names, "gets", "get"))
		case g.answer.Status == http.StatusMethodNotAllowed:
			step.note(&problem{what + ". Some clients look for the login with GET or HEAD.", "Answer 401 to every method."})
		case g.answer.succeeded():
			step.fault(&problem{what + ": only POST is guarded.", "Require a token in requests of every method."})
		default:
			step.fault(&problem{what + ", not 401.", "Check the token before anything else in the request."})
		}
	}
}
