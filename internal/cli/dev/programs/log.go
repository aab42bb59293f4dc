package programs

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A Log is what mcp dev shows on stderr: a line for each call, and what happens to the
// program.
type Log struct{ Out io.Writer }

// Printf writes a line about the program.
func (l Log) Printf(format string, args ...any) {
	_, _ = fmt.Fprintf(l.Out, "mcp: "+format+"\n", args...)
}

// A call is a request that has a line in the log: one that names a tool, a resource or a prompt.
type call struct {
	name   string // the name of the tool or prompt, or the URI of the resource
	client string
	start  time.Time
}

// newCall returns the call of a request, or nil if the log doesn't show such requests.
// Client is the name of a client that has sent initialize; newer ones name themselves.
func newCall(m *jsonrpc.Message, client string) *call {
	named := spec.Mirrored(string(m.Method))
	if named == "" {
		return nil
	}
	text, _ := codec.Unquote(spec.Lookup(m.Params, named))
	if m.Meta.ClientInfo != nil {
		client = clientName(m.Meta.ClientInfo)
	}
	return &call{name: Short(text), client: cmp.Or(client, "-"), start: time.Now()}
}

// ended writes the line of a call.
func (l Log) ended(c *call, outcome string) {
	now := time.Now()
	_, _ = fmt.Fprintf(l.Out, "%s  %-24s  %-20s  %6d ms  %s\n", now.Format(time.TimeOnly), c.name, c.client, now.Sub(c.start).Milliseconds(), outcome)
}

// clientName returns the name and version in a client's raw clientInfo, or "".
func clientName(info []byte) string {
	var client struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	_ = codec.Unmarshal(info, &client) // without a name the line has "-"
	return Short(strings.TrimSpace(client.Name + " " + client.Version))
}

// outcome describes an answer.
func outcome(m *jsonrpc.Message) string {
	if m.Error != nil {
		var failure struct {
			Code    codec.Value `json:"code"`
			Message string      `json:"message"`
		}
		_ = codec.Unmarshal(m.Error, &failure) // another shape shows an empty message
		return fmt.Sprintf("error %s: %s", Short(string(failure.Code)), Short(failure.Message))
	}
	var result struct {
		ResultType string `json:"resultType"`
		IsError    bool   `json:"isError"`
		Content    []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	_ = codec.Unmarshal(m.Result, &result) // what has another shape isn't shown
	switch {
	case result.IsError && len(result.Content) > 0:
		return "tool error: " + Short(result.Content[0].Text)
	case result.IsError:
		return "tool error: "
	case result.ResultType == "input_required":
		return "asks the client"
	}
	return "ok"
}

// Short returns a text of a client or a program as part of a line.
func Short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > limits.MaxLogged {
		text = strings.ToValidUTF8(text[:limits.MaxLogged], "") + "…" // without a part of a character
	}
	return naming.Printable(text)
}
