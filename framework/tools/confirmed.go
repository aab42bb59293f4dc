package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/codec"
)

// Confirmed is embedded beside [Tool] by a tool that runs only when the user has
// agreed:
//
//	type DeletePageTool struct {
//		tools.Tool
//		tools.Confirmed
//		annotations.IsDestructive
//	}
//
//	func (*DeletePageTool) Confirmation(request *tools.Request) string {
//		return "Delete page " + request.String("pageId") + "? This can't be undone."
//	}
//
// A call first asks the user through the client, by the key "confirmed", whatever the
// model has sent. Handle runs once the user has accepted. If the user hasn't, the model
// gets
//
//	{"status":"declined","message":"…"}
//
// as structured content. A client that can't be asked gets
//
//	{"status":"confirmation_required","message":"…"}
//
// whose message tells the model to ask the user and to call again with the argument
// confirmed set to true, which Confirmed adds to the tool's schema. That argument is the
// model's word for the user's, and counts only there: a client that can be asked is
// asked. A tool with an output schema gives the message as an error of the tool instead.
type Confirmed struct{}

// Confirmation is what the user is asked, such as "Delete page 7?". The default, "",
// names the tool's title and all arguments, with texts cut at 200 characters. If that
// is more than a person reads, 4000 characters, the call is refused.
func (Confirmed) Confirmation(request *Request) string { return "" }

func (Confirmed) mustConfirm() {}

// A confirmer is a tool that embeds [Confirmed].
type confirmer interface {
	Confirmation(request *Request) string
	mustConfirm()
}

// argumentConfirmed is the argument that Confirmed adds, and the key of its question.
const argumentConfirmed = "confirmed"

// Confirms reports whether a tool embeds [Confirmed]. It is for the engine.
func Confirms(tool Interface) bool {
	_, ok := tool.(confirmer)
	return ok
}

// checkConfirmed finds a Confirmation that nobody would call.
func checkConfirmed(tool Interface) error {
	_, embeds := tool.(interface{ mustConfirm() })
	_, asks := reflect.TypeOf(tool).MethodByName("Confirmation")
	switch {
	case embeds && !Confirms(tool):
		return errors.New("the method Confirmation must be: Confirmation(request *tools.Request) string")
	case asks && !embeds:
		return errors.New("it has a method Confirmation, which is only called if the tool embeds tools.Confirmed; embed it, or rename the method")
	}
	return nil
}

// DescribeConfirmed adds the argument of [Confirmed] to the schema of a tool. It is for
// the engine.
func DescribeConfirmed(schema *schema.Object) error {
	if has(schema, argumentConfirmed) {
		return errors.New("tools.Confirmed adds the argument confirmed itself; take it out")
	}
	schema.Boolean(argumentConfirmed).Description("Whether the user has agreed, where the client can't ask. Leave it out, unless told to set it.")
	if !has(schema, argumentConfirmed) {
		return errors.New("tools.Confirmed can't add the argument confirmed to a raw schema; " +
			"describe the arguments by calls, or drop tools.Confirmed and call request.Confirm in Handle")
	}
	return nil
}

// has reports whether a schema has a property.
func has(schema *schema.Object, property string) bool {
	var written struct {
		Properties map[string]codec.Value `json:"properties"`
	}
	encoded, err := schema.MarshalJSON()
	if err != nil || codec.Unmarshal(encoded, &written) != nil {
		return false
	}
	return written.Properties[property] != nil
}

// Confirm makes sure that the user agrees to a call of a tool that embeds [Confirmed].
// It returns what to answer instead of calling Handle, nil if Handle may run. A tool
// with an output schema takes no structured content of another shape. It is for the
// engine.
func Confirm(ctx context.Context, tool Interface, title string, structured bool, request *Request) (*CallResult, error) {
	confirmed, ok := tool.(confirmer)
	if !ok {
		return nil, nil
	}
	question := confirmed.Confirmation(request)
	if question == "" {
		var err error
		if question, err = request.confirmation(title); err != nil {
			return nil, err
		}
	}
	agreed, err := request.Confirm(ctx, argumentConfirmed, question)
	switch {
	case errors.Is(err, exchange.ErrCannotAsk) && request.Bool(argumentConfirmed):
		return nil, nil
	case errors.Is(err, exchange.ErrCannotAsk):
		return unconfirmed("confirmation_required", question+" Ask the user, then call again with confirmed set to true.", structured), nil
	case err != nil:
		return nil, err
	case !agreed:
		return unconfirmed("declined", "The user did not agree. Do not try again unless the user asks for it.", structured), nil
	}
	return nil, nil
}

// unconfirmed is what the model gets for a call that didn't run.
func unconfirmed(status, message string, structured bool) *CallResult {
	if !structured {
		return Error(message)
	}
	return Structured(map[string]string{"status": status, "message": message})
}

// How much of a call a person is asked to read, in characters.
const (
	mostOfText      = 200
	mostOfArguments = 4000
)

// confirmation asks for a call by what it is a call of. JSON shows everything that the
// model sent, and can't be mistaken for the question around it. Only what a text says
// is cut, never what there is: a long argument must not hide the others.
func (r *Request) confirmation(title string) (string, error) {
	if !r.parsed {
		r.parse()
	}
	var shown []byte
	for _, m := range r.members {
		if m.name != argumentConfirmed {
			shown = append(codec.AppendQuote(append(shown, ','), short(m.name)), ':')
			shown = appendShown(shown, m.value)
		}
	}
	if shown == nil {
		return fmt.Sprintf("Allow %s?", title), nil
	}
	if n := utf8.RuneCount(shown); n > mostOfArguments {
		return "", Errorf("The user can't be asked to allow this call: its arguments are more than a person reads, "+
			"%d characters with long texts cut, where %d is the most. Call again with less.", n, mostOfArguments)
	}
	return fmt.Sprintf("Allow %s with {%s}?", title, shown[1:]), nil
}

// appendShown appends JSON as a person is shown it: with names and texts cut, and
// without space between its parts, which could push some of them out of sight.
func appendShown(dst []byte, value codec.Value) []byte {
	rest, _ := codec.Compact(value) // it is known to be valid
	for {
		start := bytes.IndexByte(rest, '"')
		if start < 0 {
			return append(dst, rest...)
		}
		end := start + 1
		for ; rest[end] != '"'; end++ {
			if rest[end] == '\\' {
				end++
			}
		}
		text, _ := codec.Unquote(rest[start : end+1])
		dst = codec.AppendQuote(append(dst, rest[:start]...), short(text))
		rest = rest[end+1:]
	}
}

// short returns a text as far as a person is shown it.
func short(text string) string {
	if utf8.RuneCountInString(text) <= mostOfText {
		return text
	}
	return string([]rune(text)[:mostOfText]) + "…"
}
