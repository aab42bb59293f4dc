package ask

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

type (
	sampleParams struct {
		Messages         []wireMessage  `json:"messages"`
		ModelPreferences *preferences   `json:"modelPreferences,omitempty"`
		SystemPrompt     string         `json:"systemPrompt,omitempty"`
		IncludeContext   Context        `json:"includeContext,omitempty"`
		Temperature      *float64       `json:"temperature,omitempty"`
		MaxTokens        int            `json:"maxTokens"`
		StopSequences    []string       `json:"stopSequences,omitempty"`
		Metadata         map[string]any `json:"metadata,omitempty"`
		Tools            []wireTool     `json:"tools,omitempty"`
		ToolChoice       *toolChoice    `json:"toolChoice,omitempty"`
	}
	wireMessage struct {
		Role    content.Role   `json:"role"`
		Content any            `json:"content"` // a block, or a list of them
		Meta    map[string]any `json:"_meta,omitempty"`
	}
	preferences struct {
		Hints                []hint   `json:"hints,omitempty"`
		CostPriority         *float64 `json:"costPriority,omitempty"`
		SpeedPriority        *float64 `json:"speedPriority,omitempty"`
		IntelligencePriority *float64 `json:"intelligencePriority,omitempty"`
	}
	hint struct {
		Name string `json:"name"`
	}
	toolChoice struct {
		Mode ToolChoice `json:"mode"`
	}
)

// A compiledSample is a sample that has been checked.
type compiledSample struct {
	messages []Message
	wire     sampleParams // without the messages
	tools    bool         // whether tools are offered, or were used
}

func (s *compiledSample) Since() spec.Version {
	if s.tools {
		return spec.Version20251125
	}
	return spec.Version20241105
}

func (s *compiledSample) Missing(client []byte, _ spec.Version) string {
	switch {
	case s.tools && !capabilities(client).declare("sampling", "tools"):
		return `{"sampling":{"tools":{}}}`
	case !capabilities(client).declare("sampling"):
		return `{"sampling":{}}`
	}
	return ""
}

func (s *compiledSample) Params(client []byte, version spec.Version) []byte {
	params := s.wire
	if version >= spec.Version20251125 && params.IncludeContext != NoContext && !capabilities(client).declare("sampling", "context") {
		params.IncludeContext = "" // SMP-1
	}
	lists := version >= spec.Version20251125 && capabilities(client).declare("sampling", "tools")
	for _, m := range s.messages {
		params.Messages = append(params.Messages, m.wire(version, lists)...)
	}
	encoded, _ := codec.Marshal(params) // compile refused everything that doesn't encode
	return encoded
}

// wire returns the message in the form of a version. A client that doesn't support lists
// of blocks gets one message for each block.
func (m Message) wire(version spec.Version, lists bool) (list []wireMessage) {
	blocks, _ := m.blocks(version) // compile refused everything that doesn't encode
	if lists && len(blocks) != 1 {
		return []wireMessage{{m.Role, blocks, m.Meta}}
	}
	for _, block := range blocks {
		list = append(list, wireMessage{Role: m.Role, Content: block})
		if version >= spec.Version20251125 {
			list[len(list)-1].Meta = m.Meta
		}
	}
	return list
}

// Answer decodes the reply of the client's model (specification: CreateMessageResult).
func (s *compiledSample) Answer(_ request.Call, _ string, raw []byte) (*Answer, error) {
	var result struct {
		Role       content.Role   `json:"role"`
		Content    codec.Value    `json:"content"`
		Model      string         `json:"model"`
		StopReason string         `json:"stopReason"`
		Meta       map[string]any `json:"_meta"`
	}
	if err := codec.Unmarshal(raw, &result); err != nil {
		return nil, errors.New(codec.Explain(err))
	}
	if result.Role != content.User && result.Role != content.Assistant {
		return nil, fmt.Errorf("/role must be user or assistant, not %.40q", result.Role)
	}
	if result.Model == "" {
		return nil, errors.New("/model is missing; it is the name of the model")
	}
	answer := &Answer{model: result.Model, stop: result.StopReason, message: Message{Role: result.Role, Meta: result.Meta}}
	var err error
	switch result.Content.Kind() {
	case '{':
		err = answer.message.read(result.Content, "/content")
	case '[':
		var blocks []codec.Value
		_ = codec.Unmarshal(result.Content, &blocks) // an array of anything
		for i, block := range blocks {
			err = errors.Join(err, answer.message.read(block, fmt.Sprintf("/content/%d", i)))
		}
	default:
		err = errors.New("/content must be a content block or an array of them")
	}
	if err == nil {
		err = answer.message.checkUses()
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// checkUses returns the mistakes in the tool uses of an answer. The next sample would
// refuse a message with these.
func (m Message) checkUses() error {
	if len(m.ToolUses) > 0 && m.Role != content.Assistant {
		return fmt.Errorf("/role must be assistant, not %s, for content that uses tools", m.Role)
	}
	for i, use := range m.ToolUses {
		if slices.ContainsFunc(m.ToolUses[:i], func(other ToolUse) bool { return other.ID == use.ID }) {
			return fmt.Errorf("/content uses the ID %.60q for two tools", use.ID)
		}
	}
	return nil
}

// read adds a block of an answer to the message.
func (m *Message) read(raw codec.Value, where string) error {
	var block struct {
		Type     string         `json:"type"`
		Text     *string        `json:"text"`
		Data     *string        `json:"data"`
		MIMEType string         `json:"mimeType"`
		ID       string         `json:"id"`
		Name     string         `json:"name"`
		Input    codec.Value    `json:"input"`
		Meta     map[string]any `json:"_meta"`
	}
	if err := codec.Unmarshal(raw, &block); err != nil {
		return fmt.Errorf("%s: %s", where, codec.Explain(err))
	}
	switch {
	case block.Type == typeToolUse && block.ID != "" && block.Name != "" && block.Input.Kind() == '{':
		m.ToolUses = append(m.ToolUses, ToolUse{block.ID, block.Name, block.Input, block.Meta})
		return nil
	case block.Type == content.TypeText && block.Text != nil,
		(block.Type == content.TypeImage || block.Type == content.TypeAudio) && block.Data != nil && strings.Contains(block.MIMEType, "/"):
		var known content.Block
		if err := codec.Unmarshal(raw, &known); err != nil {
			return fmt.Errorf("%s: %s", where, codec.Explain(err))
		}
		m.Content = append(m.Content, known)
		return nil
	}
	return fmt.Errorf("%s is not a complete block of the type text, image, audio or tool_use", where)
}
