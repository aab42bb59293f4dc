package ask

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// check returns every mistake in the question.
func (q *SampleQuestion) check() []error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if len(q.messages) == 0 {
		problem("it has no messages; begin with ask.User")
	}
	if q.params.MaxTokens < 1 {
		problem("MaxTokens is %d; it must be at least 1", q.params.MaxTokens)
	}
	if p := q.params.ModelPreferences; p != nil {
		for _, priority := range []struct {
			name  string
			value *float64
		}{{"CostPriority", p.CostPriority}, {"SpeedPriority", p.SpeedPriority}, {"IntelligencePriority", p.IntelligencePriority}} {
			if v := priority.value; v != nil && !(*v >= 0 && *v <= 1) {
				problem("%s is %v; it must be from 0 to 1", priority.name, *v)
			}
		}
	}
	if t := q.params.Temperature; t != nil && (math.IsNaN(*t) || math.IsInf(*t, 0)) {
		problem("Temperature is %v; it must be a number", *t)
	}
	if c := q.params.IncludeContext; c != "" && !slices.Contains([]Context{NoContext, ThisServer, AllServers}, c) {
		problem("IncludeContext is %.40q; use ask.NoContext, ask.ThisServer or ask.AllServers", c)
	}
	if c := q.params.ToolChoice; c != nil {
		if !slices.Contains([]ToolChoice{ToolAuto, ToolRequired, ToolNone}, c.Mode) {
			problem("ToolChoice is %.40q; use ask.ToolAuto, ask.ToolRequired or ask.ToolNone", c.Mode)
		}
		if len(q.tools) == 0 {
			problem("ToolChoice is set, but there are no tools; add some with Tools, or drop it")
		}
	}
	if _, err := codec.Marshal(q.params.Metadata); err != nil {
		problem("Metadata can't be written as JSON: %w", err)
	}
	for i, m := range q.messages {
		for _, err := range m.check() {
			problem("message %d: %w", i+1, err)
		}
	}
	return append(problems, checkFlow(q.messages)...)
}

// check returns the mistakes in a message, regardless of the others.
func (m Message) check() []error {
	var problems []error
	problem := func(text string, args ...any) { problems = append(problems, fmt.Errorf(text, args...)) }
	if m.Role != content.User && m.Role != content.Assistant {
		problem("its role is %.40q; make it with ask.User, ask.Assistant or ask.Results", m.Role)
	}
	if len(m.Content)+len(m.ToolUses)+len(m.ToolResults) == 0 {
		problem("it is empty; give it a text")
	}
	for _, block := range m.Content {
		if !isSampled(block) {
			problem("it has a block of type %.40q; only text, images and audio are allowed", block.Type)
		}
	}
	if len(m.ToolUses) > 0 && m.Role != content.Assistant {
		problem("only the assistant may use tools; make the message with answer.Message")
	}
	if len(m.ToolResults) > 0 && (m.Role != content.User || len(m.Content) > 0) {
		problem("results of tools must be in a user message of their own; make it with ask.Results")
	}
	for _, use := range m.ToolUses {
		if use.ID == "" || use.Name == "" {
			problem("the use of the tool %.40q has no ID or no name; take it from answer.ToolUses", use.Name)
		}
		if use.Input != nil && (!codec.Valid(use.Input) || codec.Value(use.Input).Kind() != '{') {
			problem("the input of the tool %.40q is not a JSON object", use.Name)
		}
	}
	if _, err := m.blocks(spec.Version20251125); err != nil && len(problems) == 0 {
		problem("it can't be written as JSON: %w", err)
	}
	if _, err := codec.Marshal(m.Meta); err != nil {
		problem("its Meta can't be written as JSON: %w", err)
	}
	return problems
}

// isSampled reports whether a block may be in a sample.
func isSampled(b content.Block) bool {
	return b.Type == content.TypeText || b.Type == content.TypeImage || b.Type == content.TypeAudio
}

// checkFlow finds uses of tools without a result, and results without a use
// (MCP 2026-07-28, SMP-2).
func checkFlow(messages []Message) []error {
	var problems []error
	problem := func(i int, text string, args ...any) {
		problems = append(problems, fmt.Errorf("message %d: "+text, append([]any{i + 1}, args...)...))
	}
	var open []string // the tools that wait for a result
	for i, m := range messages {
		for _, result := range m.ToolResults {
			at := slices.Index(open, result.ToolUseID)
			if at < 0 {
				problem(i, "no tool use with the ID %.60q waits for a result; put the answer's Message before it, and give each tool use one result", result.ToolUseID)
				continue
			}
			open = slices.Delete(open, at, at+1)
		}
		for _, id := range open {
			problem(i, "it lacks the result of the tool use %.60q in the previous message; add it to ask.Results", id)
		}
		open = nil
		for _, use := range m.ToolUses {
			if slices.Contains(open, use.ID) {
				problem(i, "it uses the ID %.60q for two tools", use.ID)
				continue
			}
			open = append(open, use.ID)
		}
	}
	for _, id := range open {
		problems = append(problems, fmt.Errorf("the tool use %.60q has no result; end the messages with ask.Results", id))
	}
	return problems
}

func (q *SampleQuestion) compile() (*checked, error) {
	problems := q.check()
	compiled := &compiledSample{messages: q.messages, wire: q.params, tools: len(q.tools) > 0}
	seen := map[string]bool{}
	for _, tool := range q.tools {
		wire, err := tool.compile()
		if err == nil && seen[tool.Name] {
			err = fmt.Errorf("the tool %q occurs twice; drop one", tool.Name)
		}
		if err != nil {
			problems = append(problems, err)
		}
		seen[tool.Name] = true
		compiled.wire.Tools = append(compiled.wire.Tools, wire)
	}
	for _, m := range q.messages {
		compiled.tools = compiled.tools || len(m.ToolUses)+len(m.ToolResults) > 0
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("the sample: %w", errors.Join(problems...))
	}
	return &checked{Method: methodSample, Early: q.isEarly, Kind: compiled}, nil
}
