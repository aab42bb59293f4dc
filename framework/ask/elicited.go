package ask

import (
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// readElicited reads what every elicitation is answered with (specification:
// ElicitResult). The content only counts in an accepted form.
func readElicited(raw []byte) (*Answer, codec.Value, error) {
	var result struct {
		Action  Action      `json:"action"`
		Content codec.Value `json:"content"`
	}
	if err := codec.Unmarshal(raw, &result); err != nil {
		return nil, nil, errors.New(codec.Explain(err))
	}
	switch result.Action {
	case Accept, Decline, Cancel:
		return &Answer{action: result.Action}, result.Content, nil
	case "":
		return nil, nil, errors.New("/action is missing; it is accept, decline or cancel")
	}
	return nil, nil, fmt.Errorf("/action must be accept, decline or cancel, not %.40q", result.Action)
}
