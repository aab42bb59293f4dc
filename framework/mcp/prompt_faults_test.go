package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// stage is a server with given prompts.
type stage struct {
	toolbox
	prompts []servers.Prompt
}

func (s *stage) Prompts() []servers.Prompt { return s.prompts }

func stageOf(list ...servers.Prompt) *stage { return &stage{prompts: list} }

// prompting returns a prompt that has a required argument and calls a function.
func prompting(name string, handle func() (prompts.Result, error)) servers.Prompt {
	return prompts.New(prompts.Definition{Name: name, Arguments: []prompts.ArgumentDefinition{{Name: "topic", Required: true}}},
		func(context.Context, *prompts.Request) (prompts.Result, error) { return handle() })
}

func TestFailuresOfAPromptReachTheClient(t *testing.T) {
	t.Parallel()
	var log logbook
	modern := probeServer(t, mcp.Config{Logger: log.logger()}, stageOf(
		prompting("locked", func() (prompts.Result, error) { return nil, prompts.Errorf("No style %q.", "odd") }),
		prompting("broken", func() (prompts.Result, error) { return nil, errors.New("password is hunter2") }),
		prompting("panic", func() (prompts.Result, error) { panic("hunter2") }),
	))
	legacy, _ := modern.as("2025-11-25")
	given := params{"topic": "knots"}
	for _, test := range []struct {
		name      string
		arguments params
		code      int
		message   string
	}{
		{"locked", given, -32603, `No style "odd".`},
		{"broken", given, -32603, "Internal error"},
		{"panic", given, -32603, "Internal error"},
		{"locked", params{}, -32602, `The arguments of the prompt locked are not valid: "topic" is missing.`},
		{"locked", params{"topic": 3}, -32602, `The arguments of the prompt locked are not valid: "topic" must be a string, not 3.`},
		{"loked", given, -32602, `Unknown prompt "loked"; did you mean "locked"?`},
	} {
		for _, p := range []*probe{modern, legacy} {
			r := p.ask("prompts/get", params{"name": test.name, "arguments": test.arguments})
			if r.status != 200 || r.err == nil || r.err.Code != test.code || r.err.Message != test.message || strings.Contains(r.body, "hunter2") {
				t.Errorf("%s with %v, %s: got %d %s, want the code %d and %q", test.name, test.arguments, p.version, r.status, r.body, test.code, test.message)
			}
		}
	}
	if text := log.String(); !strings.Contains(text, "password is hunter2") || !strings.Contains(text, "prompt_faults_test.go") {
		t.Errorf("the log is\n%s", text)
	}
}

// MCP has neither the role system nor messages of several blocks.
func TestMessagesOfAPromptAreThoseOfTheProtocol(t *testing.T) {
	t.Parallel()
	modern := probeServer(t, mcp.Config{}, stageOf(prompting("review", func() (prompts.Result, error) {
		return prompts.Wrap([]any{
			map[string]any{"role": "user", "content": []any{"One.", content.Text("Two.")}},
			map[string]any{"role": "system", "content": "Be kind."},
			map[string]any{"role": "assistant", "content": "Yes."},
		})
	})))
	legacy, _ := modern.as("2024-11-05")
	message := func(role, text, meta string) string {
		return `{"role":"` + role + `","content":{"type":"text","text":"` + text + `"` + meta + `}}`
	}
	for p, meta := range map[*probe]string{modern: `,"_meta":{"originalRole":"system"}`, legacy: ""} {
		want := `"messages":[` + strings.Join([]string{message("user", "Be kind.", meta), message("user", "One.", ""), message("user", "Two.", ""), message("assistant", "Yes.", "")}, ",") + "]"
		if r := p.ask("prompts/get", params{"name": "review", "arguments": params{"topic": "x"}}); !strings.Contains(r.result, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", p.version, r.body, want)
		}
	}
}

