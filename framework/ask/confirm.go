package ask

import "github.com/bowline-mcp/bowline/internal/request"

// A ConfirmQuestion asks the user for a yes (MCP 2026-07-28, elicitation in form
// mode). [Confirm] makes one.
//
// It has no Early: an answer only counts together with a sealed state that proves
// that the question was asked.
type ConfirmQuestion struct{ draft }

// Confirm asks the user to allow something. It is a form without fields:
// [Answer.Accepted] is the yes, and whatever else the user does is none.
func Confirm(message string) *ConfirmQuestion {
	return &ConfirmQuestion{request.NewDraft(Form(message, nil).compile)}
}
