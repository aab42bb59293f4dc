package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/arguments"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// checkMissing returns a usage error for arguments that are missing, if nobody can be asked for
// them. It names those that a built app has; nothing is built for an error. Those of a URL are
// known once its server is asked.
func (c *call) checkMissing() error {
	isComplete := len(c.words) > 0 || c.server != "" && c.command.Flags().Changed("resource")
	if isComplete || isURL(c.server) || c.asked != nil && (c.server != "" || c.inApp()) {
		return nil
	}
	listed, _ := builtListing(c.command)
	var handles, names []string
	for _, local := range listed.Local {
		handles = append(handles, local.Handle)
		switch {
		case local.Handle != c.server:
		case c.prompt:
			names = local.Prompts
		default:
			names = local.Tools
		}
	}
	if c.server == "" {
		return invocation.NewUsageError("%s needs the HANDLE of a server of the app (%s), or the URL of any server", c.command.CommandPath(), known(handles))
	}
	return c.missingName(names)
}

// missingName returns the usage error for a missing name of a tool or prompt.
func (c *call) missingName(names []string) error {
	if c.prompt {
		return invocation.NewUsageError("%s needs the NAME of a prompt (%s)", c.command.CommandPath(), known(names))
	}
	return invocation.NewUsageError("%s needs the NAME of a tool (%s), or --resource URI, or --prompt NAME", c.command.CommandPath(), known(names))
}

// known returns the words of a usage error for names, which may be unknown before the build.
func known(names []string) string {
	if len(names) == 0 {
		return "mcp list shows them"
	}
	return naming.Quoted(names)
}

func (c *call) inApp() bool {
	_, err := invocation.App(c.command)
	return err == nil
}

// chooseHandle returns the handle of the app's only server on stdio, or the one that the person
// chooses.
func chooseHandle(ctx context.Context, asked *questions.Terminal, root, program string) (string, error) {
	listed, _, err := launcher.List(ctx, root, program)
	if err != nil {
		return "", err
	}
	switch len(listed.Local) {
	case 0:
		return "", errors.New("the app has no server on stdio: map one in routes/ai.go with mcp.Local, or name the URL of another")
	case 1:
		return listed.Local[0].Handle, nil
	}
	var options []questions.Option
	for _, handle := range listed.Handles() {
		options = append(options, option(handle, ""))
	}
	return asked.Choose("Which server?", options)
}

// chooseName asks for the name of a tool or prompt if it is missing.
func (c *call) chooseName(kind string, names []string, options []questions.Option) error {
	switch {
	case len(c.words) > 0:
		return nil
	case len(names) == 0:
		return fmt.Errorf("the server has no %ss", kind)
	case c.asked == nil:
		return c.missingName(names)
	}
	defer c.limit.pause()()
	name, err := c.asked.Choose("Which "+kind+"?", options)
	c.words = []string{name}
	return err
}

// option returns a name to choose, with the first line of its description.
func option(name, description string) questions.Option {
	label := naming.Printable(name)
	if line, _, _ := strings.Cut(strings.TrimSpace(description), "\n"); line != "" {
		label += ": " + naming.Printable(cut(line, 60))
	}
	return questions.Option{Value: name, Label: label}
}

// cut shortens a text to a number of characters, so that it has one line on most terminals.
func cut(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
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
