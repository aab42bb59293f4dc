// Package elicitation asks a person the questions of an MCP server on a terminal: forms and
// URLs (elicitation/create).
package elicitation

import (
	"errors"
	"fmt"
	"io"

	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// The actions of a person.
const (
	accept  = "accept"
	decline = "decline"
	cancel  = "cancel"
)

// Answer asks a question with the raw params and returns the raw result. The person may
// decline or cancel the question. Ctrl-C in a form is [questions.ErrInterrupted].
func Answer(terminal *questions.Terminal, screen io.Writer, params []byte) ([]byte, error) {
	asked, err := parse(params)
	if err != nil {
		return nil, err
	}
	if asked.Mode == "url" {
		asked.show(screen)
		action, err := choose(terminal, "Have you opened the page?", "Yes, go on")
		return result(action, nil, err)
	}
	fields := spec.ParseObject(spec.Lookup(asked.Schema, "properties"))
	yes := "Accept"
	if len(fields) > 0 {
		yes = "Answer"
	}
	action, err := choose(terminal, naming.PrintableLines(asked.Message), yes)
	if err != nil || action != accept {
		return result(action, nil, err)
	}
	form := form{terminal: terminal, schema: asked.Schema}
	content, err := form.ask(fields)
	return result(accept, content, err)
}

// ShowPage writes which page a question with the raw params asks a person to open.
func ShowPage(screen io.Writer, params []byte) error {
	asked, err := parse(params)
	if err != nil {
		return err
	}
	asked.show(screen)
	return nil
}

// A question is the params of elicitation/create.
type question struct {
	Mode    string      `json:"mode"`
	Message string      `json:"message"`
	URL     string      `json:"url"`
	Schema  codec.Value `json:"requestedSchema"`
}

func parse(params []byte) (question, error) {
	var asked question
	if err := codec.Unmarshal(params, &asked); err != nil {
		return asked, fmt.Errorf("the question of the server is invalid: %w", err)
	}
	return asked, nil
}

// show writes which page to open. A program that opened it, or fetched it to look at it, would
// let the server choose where requests go.
func (q question) show(screen io.Writer) {
	_, _ = fmt.Fprintf(screen, "mcp: open %s in a browser: %s\n", naming.Printable(q.URL), naming.Printable(q.Message))
}

// choose asks what to do about a question.
func choose(terminal *questions.Terminal, title, yes string) (string, error) {
	return terminal.Choose(title, []questions.Option{
		{Value: accept, Label: yes}, {Value: decline, Label: "Decline"}, {Value: cancel, Label: "Cancel"},
	})
}

// result returns the raw result of a question.
func result(action string, content spec.Object, err error) ([]byte, error) {
	switch {
	case errors.Is(err, questions.ErrInterrupted):
		return nil, err
	case errors.Is(err, questions.ErrCanceled):
		return []byte(`{"action":"` + cancel + `"}`), nil
	case err != nil:
		return nil, err
	case content == nil:
		return []byte(`{"action":"` + action + `"}`), nil
	}
	return append(content.Append([]byte(`{"action":"`+action+`","content":`)), '}'), nil
}
