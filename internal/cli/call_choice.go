package cli

import (
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/questions"
)

// checkMissing returns a usage error for arguments that are missing, if nobody can be asked for
// them. It names those that a built app has; nothing is built for an error.
func (c *call) checkMissing() error {
	isComplete := len(c.words) > 0 || c.server != "" && c.command.Flags().Changed("resource")
	if isComplete || c.asked != nil && (c.server != "" || c.inApp()) {
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
	switch {
	case c.server == "":
		return newUsageError("%s needs the HANDLE of a server of the app (%s), or the URL of any server", c.command.CommandPath(), known(handles))
	case c.prompt:
		return newUsageError("%s needs the NAME of a prompt (%s)", c.command.CommandPath(), known(names))
	}
	return newUsageError("%s needs the NAME of a tool (%s), or --resource URI, or --prompt NAME", c.command.CommandPath(), known(names))
}

// known returns the words of a usage error for names, which may be unknown before the build.
func known(names []string) string {
	if len(names) == 0 {
		return "mcp list shows them"
	}
	return naming.Quoted(names)
}

func (c *call) inApp() bool {
	_, err := findApp(c.command)
	return err == nil
}

// chooseHandle returns the handle of the app's only server on stdio, or the one that the person
// chooses.
func (c *call) chooseHandle(root, program string) (string, error) {
	listed, _, err := launcher.List(c.limit.ctx, root, program)
	if err != nil {
		return "", err
	}
	var handles []string
	for _, local := range listed.Local {
		handles = append(handles, local.Handle)
	}
	switch len(handles) {
	case 0:
		return "", errors.New("the app has no server on stdio: map one in routes/ai.go with mcp.Local, or call the URL of another")
	case 1:
		return handles[0], nil
	}
	return c.choose("Which server?", handles)
}

// chooseName asks for the name of a tool or prompt if it is missing.
func (c *call) chooseName(kind string, names []string) error {
	if len(c.words) > 0 {
		return nil
	}
	if len(names) == 0 {
		return fmt.Errorf("the server has no %ss", kind)
	}
	defer c.limit.pause()()
	name, err := c.choose("Which "+kind+"?", names)
	c.words = []string{name}
	return err
}

func (c *call) choose(title string, values []string) (string, error) {
	var options []questions.Option
	for _, value := range values {
		options = append(options, questions.Option{Value: value, Label: naming.Printable(value)})
	}
	return c.asked.Choose(title, options)
}
