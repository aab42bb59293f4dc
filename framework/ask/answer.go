package ask

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// An Action is the user's reaction to a question.
type Action string

// The three actions.
const (
	Accept  Action = "accept"  // submitted the form, allowed it, or agreed to open the URL
	Decline Action = "decline" // refused
	Cancel  Action = "cancel"  // dismissed it without choosing
)

// An Answer is the answer to a question. Its content depends on the kind of question;
// accessors for other kinds return the zero value.
type Answer struct {
	action  Action
	values  map[string]codec.Value // the fields of an accepted form, nil without one
	form    *request.Subject       // likewise
	call    request.Call           // that asked the form
	message Message
	model   string
	stop    string
	roots   []Root
}

// Action returns the user's reaction to a form, a confirmation or a URL.
func (a *Answer) Action() Action { return a.action }

// Accepted reports whether the user submitted the form, confirmed the question of
// [Confirm], or agreed to open the URL.
func (a *Answer) Accepted() bool { return a.action == Accept }

// Declined reports whether the user refused.
func (a *Answer) Declined() bool { return a.action == Decline }

// Cancelled reports whether the user dismissed the question without choosing.
func (a *Answer) Cancelled() bool { return a.action == Cancel }

// Has reports whether an accepted form has a value for the field. A field that the user
// left empty has its default, if one is declared.
func (a *Answer) Has(name string) bool { return a.find(name) != nil }

// String returns the string or choice in a field of an accepted form. If the field is
// absent, it returns orElse, or "" without one.
func (a *Answer) String(name string, orElse ...string) string {
	if text, ok := codec.Unquote(a.find(name)); ok {
		return text
	}
	return first(orElse)
}

// Int returns the integer in a field of an accepted form. If the field is absent, it
// returns orElse, or 0 without one. Answers with an integer that doesn't fit an int have
// already been refused.
func (a *Answer) Int(name string, orElse ...int) int {
	if n, ok := codec.Int(a.find(name)); ok {
		return n
	}
	return first(orElse)
}

// Float returns the number in a field of an accepted form. If the field is absent, it
// returns orElse, or 0 without one.
func (a *Answer) Float(name string, orElse ...float64) float64 {
	if f, ok := codec.Float(a.find(name)); ok {
		return f
	}
	return first(orElse)
}

// Bool returns the boolean in a field of an accepted form. If the field is absent, it
// returns orElse, or false without one.
func (a *Answer) Bool(name string, orElse ...bool) bool {
	switch string(a.find(name)) {
	case "true":
		return true
	case "false":
		return false
	}
	return first(orElse)
}

// Strings returns the choices in a field of an accepted form. If the field is absent,
// it returns orElse.
func (a *Answer) Strings(name string, orElse ...string) []string {
	var list []string
	if value := a.find(name); value == nil || codec.Unmarshal(value, &list) != nil {
		return orElse
	}
	return list
}

func (a *Answer) find(name string) codec.Value {
	value, ok := a.values[name]
	if !ok {
		a.form.Expect(a.call, name)
	}
	return value
}

// Bind decodes the fields of an accepted form into v, a pointer to a struct with json
// tags. It returns an error if there is no accepted form, or if a field doesn't fit.
func (a *Answer) Bind(v any) error {
	if a.values == nil {
		return errors.New("there is no accepted form to bind; check answer.Accepted first")
	}
	fields, err := codec.Marshal(a.values)
	if err != nil {
		return err
	}
	if err := codec.UnmarshalInstance(fields, v); err != nil {
		if mistake := codec.CheckTarget(v); mistake != nil {
			return request.NewMistake("Bind: %v", mistake)
		}
		if mistake := a.form.Misfit("Bind", err, "", reflect.TypeOf(v)); mistake != nil {
			return mistake
		}
		return errors.New("the answer does not fit: " + codec.Explain(err))
	}
	a.form.CheckBinding(a.call, v)
	return nil
}

// Text returns the text blocks of a sample, joined by newlines.
func (a *Answer) Text() string {
	var texts []string
	for _, block := range a.message.Content {
		if block.Type == content.TypeText {
			texts = append(texts, block.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Content returns the blocks of a sample: text, images and audio.
func (a *Answer) Content() []content.Block { return slices.Clone(a.message.Content) }

// ToolUses returns the tool calls that the model of a sample requests.
func (a *Answer) ToolUses() []ToolUse { return slices.Clone(a.message.ToolUses) }

// Message returns a sample as a message, to continue the conversation: pass the next
// [Sample] the messages so far, this one, and the reply to it.
func (a *Answer) Message() Message { return a.message }

// Role returns the role of a sample, usually [content.Assistant].
func (a *Answer) Role() content.Role { return a.message.Role }

// Model returns the name of the model that wrote a sample.
func (a *Answer) Model() string { return a.model }

// StopReason returns why the model of a sample stopped: endTurn, stopSequence, maxTokens,
// toolUse, a value of the client's own, or "" if the client sent none.
func (a *Answer) StopReason() string { return a.stop }

// Roots returns the folders that the client works in.
func (a *Answer) Roots() []Root { return slices.Clone(a.roots) }

func first[T any](values []T) (zero T) {
	if len(values) > 0 {
		return values[0]
	}
	return zero
}

// readElicited decodes the answer to an elicitation (specification: ElicitResult). Its
// content is used only if the action is accept.
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
