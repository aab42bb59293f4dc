package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// audited returns the lines of an audit log, without their common attributes, and clears
// the log.
func audited(t *testing.T, log *bytes.Buffer) (lines []map[string]any) {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		if entry["msg"] != "audit" || entry["level"] != "INFO" || entry["server"] != "office" || entry["took"] == nil {
			t.Errorf("the line is %s", line)
		}
		if id, _ := entry["request"].(string); len(id) != 8 || entry["client"] == nil {
			t.Errorf("the line doesn't name its request and client: %s", line)
		}
		for _, same := range []string{"msg", "level", "server", "took", "time", "request", "client"} {
			delete(entry, same)
		}
		lines = append(lines, entry)
	}
	log.Reset()
	return lines
}

func TestAuditLogsThePrincipalTheOperationAndTheOutcome(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	audit := guardrails.Audit(slog.New(slog.NewJSONHandler(&log, nil)), "task", "owner")
	refuse := guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		if operation.Kind == guardrails.Get {
			return guardrails.Errorf("No letters.")
		}
		return next(ctx, operation)
	})
	server := guardedBy(audit, refuse)
	server.work = func(ctx context.Context, r *tools.Request) (tools.Result, error) {
		switch r.String("task") {
		case "error":
			return nil, errors.New("secret failure")
		case "isError":
			return tools.Error("secret failure"), nil
		case "ask":
			_, err := r.Ask(ctx, "sure", ask.Confirm("Sure?"))
			return nil, err
		case "ask and go on":
			_, _ = r.Ask(ctx, "sure", ask.Confirm("Sure?"))
		case "panic":
			panic("secret failure")
		case "exit":
			runtime.Goexit()
		}
		return tools.Text("secret result"), nil
	}
	p := probeServer(t, mcp.Config{}, server).by("ann")
	able := params{"io.modelcontextprotocol/clientCapabilities": params{"elicitation": params{"form": params{}}}}
	type line = map[string]any
	for _, test := range []struct {
		ask  func()
		want line
	}{
		{func() { p.call("work", params{"task": "fine", "secret": "secret"}) }, line{"method": "tools/call", "name": "work", "outcome": "ok", "arguments": line{"task": "fine"}}},
		{func() { p.call("work", params{"secret": "secret"}) }, line{"method": "tools/call", "name": "work", "outcome": "ok"}},
		{func() { p.call("work", params{"task": "error"}) }, line{"method": "tools/call", "name": "work", "outcome": "failed", "arguments": line{"task": "error"}}},
		{func() { p.call("work", params{"task": "isError"}) }, line{"method": "tools/call", "name": "work", "outcome": "refused", "arguments": line{"task": "isError"}}},
		{func() { p.call("work", params{"task": 3}) }, line{"method": "tools/call", "name": "work", "outcome": "refused", "arguments": line{"task": "3"}}},
		{
			func() { p.call("work", params{"task": strings.Repeat("é", 1000)}) },
			line{"method": "tools/call", "name": "work", "outcome": "ok", "arguments": line{"task": strings.Repeat("é", 128)}},
		},
		{
			func() { p.ask("tools/call", params{"name": "work", "arguments": params{"task": "ask"}, "_meta": able}) },
			line{"method": "tools/call", "name": "work", "outcome": "input required", "arguments": line{"task": "ask"}},
		},
		{
			func() {
				p.ask("tools/call", params{"name": "work", "arguments": params{"task": "ask and go on"}, "_meta": able})
			},
			line{"method": "tools/call", "name": "work", "outcome": "input required", "arguments": line{"task": "ask and go on"}},
		},
		{func() { p.call("work", params{"task": "panic"}) }, line{"method": "tools/call", "name": "work", "outcome": "panicked", "arguments": line{"task": "panic"}}},
		{
			func() {
				var ended sync.WaitGroup
				ended.Go(func() { p.call("work", params{"task": "exit"}) })
				ended.Wait()
			},
			line{"method": "tools/call", "name": "work", "outcome": "panicked", "arguments": line{"task": "exit"}},
		},
		{func() { p.read("docs://desks/ann") }, line{"method": "resources/read", "name": "docs://desks/{owner}", "outcome": "ok", "arguments": line{"owner": "ann"}}},
		{func() { p.ask("prompts/get", params{"name": "letter", "arguments": params{"to": "secret"}}) }, line{"method": "prompts/get", "name": "letter", "outcome": "refused"}},
		{func() { p.ask("resources/templates/list", nil) }, line{"method": "resources/templates/list", "name": "", "outcome": "ok"}},
	} {
		test.ask()
		test.want["principal"], test.want["address"] = "ann", "192.0.2.1"
		if got := log.String(); strings.Contains(got, "secret") {
			t.Errorf("the log has an argument or a result: %s", got)
		}
		if got := audited(t, &log); len(got) != 1 || !reflect.DeepEqual(got[0], test.want) {
			t.Errorf("the log has %v, want %v", got, test.want)
		}
	}
}

func TestAuditNamesTheUserOfAProcessOnStdio(t *testing.T) {
	t.Setenv("USER", "bo")
	var log bytes.Buffer
	p := startPipeline(t, mcp.Config{}, guardedBy(guardrails.Audit(slog.New(slog.NewJSONHandler(&log, nil)))))
	p.ask(t, modernCall(`1`, "work", `{}`))
	p.end(t)
	want := map[string]any{"method": "tools/call", "name": "work", "outcome": "ok", "principal": "bo"}
	if got := audited(t, &log); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("the log has %v, want %v", got, want)
	}
}

func TestAuditDistinguishesACancellationFromATimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		server := guardedBy(guardrails.Audit(slog.New(slog.NewJSONHandler(&log, nil))), guardrails.Timeout(2*time.Second))
		server.work = func(ctx context.Context, r *tools.Request) (tools.Result, error) {
			<-ctx.Done()
			if r.String("task") == "panic" {
				panic("boom")
			}
			return tools.Text("late"), nil
		}
		p := probeServer(t, mcp.Config{}, server)
		p.call("work", nil)
		gone := *p
		var leave context.CancelFunc
		gone.ctx, leave = context.WithCancel(p.ctx)
		time.AfterFunc(time.Second, leave)
		gone.call("work", nil)
		gone.ctx, leave = context.WithCancel(p.ctx)
		time.AfterFunc(time.Second, leave)
		gone.call("work", params{"task": "panic"})
		var outcomes []any
		for _, line := range audited(t, &log) {
			outcomes = append(outcomes, line["outcome"])
		}
		if want := []any{"timed out", "canceled", "panicked"}; !reflect.DeepEqual(outcomes, want) {
			t.Errorf("the outcomes are %v, want %v", outcomes, want)
		}
		time.Sleep(time.Second) // for the watchdogs
	})
}

func TestAuditWithoutALoggerWritesToTheProgramsLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	own := guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		operation.Logger().Warn("a guardrail of the program's own")
		return next(ctx, operation)
	})
	p := probeServer(t, mcp.Config{Logger: logger}, guardedBy(guardrails.Audit(nil), own))
	p.call("work", params{"task": "any"})
	for _, want := range []string{`level=INFO msg=audit server=office method=tools/call name=work `, `level=WARN msg="a guardrail of the program's own" server=office`} {
		if strings.Count(log.String(), want) != 1 {
			t.Errorf("the log has\n%swant\n%s", log.String(), want)
		}
	}
}
