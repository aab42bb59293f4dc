package exchange

import (
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// missing is what a client has not declared and would have to, so that it can be asked.
type missing struct {
	keys         []string // of the questions, quoted
	capabilities map[string]map[string]codec.Value
}

// add adds what a question needs: a raw object such as {"elicitation":{"url":{}}}.
func (m *missing) add(key string, capabilities []byte) {
	m.keys = append(m.keys, fmt.Sprintf("%q", key))
	var more map[string]map[string]codec.Value
	_ = codec.Unmarshal(capabilities, &more) // it was made a moment ago
	if m.capabilities == nil {
		m.capabilities = map[string]map[string]codec.Value{}
	}
	for name, settings := range more {
		if m.capabilities[name] == nil {
			m.capabilities[name] = map[string]codec.Value{}
		}
		for setting, value := range settings {
			m.capabilities[name][setting] = value
		}
	}
}

// err names everything that is missing (specification: requiredCapabilities); nil if
// nothing is.
func (m *missing) err() error {
	if m.keys == nil {
		return nil
	}
	questions, capabilities := "question", "capability"
	if len(m.keys) > 1 {
		questions, capabilities = "questions", "capabilities"
	}
	encoded, err := codec.Marshal(m.capabilities)
	if err != nil {
		return err
	}
	return &Error{
		Code: CodeMissingClientCapability, Err: ErrCannotAsk,
		Message: fmt.Sprintf("The client can't be asked the %s %s: it has not declared the %s %s", questions, strings.Join(m.keys, ", "), capabilities, encoded),
		Data:    map[string]any{"requiredCapabilities": codec.Value(encoded)},
	}
}
