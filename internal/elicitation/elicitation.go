// Package elicitation asks a person the questions of an MCP server on a terminal: forms and
// URLs (elicitation/create).
package elicitation

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/questions"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// The actions of a person.
const (
	accept  = "accept"
	decline = "decline"
	cancel  = "cancel"
)

// Answer asks a question with the raw params and returns the raw result. The person may
// decline, or cancel the question with Ctrl-C.
func Answer(terminal *questions.Terminal, screen io.Writer, params []byte) ([]byte, error) {
	var question struct {
		Mode    string      `json:"mode"`
		Message string      `json:"message"`
		URL     string      `json:"url"`
		Schema  codec.Value `json:"requestedSchema"`
	}
	if err := codec.Unmarshal(params, &question); err != nil {
		return nil, fmt.Errorf("the question of the server is invalid: %w", err)
	}
	if question.Mode == "url" {
		_, _ = fmt.Fprintf(screen, "The server asks you to open this page, which isn't sent anything by mcp:\n\n  %s\n\n", naming.Printable(question.URL))
	}
	fields := spec.ParseObject(spec.Lookup(question.Schema, "properties"))
	action, err := choose(terminal, question.Message, question.Mode == "url", len(fields) > 0)
	if err != nil || action != accept || question.Mode == "url" {
		return result(action, nil, err)
	}
	form := form{terminal: terminal, schema: question.Schema}
	content, err := form.ask(fields)
	return result(accept, content, err)
}

// choose asks what to do about the question.
func choose(terminal *questions.Terminal, message string, isURL, hasFields bool) (string, error) {
	yes := "Accept"
	switch {
	case isURL:
		yes = "I have opened the page"
	case hasFields:
		yes = "Answer"
	}
	return terminal.Choose(printableLines(message), []questions.Option{
		{Value: accept, Label: yes}, {Value: decline, Label: "Decline"}, {Value: cancel, Label: "Cancel"},
	})
}

// printableLines returns a text for a terminal, which doesn't obey it and shows its lines.
func printableLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = naming.Printable(strings.TrimSuffix(line, "\r"))
	}
	return strings.Join(lines, "\n")
}

// result returns the raw result of a question.
func result(action string, content spec.Object, err error) ([]byte, error) {
	switch {
	case errors.Is(err, questions.ErrCanceled):
		return []byte(`{"action":"` + cancel + `"}`), nil
	case err != nil:
		return nil, err
	case content == nil:
		return []byte(`{"action":"` + action + `"}`), nil
	}
	return append(content.Append([]byte(`{"action":"`+action+`","content":`)), '}'), nil
}
