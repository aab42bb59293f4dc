package guardrails_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// The five security requirements of a server with tools, each met with the framework's
// feature for it.

// vault is a server with one tool, and guardrails around it.
type vault struct {
	servers.Server
	guardrails []guardrails.Guardrail
	client     *http.Client
}

func (v *vault) Guardrails() []guardrails.Guardrail { return v.guardrails }
func (v *vault) Tools() []servers.Tool              { return []servers.Tool{&openTool{client: v.client}} }

// openTool opens a box of the vault. If it has a client, it calls another service.
type openTool struct {
	tools.Tool
	client *http.Client
}

func (*openTool) Name() string        { return "open" }
func (*openTool) Description() string { return "Opens a box." }
func (*openTool) Schema(s *schema.Object) {
	s.String("box").MaxLength(20).Pattern(`^[a-z]+$`).Required()
	s.Integer("days").Min(1).Max(100)
}

func (o *openTool) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	if o.client != nil {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://boxes.example/"+request.String("box"), nil)
		if err != nil {
			return nil, err
		}
		response, err := o.client.Do(r)
		if err != nil {
			return nil, err
		}
		defer func() { _ = response.Body.Close() }()
	}
	return tools.Text("opened " + request.String("box")), nil
}

func TestSecurityInvocationsAreRateLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := mcptest.New(t, &vault{guardrails: []guardrails.Guardrail{guardrails.RateLimit(2, time.Minute)}})
		for range 2 {
			client.Call("open", mcptest.Args{"box": "gold"}).AssertOK()
		}
		client.Call("open", mcptest.Args{"box": "gold"}).AssertError("Too many requests: try again in 30 s")
		time.Sleep(30 * time.Second)
		client.Call("open", mcptest.Args{"box": "gold"}).AssertOK()
	})
}

func TestSecurityInputsAreChecked(t *testing.T) {
	t.Parallel()
	client := mcptest.New(t, &vault{})
	for name, test := range map[string]struct {
		arguments mcptest.Args
		want      string
	}{
		"missing":             {mcptest.Args{}, "/box: required"},
		"of another type":     {mcptest.Args{"box": 7}, "/box: must be a string"},
		"too long":            {mcptest.Args{"box": strings.Repeat("a", 21)}, "/box: must be a string of at most 20 characters"},
		"a way out":           {mcptest.Args{"box": "../../etc"}, "that matches ^[a-z]+$"},
		"out of range":        {mcptest.Args{"box": "gold", "days": 101}, "/days: must be an integer from 1 to 100"},
		"something unknown":   {mcptest.Args{"box": "gold", "admin": true}, "/admin: unknown property"},
		"an object in a text": {mcptest.Args{"box": map[string]any{"$ne": ""}}, "/box: must be a string"},
	} {
		t.Run(name, func(t *testing.T) { client.Call("open", test.arguments).AssertError(test.want) })
	}
}

func TestSecurityEveryExecutionIsAudited(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	client := mcptest.New(t, &vault{guardrails: []guardrails.Guardrail{guardrails.Audit(slog.New(slog.NewTextHandler(&log, nil)), "box")}})
	ann := client.With(exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ann"}))
	ann.Call("open", mcptest.Args{"box": "gold", "days": 42})
	client.Call("open", mcptest.Args{"box": "GOLD"})
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	for i, want := range []string{
		"msg=audit server=vault method=tools/call name=open address=192.0.2.1 arguments.box=gold outcome=ok took=",
		"msg=audit server=vault method=tools/call name=open address=192.0.2.1 arguments.box=GOLD outcome=refused took=",
	} {
		if i >= len(lines) || !strings.Contains(lines[i], want) || !strings.Contains(lines[i], " principal="+[]string{"ann", "anonymous"}[i]+" ") || strings.Contains(lines[i], "days") || strings.Contains(lines[i], "opened") {
			t.Errorf("the log is\n%s\nwithout the line %s", log.String(), want)
		}
	}
	if len(lines) != 2 {
		t.Errorf("the log has %d lines", len(lines))
	}
}

func TestSecurityPermissionsAreChecked(t *testing.T) {
	t.Parallel()
	permission := guardrails.Permission(func(ctx context.Context, name string) bool {
		return name == "open" && exchange.PrincipalFrom(ctx).ID == "ann"
	})
	client := mcptest.New(t, &vault{guardrails: []guardrails.Guardrail{permission}})
	client.Call("open", mcptest.Args{"box": "gold"}).AssertError(`Unknown tool "open"`)
	for id, ok := range map[string]bool{"ann": true, "bob": false} {
		result := client.With(exchange.WithPrincipal(t.Context(), exchange.Principal{ID: id})).Call("open", mcptest.Args{"box": "gold"})
		if ok {
			result.AssertOK()
		} else {
			result.AssertError(`Unknown tool "open"`)
		}
	}
}

// hanging is a service that never answers.
type hanging struct{ gone chan error }

func (h hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	h.gone <- r.Context().Err()
	return nil, r.Context().Err()
}

func TestSecurityExternalCallsTimeOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := hanging{gone: make(chan error, 1)}
		client := mcptest.New(t, &vault{
			guardrails: []guardrails.Guardrail{guardrails.Timeout(3 * time.Second)}, client: &http.Client{Transport: service},
		})
		start := time.Now()
		client.Call("open", mcptest.Args{"box": "gold"}).AssertError("The tool open timed out after 3s (request ")
		if err := <-service.gone; err != context.DeadlineExceeded || time.Since(start) != 3*time.Second {
			t.Errorf("the service was left after %v because of %v", time.Since(start), err)
		}
		time.Sleep(time.Second) // for the watchdog
	})
}
