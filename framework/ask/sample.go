package ask

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

// A SampleQuestion asks the client's model (MCP 2026-07-28, sampling; deprecated
// there). [Sample] makes one.
type SampleQuestion struct {
	early[SampleQuestion]
	messages []Message
	params   sampleParams
	tools    []Tool
}

// defaultMaxTokens is the limit unless MaxTokens is called. The protocol requires one.
const defaultMaxTokens = 1000

// Sample asks the client's model to continue a conversation. [Answer.Text] returns its
// reply. The client chooses the model. It may show the messages to its user, change them,
// or refuse.
func Sample(messages ...Message) *SampleQuestion {
	q := &SampleQuestion{messages: slices.Clone(messages), params: sampleParams{MaxTokens: defaultMaxTokens}}
	q.self, q.draft = q, request.NewDraft(q.compile)
	return q
}

// MaxTokens limits the length of the reply, in tokens. The default is 1000.
func (q *SampleQuestion) MaxTokens(tokens int) *SampleQuestion {
	q.params.MaxTokens = tokens
	return q
}

// System sets the system prompt. The client may change or drop it.
func (q *SampleQuestion) System(prompt string) *SampleQuestion {
	q.params.SystemPrompt = prompt
	return q
}

// Hints name models, or parts of names such as "sonnet", in order of preference.
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

// A Context says which of the client's servers contribute context to a sample.
type Context string

// The three contexts.
const (
	NoContext  Context = "none"
	ThisServer Context = "thisServer"
	AllServers Context = "allServers"
)

// IncludeContext asks the client to add context. It isn't sent to clients that don't
// support it.
func (q *SampleQuestion) IncludeContext(context Context) *SampleQuestion {
	q.params.IncludeContext = context
	return q
}

// Temperature sets the model's temperature. Its range depends on the model.
func (q *SampleQuestion) Temperature(temperature float64) *SampleQuestion {
	q.params.Temperature = &temperature
	return q
}

// StopSequences sets texts at which the model stops.
func (q *SampleQuestion) StopSequences(texts ...string) *SampleQuestion {
	q.params.StopSequences = slices.Clone(texts)
	return q
}

// Metadata sets metadata for the provider of the model. It must encode as JSON.
func (q *SampleQuestion) Metadata(metadata map[string]any) *SampleQuestion {
	q.params.Metadata = maps.Clone(metadata)
	return q
}

// Tools sets the tools that the model may request to call; see [Answer.ToolUses]. Call
// them yourself, and sample again with their [Results]. Limit the number of rounds.
// Clients that don't declare sampling.tools, and clients older than 2025-11-25, can't be
// asked.
func (q *SampleQuestion) Tools(tools ...Tool) *SampleQuestion {
	q.tools = slices.Clone(tools)
	return q
}

// A ToolChoice says whether the model may use tools.
type ToolChoice string

// The three choices.
const (
	ToolAuto     ToolChoice = "auto" // the default
	ToolRequired ToolChoice = "required"
	ToolNone     ToolChoice = "none"
)

// ToolChoice says whether the model may use tools. It needs [SampleQuestion.Tools].
func (q *SampleQuestion) ToolChoice(choice ToolChoice) *SampleQuestion {
	q.params.ToolChoice = &toolChoice{choice}
	return q
}

// A Tool is a tool that the model of a sample may request to call (specification: Tool).
// It needn't be a tool of the server.
type Tool struct {
	Name        string
	Title       string
	Description string
	Schema      func(s *schema.Object) // describes the arguments; nil for none
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
