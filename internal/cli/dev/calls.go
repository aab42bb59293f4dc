package dev

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A log is what mcp dev shows on stderr: a line for each call, and what happens to the
// program.
type log struct{ out io.Writer }

// printf writes a line about the program.
func (l log) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(l.out, "mcp: "+format+"\n", args...)
}

// A call is a request that has a line in the log: a tool call, or a read of a resource or a
// prompt.
type call struct {
	name   string // of the tool or prompt, or the URI of the resource
	client string
	start  time.Time
}

// newCall returns the call of a request, or nil if the log doesn't show such requests.
// Client is the name of a client that has sent initialize; newer ones name themselves.
func newCall(m *jsonrpc.Message, client string) *call {
	name := m.Name
	switch string(m.Method) {
	case "tools/call", "prompts/get":
	case "resources/read":
		name = m.URI
	default:
		return nil
	}
	if m.Kind != jsonrpc.Request {
		return nil
	}
	text, _ := codec.Unquote(name)
	if m.Meta.ClientInfo != nil {
		client = clientName(m.Meta.ClientInfo)
	}
	return &call{name: short(text), client: cmp.Or(client, "-"), start: time.Now()}
}

// ended writes the line of a call.
func (l log) ended(c *call, outcome string) {
	now := time.Now()
	_, _ = fmt.Fprintf(l.out, "%s  %-24s  %-20s  %6d ms  %s\n", now.Format(time.TimeOnly), c.name, c.client, now.Sub(c.start).Milliseconds(), outcome)
}

// clientName returns the name and version in a client's raw clientInfo, or "".
func clientName(info []byte) string {
	var client struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	_ = codec.Unmarshal(info, &client) // without a name the line has "-"
	return short(strings.TrimSpace(client.Name + " " + client.Version))
}

// outcome describes an answer.
func outcome(m *jsonrpc.Message) string {
	if m.Error != nil {
		var failure struct {
			Code    codec.Value `json:"code"`
			Message string      `json:"message"`
		}
		_ = codec.Unmarshal(m.Error, &failure) // another shape shows an empty message
		return fmt.Sprintf("error %s: %s", short(string(failure.Code)), short(failure.Message))
	}
	for name, value := range rawjson.Members(m.Result) {
		switch {
		case name == "isError" && string(value) == "true":
			return "tool error: " + short(firstText(m.Result))
		case name == "resultType" && string(value) == `"input_required"`:
			return "asks the client"
		}
	}
	return "ok"
}

// firstText returns the text of a result's first block, or "".
func firstText(result []byte) string {
	var found struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if codec.Unmarshal(result, &found) != nil || len(found.Content) == 0 {
		return ""
	}
	return found.Content[0].Text
}

// short returns a text of a client or a program as part of a line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > limits.MaxLogged {
		text = text[:limits.MaxLogged]
		for !utf8.ValidString(text) && text != "" {
			text = text[:len(text)-1]
		}
		text += "…"
	}
	return naming.Printable(text)
}
