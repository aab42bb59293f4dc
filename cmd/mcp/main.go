// Command mcp scaffolds and runs Bowline apps. See mcp help.
package main

import (
	"os"

	"github.com/bowline-mcp/bowline/internal/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], os.Stdout, os.Stderr)) }
