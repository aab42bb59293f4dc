package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/scaffold"
	"github.com/bowline-mcp/bowline/stubs"
)

// generate writes a new type and its test into a folder of the app, such as
// weather_tool.go and weather_tool_test.go from tool.stub and tool_test.stub. It prints
// the paths of the files.
func generate(command *cobra.Command, app *scaffold.App, folder, stub string, name scaffold.Name) error {
	force, err := command.Flags().GetBool("force")
	if err != nil {
		return err
	}
	var files []scaffold.File
	for _, suffix := range []string{"", "_test"} {
		content, err := app.Render(stubs.Files(), stub+suffix+".stub", name)
		if err != nil {
			return err
		}
		files = append(files, scaffold.File{Path: folder + "/" + naming.Snake(name.Type) + suffix + ".go", Content: content})
	}
	if err := app.Write(files, force); err != nil {
		return err
	}
	for _, file := range files {
		verb := "created"
		if file.Replaced {
			verb = "replaced"
		}
		if _, err := fmt.Fprintln(command.OutOrStdout(), verb, file.Path); err != nil {
			return err
		}
	}
	return nil
}

func addForceFlag(command *cobra.Command) {
	command.Flags().BoolP("force", "f", false, "replace files that exist")
}
