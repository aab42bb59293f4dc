package ask

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonschema"
	"github.com/bowline-mcp/bowline/internal/request"
)

// A SampleQuestion asks the client's model (MCP 2026-07-28, sampling; deprecated
// there). [Sample] makes one.
type SampleQuestion struct {
	draft
	messages []Message
	params   sampleParams
	tools    []Tool
	early    bool
}

// defaultMaxTokens is how much a model may say unless MaxTokens is called. The
// protocol wants a number.
const defaultMaxTokens = 1000

// Sample asks the client's model to go on with a conversation. [Answer.Text] has what
// it says. The client may show the question to its user, change it, choose the model,
// and not answer at all.
func Sample(messages ...Message) *SampleQuestion {
	q := &SampleQuestion{messages: slices.Clone(messages), params: sampleParams{MaxTokens: defaultMaxTokens}}
	q.draft = request.NewDraft(q.compile)
	return q
}

// MaxTokens limits how much the model may say, in tokens. It is 1000 by default.
func (q *SampleQuestion) MaxTokens(tokens int) *SampleQuestion {
	q.params.MaxTokens = tokens
	return q
}

// System sets the system prompt. The client may change or drop it.
func (q *SampleQuestion) System(prompt string) *SampleQuestion {
	q.params.SystemPrompt = prompt
	return q
}

// Hints name models, or parts of names such as "sonnet", the most wanted first.
func (q *SampleQuestion) Hints(names ...string) *SampleQuestion {
	hints := make([]hint, len(names))
	for i, name := range names {
		hints[i].Name = name
	}
	q.preferences().Hints = hints
	return q
}

// CostPriority says how much a low price matters, from 0 to 1.
func (q *SampleQuestion) CostPriority(priority float64) *SampleQuestion {
	q.preferences().CostPriority = &priority
	return q
}

// SpeedPriority says how much a quick answer matters, from 0 to 1.
func (q *SampleQuestion) SpeedPriority(priority float64) *SampleQuestion {
	q.preferences().SpeedPriority = &priority
	return q
}

// IntelligencePriority says how much a capable model matters, from 0 to 1.
func (q *SampleQuestion) IntelligencePriority(priority float64) *SampleQuestion {
	q.preferences().IntelligencePriority = &priority
	return q
}

func (q *SampleQuestion) preferences() *preferences {
	if q.params.ModelPreferences == nil {
		q.params.ModelPreferences = &preferences{}
	}
	return q.params.ModelPreferences
}

// A Context is what a client may add to a sample from the servers it is connected to.
type Context string

// The three contexts.
const (
	NoContext  Context = "none"
	ThisServer Context = "thisServer"
	AllServers Context = "allServers"
)

// IncludeContext asks the client to add context. It is left out for clients that
// don't take it.
func (q *SampleQuestion) IncludeContext(context Context) *SampleQuestion {
	q.params.IncludeContext = context
	return q
}

// Temperature sets how freely the model chooses its words. What the number means
// depends on the model.
func (q *SampleQuestion) Temperature(temperature float64) *SampleQuestion {
	q.params.Temperature = &temperature
	return q
}

// StopSequences are texts that end what the model says.
func (q *SampleQuestion) StopSequences(texts ...string) *SampleQuestion {
	q.params.StopSequences = slices.Clone(texts)
	return q
}

// Metadata is for the provider of the model. It must encode as JSON.
func (q *SampleQuestion) Metadata(metadata map[string]any) *SampleQuestion {
	q.params.Metadata = maps.Clone(metadata)
	return q
}

// Tools are what the model may wish to have called; see [Answer.ToolUses]. Call them
// yourself, and sample again with their [Results]. Limit how often that goes on.
// Clients that don't declare sampling.tools, and those before 2025-11-25, can't be
// asked.
func (q *SampleQuestion) Tools(tools ...Tool) *SampleQuestion {
	q.tools = slices.Clone(tools)
	return q
}

// A ToolChoice says whether the model may wish for tools.
type ToolChoice string

// The three choices.
const (
	ToolAuto     ToolChoice = "auto" // the default
	ToolRequired ToolChoice = "required"
	ToolNone     ToolChoice = "none"
)

// ToolChoice says whether the model may wish for tools. It needs [SampleQuestion.Tools].
func (q *SampleQuestion) ToolChoice(choice ToolChoice) *SampleQuestion {
	q.params.ToolChoice = &toolChoice{choice}
	return q
}

// Early also takes an answer that arrives unasked, with the first request. Without
// it, an answer only counts together with a sealed state that proves that the
// question was asked. Never use it for consent.
func (q *SampleQuestion) Early() *SampleQuestion {
	q.early = true
	return q
}

// A Tool is what the model of a sample may wish to have called (specification: Tool).
// It needn't be a tool of the server.
type Tool struct {
	Name        string
	Title       string
	Description string
	Schema      func(schema *schema.Object) // describes the arguments; nil for none
}

type wireTool struct {
	Name        string      `json:"name"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	InputSchema codec.Value `json:"inputSchema"`
}

// compile returns the tool's wire form.
func (t Tool) compile() (wireTool, error) {
	wire := wireTool{Name: t.Name, Title: t.Title, Description: t.Description}
	if t.Name == "" {
		return wire, errors.New("a tool has no name; give it one, such as \"search\"")
	}
	arguments := schema.New()
	if t.Schema != nil {
		t.Schema(arguments)
	}
	validator, err := arguments.Compile()
	if err == nil {
		err = (*jsonschema.Validator)(validator).CheckObject()
	}
	if err != nil {
		return wire, fmt.Errorf("the tool %q: %w", t.Name, err)
	}
	wire.InputSchema = validator.Schema()
	return wire, nil
}
