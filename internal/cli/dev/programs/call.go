package programs

import (
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A call is a request that has a line in the log: one that names a tool, a resource or a prompt.
type call struct {
	name   string // the name of the tool or prompt, or the URI of the resource
	client string
	isTool bool
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
	return &call{name: Short(text), client: client, isTool: string(m.Method) == "tools/call", start: time.Now()}
}

// ended returns the line of a call. Programs log all calls that they have answered, except successful
// requests for resources and prompts, which they log at level debug only.
func (c *call) ended(o Outcome) applog.Call {
	now := time.Now()
	return applog.Call{
		Name: c.name, Client: c.client, Ended: now, Took: now.Sub(c.start), Outcome: o.Name, Reason: o.Reason,
		Reported: o.Reported && (c.isTool || o.Name != "ok"),
	}
}

// An Outcome is how a request ended.
type Outcome struct {
	Name     string // as in the log of programs
	Reason   string // "" if there is none
	Reported bool   // whether the program logs it
}

// Lost is the outcome of a request whose program ends before it answers.
func Lost() Outcome { return Outcome{Name: "failed", Reason: "the program ended before it answered"} }

// Left is the outcome of a request whose client is gone.
func Left() Outcome { return Outcome{Name: "no answer", Reason: "the client left", Reported: true} }

// Canceled is the outcome of a request that its client has cancelled.
func Canceled() Outcome { return Outcome{Name: "canceled", Reported: true} }

// outcome describes an answer.
func outcome(m *jsonrpc.Message) Outcome {
	o := Outcome{Name: "refused", Reported: true}
	if m.Error != nil {
		var failure struct {
			Code    codec.Value `json:"code"`
			Message string      `json:"message"`
		}
		_ = codec.Unmarshal(m.Error, &failure) // another shape shows an empty message
		if code, _ := codec.Int(failure.Code); code == InternalError {
			o.Name = "failed"
		}
		o.Reason = bounded(failure.Message, limits.MaxCause)
		return o
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
		o.Reason = bounded(result.Content[0].Text, limits.MaxCause)
	case result.IsError:
	case result.ResultType == "input_required":
		o.Name = "input required"
	default:
		o.Name = "ok"
	}
	return o
}

// clientName returns the name and version in a client's raw clientInfo, or "".
func clientName(info []byte) string {
	var client struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	_ = codec.Unmarshal(info, &client) // without a name, the log says that it is unknown
	if client.Version != "" && client.Name != "" {
		client.Name = brief(client.Name) + "/" + client.Version
	}
	return Short(client.Name)
}

// Short returns a text of a client or a program as part of a line.
func Short(text string) string { return naming.Printable(brief(text)) }

// brief returns the beginning of a text of a client, with spaces instead of white space.
func brief(text string) string {
	return bounded(strings.Join(strings.Fields(text), " "), limits.MaxLogged)
}

// bounded returns a text of up to limit bytes, or its beginning.
func bounded(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…" // without a part of a character
}
