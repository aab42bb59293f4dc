package tools

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

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
// A call first asks the user through the client, by the key "confirmed". Handle runs
// once the user has accepted. If the user hasn't, the model gets
//
//	{"status":"declined","message":"…"}
//
// as structured content. A client that can't be asked gets
//
//	{"status":"confirmation_required","message":"…"}
//
// whose message tells the model to ask the user and to call again with the argument
// confirmed set to true, which Confirmed adds to the tool's schema. A call with that
// argument runs without a question: it is the model's word for the user's. A tool
// with an output schema gives the message as an error of the tool instead.
type Confirmed struct{}

// Confirmation is what the user is asked, such as "Delete page 7?". The default, "",
// names the tool's title and the arguments.
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
	schema.Boolean(argumentConfirmed).Description("Whether the user has agreed. Leave it out, unless told to set it.")
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
	if !ok || request.Bool(argumentConfirmed) {
		return nil, nil
	}
	question := confirmed.Confirmation(request)
	if question == "" {
		question = request.confirmation(title)
	}
	agreed, err := request.Confirm(ctx, argumentConfirmed, question)
	switch {
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

// confirmation asks for a call by what it is a call of. JSON shows everything that the
// model sent, and can't be mistaken for the question around it.
func (r *Request) confirmation(title string) string {
	if !r.parsed {
		r.parse()
	}
	var arguments []byte
	for _, m := range r.members {
		if m.name != argumentConfirmed {
			arguments = append(codec.AppendQuote(append(arguments, ','), m.name), ':')
			arguments = append(arguments, m.value...)
		}
	}
	if arguments == nil {
		return fmt.Sprintf("Allow %s?", title)
	}
	const most = 1000 // bytes, as a person has to read them
	shown := string(arguments[1:])
	if len(shown) > most {
		shown = strings.ToValidUTF8(shown[:most], "") + "…"
	}
	return fmt.Sprintf("Allow %s with {%s}?", title, shown)
}
