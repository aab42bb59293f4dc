package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/arguments"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// checkMissing returns a usage error for arguments that are missing, if nobody can be asked for
// them. It names the choices of a built app; nothing is built for an error. A server at a URL is
// asked for its names later.
func (c *call) checkMissing() error {
	isComplete := len(c.words) > 0 || c.server != "" && c.resource != ""
	if isComplete || isURL(c.server) || c.asked != nil && (c.server != "" || c.inApp()) {
		return nil
	}
	listed := c.BuiltListing(context.Background())
	if c.server == "" {
		return invocation.NewUsageError("call needs the HANDLE of a server of the app (%s), or the URL of any server", choices(listed.Handles()))
	}
	return c.missingName(c.names(listed))
}

// missingName returns the usage error for a missing name of a tool or prompt.
func (c *call) missingName(names []string) error {
	if c.prompt {
		return invocation.NewUsageError("call needs the NAME of a prompt (%s)", choices(names))
	}
	return invocation.NewUsageError("call needs the NAME of a tool (%s), or --resource URI, or --prompt NAME", choices(names))
}

// choices returns the words of a usage error for names, which may be unknown before the build.
func choices(names []string) string {
	if len(names) == 0 {
		return "mcp list shows them"
	}
	return naming.Quoted(names)
}

func (c *call) inApp() bool {
	_, err := c.App()
	return err == nil
}

// choose returns the tool or prompt of a list that the first word names. It asks for a missing
// name.
func choose[T any](c *call, kind string, items []T, describe func(T) (name, description string)) (chosen T, err error) {
	var names []string
	var options []questions.Option
	for _, item := range items {
		name, description := describe(item)
		names, options = append(names, name), append(options, option(name, description))
	}
	switch {
	case len(c.words) > 0:
	case len(names) == 0:
		return chosen, fmt.Errorf("the server has no %ss", kind)
	case c.asked == nil:
		return chosen, c.missingName(names)
	default:
		defer c.limit.pause()()
		name, err := c.asked.Choose("Which "+kind+"?", options)
		if err != nil {
			return chosen, err
		}
		c.words = []string{name}
	}
	if i := slices.Index(names, c.words[0]); i >= 0 {
		return items[i], nil
	}
	return chosen, naming.Unknown(kind, c.words[0], names)
}

// option returns a name to choose, with the first line of its description.
func option(name, description string) questions.Option {
	label := naming.Printable(name)
	if line, _, _ := strings.Cut(strings.TrimSpace(description), "\n"); line != "" {
		label += ": " + naming.Printable(naming.Cut(line, 60))
	}
	return questions.Option{Value: name, Label: label}
}

// complete returns the words with the required arguments that they lack. It asks for these, or
// returns a usage error if nobody can be asked.
func (c *call) complete(schema []byte, words []string) ([]string, error) {
	missing := arguments.Missing(schema, words)
	if len(missing) > 0 && c.asked == nil {
		var names []string
		for _, argument := range missing {
			names = append(names, argument.Name)
		}
		return nil, invocation.NewUsageError("%s: required arguments are missing: %s", c.words[0], naming.Quoted(names))
	}
	defer c.limit.pause()()
	for _, argument := range missing {
		answer, err := c.askArgument(schema, argument)
		if err != nil {
			return nil, err
		}
		words = append(words, argument.Name+"="+answer)
	}
	return words, nil
}

// askArgument asks for one argument, as the word after its name.
func (c *call) askArgument(schema []byte, argument arguments.Argument) (string, error) {
	title, description := naming.Printable(argument.Name), naming.PrintableLines(argument.Description)
	if len(argument.Values) == 0 {
		return c.asked.Text(title, description, func(answer string) error {
			if answer == "" {
				return errors.New("an answer is required")
			}
			_, err := arguments.Parse(schema, []string{argument.Name + "=" + answer})
			return err
		})
	}
	var options []questions.Option
	for _, value := range argument.Values {
		options = append(options, option(value, ""))
	}
	return c.asked.Choose(strings.TrimSpace(title+"\n"+description), options)
}
