package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// office is a server with one item of each kind, and guardrails around it.
type office struct {
	servers.Server
	guardrails []guardrails.Guardrail
	own        []guardrails.Guardrail // of each item itself
	work       func(context.Context, *tools.Request) (tools.Result, error)
	asked      int // the number of calls of Guardrails
}

func guardedBy(list ...guardrails.Guardrail) *office { return &office{guardrails: list} }

func (o *office) Guardrails() []guardrails.Guardrail {
	o.asked++
	return o.guardrails
}

func (o *office) Tools() []servers.Tool {
	work := o.work
	if work == nil {
		work = func(_ context.Context, r *tools.Request) (tools.Result, error) {
			return tools.Text("done " + r.String("task")), nil
		}
	}
	return []servers.Tool{tools.New(tools.Definition{
		Name: "work", Description: "Works.", Guardrails: o.own,
		InputSchema: []byte(`{"type":"object","properties":{"task":{"type":"string"},"secret":{"type":"string"},"n":{"type":"integer"}}}`),
	}, work)}
}

func (o *office) Resources() []servers.Resource {
	return []servers.Resource{
		resources.New(resources.Definition{URI: "docs://rules", Name: "rules", Guardrails: o.own}, func(context.Context, *resources.Request) (resources.Result, error) {
			return resources.Text("Be kind."), nil
		}),
		&desk{own: o.own},
	}
}

func (o *office) Prompts() []servers.Prompt { return []servers.Prompt{&letter{own: o.own}} }

// desk is a template with a variable that completes.
type desk struct {
	resources.Resource
	own []guardrails.Guardrail
}

func (*desk) URI() string                          { return "docs://desks/{owner}" }
func (*desk) Description() string                  { return "A desk." }
func (d *desk) Guardrails() []guardrails.Guardrail { return d.own }
func (*desk) Variables(variables *resources.Variables) {
	variables.Variable("owner").Complete(completion.Values("ann", "bob"))
}

func (*desk) Handle(_ context.Context, r *resources.Request) (resources.Result, error) {
	return resources.Text("The desk of " + r.Variable("owner")), nil
}

// letter is a prompt with an argument that completes.
type letter struct {
	prompts.Prompt
	own []guardrails.Guardrail
}

func (*letter) Name() string                         { return "letter" }
func (*letter) Description() string                  { return "A letter." }
func (l *letter) Guardrails() []guardrails.Guardrail { return l.own }
func (*letter) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("to").Complete(completion.Values("ann", "bob"))
}

func (*letter) Handle(_ context.Context, r *prompts.Request) (prompts.Result, error) {
	return prompts.User("Dear " + r.String("to")), nil
}

// everything sends a request of each kind, and returns the replies by kind.
func (p *probe) everything() map[string]reply {
	p.t.Helper()
	complete := func(ref params, argument string) reply {
		return p.ask("completion/complete", params{"ref": ref, "argument": params{"name": argument, "value": "a"}})
	}
	return map[string]reply{
		"call":              p.call("work", params{"task": "it"}),
		"read":              p.read("docs://rules"),
		"read template":     p.read("docs://desks/ann"),
		"get":               p.ask("prompts/get", params{"name": "letter", "arguments": params{"to": "ann"}}),
		"complete prompt":   complete(params{"type": "ref/prompt", "name": "letter"}, "to"),
		"complete template": complete(params{"type": "ref/resource", "uri": "docs://desks/{owner}"}, "owner"),
		"list tools":        p.ask("tools/list", nil),
		"list resources":    p.ask("resources/list", nil),
		"list templates":    p.ask("resources/templates/list", nil),
		"list prompts":      p.ask("prompts/list", nil),
	}
}

// bothEras returns a probe of the newest version and an older one.
func bothEras(t *testing.T, config mcp.Config, server servers.Interface) []*probe {
	t.Helper()
	newest := probeServer(t, config, server)
	older, _ := newest.as("2025-11-25")
	return []*probe{newest, older}
}

// by returns a probe that sends its requests as a principal.
func (p *probe) by(principal string) *probe {
	changed := *p
	changed.ctx = exchange.WithPrincipal(p.ctx, exchange.Principal{ID: principal})
	return &changed
}

// A diary records the calls of guardrails.
type diary struct {
	lock  sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// read returns the entries since the last read.
func (d *diary) read() string {
	d.lock.Lock()
	defer d.lock.Unlock()
	text := strings.Join(d.lines, "; ")
	d.lines = nil
	return text
}

// noting returns a guardrail that records each operation before and after next.
func (d *diary) noting(name string) guardrails.Guardrail {
	return guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		d.note("%s before", name)
		err := next(ctx, operation)
		d.note("%s after", name)
		return err
	})
}