// Forms of other SDKs that MCP doesn't define are accepted with one warning per prompt.
func TestAConversionByWrapIsAWarningOnce(t *testing.T) {
	t.Parallel()
	var log logbook
	system := func() (prompts.Result, error) {
		return prompts.Wrap([]any{map[string]any{"role": "system", "content": "Be kind."}, map[string]any{"role": "system", "content": "Be brief."}})
	}
	p := probeServer(t, mcp.Config{Logger: log.logger()}, stageOf(
		prompting("review", system), prompting("letter", system),
		prompting("manual", func() (prompts.Result, error) {
			manual := map[string]any{"type": "resource", "resource": map[string]any{"uri": "docs://manual"}}
			return prompts.Pair{User: []any{"Read this:", manual}}, nil
		}),
		prompting("meant", func() (prompts.Result, error) {
			return prompts.Messages{prompts.System("Be kind."), prompts.User("Read this:", content.Link("docs://manual", ""))}, nil
		}),
	))
	for _, name := range []string{"review", "review", "letter", "manual", "manual", "meant"} {
		if r := p.ask("prompts/get", params{"name": name, "arguments": params{"topic": "x"}}); r.result == "" {
			t.Errorf("%s: got %s", name, r.body)
		}
	}
	var warnings []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "level=WARN") {
			warnings = append(warnings, line)
		}
	}
	want := [][2]string{{"prompt=review", "prompts.System"}, {"prompt=letter", "prompts.System"}, {"prompt=manual", "content.Link"}}
	if len(warnings) != len(want) {
		t.Fatalf("the warnings are\n%s\nwant one for each of %q", warnings, want)
	}
	for i, line := range warnings {
		if !strings.Contains(line, want[i][0]) || !strings.Contains(line, want[i][1]) {
			t.Errorf("the warning is\n%s\nwant what to return instead: %q", line, want[i])
		}
	}
}

// A handler that stops because its request has ended has not failed.
func TestACancelledPromptIsNotAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waits := prompts.New(prompts.Definition{Name: "waits"}, func(ctx context.Context, _ *prompts.Request) (prompts.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		p := startPipeline(t, mcp.Config{}, stageOf(waits))
		p.send(t, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"waits",`+modernMeta+`}}`)
		synctest.Wait()
		p.send(t, cancelled(`1`))
		p.silent(t)
		if n := p.log.count("level=ERROR"); n != 0 {
			t.Errorf("the log has\n%s\nwant no failure", p.log)
		}
	})
}

func TestTwoPromptsWithOneNameAreRefused(t *testing.T) {
	t.Parallel()
	const want = "the server has a prompt of that name already (prompts.New); drop one of them, or give one of them another Name"
	twin := func() servers.Prompt { return prompting("twin", nil) }
	wants(t, "Validate", mcp.Validate(stageOf(twin(), twin())), "the prompt twin (prompts.New)", want)
	serving := stageOf(twin())
	probeServer(t, mcp.Config{}, serving)
	wants(t, "AddPrompt", serving.AddPrompt(twin()), "the prompt twin", want)
}

// suggesting completes its argument.
type suggesting struct{ prompts.Prompt }

func (*suggesting) Description() string { return "Suggests." }

func (*suggesting) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("topic").Complete(completion.Values("knots", "kites", "boats"))
}

func (*suggesting) Handle(context.Context, *prompts.Request) (prompts.Result, error) {
	return prompts.User("Hello."), nil
}

func TestCompletionIsDeclaredOnlyIfSomethingCompletes(t *testing.T) {
	t.Parallel()
	asked := params{"ref": params{"type": "ref/prompt", "name": "suggesting"}, "argument": params{"name": "topic", "value": "k"}}
	for _, version := range []string{"2026-07-28", "2025-06-18"} {
		with, welcome := probeServer(t, mcp.Config{}, stageOf(&suggesting{})).as(version)
		without, bare := probeServer(t, mcp.Config{}, stageOf(prompting("suggesting", nil))).as(version)
		if version == "2026-07-28" {
			welcome, bare = with.ask("server/discover", nil), without.ask("server/discover", nil)
		}
		if !strings.Contains(welcome.result, `"completions":{}`) || strings.Contains(bare.result, `"completions"`) {
			t.Errorf("%s: the capabilities are\n%s\nand without completion\n%s", version, welcome.result, bare.result)
		}
		if r := with.ask("completion/complete", asked); !strings.Contains(r.result, `"completion":{"values":["knots","kites"],"total":2,"hasMore":false}`) {
			t.Errorf("%s: got %s", version, r.body)
		}
	}
}
