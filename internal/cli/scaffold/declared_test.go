package scaffold_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

func TestDeclaredTypesAreFound(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, file := range txtar.Parse([]byte(`
-- go.mod --
module example.com/demo
-- main.go --
package main
-- app/mcp/tools/echo_tool.go --
package tools

import "github.com/bowline-mcp/bowline/framework/tools"

type (
	EchoTool struct{ tools.Tool }
	SumTool  struct{ tools.Typed[args, int] }
	args     struct{ Text string }
	Named    struct{ tool tools.Tool }
)
-- app/mcp/tools/a_tool.go --
package tools

type DeepTool struct{ *middle }
-- app/mcp/tools/b_middle.go --
package tools

type middle struct{ inner }
-- app/mcp/tools/c_inner.go --
package tools

type inner struct{ Base }
-- app/mcp/tools/base.go --
package tools

import fw "github.com/bowline-mcp/bowline/framework/tools"

type Base struct{ fw.Tool }

type Generic[T any] struct{ fw.Tool }

type TypedTool struct{ *Generic[int] }

type Unused[T any] struct{ fw.Tool }
-- app/mcp/tools/ping_tool_test.go --
package tools

import "github.com/bowline-mcp/bowline/framework/tools"

type PingTool struct{ tools.Tool }
-- app/mcp/admin/tools/ban_tool.go --
package tools

import "example.com/demo/app/mcp/tools"

type BanTool struct{ *tools.Base }

func broken( {
-- app/mcp/servers/demo_server.go --
package servers

import "github.com/bowline-mcp/bowline/framework/servers"

type DemoServer struct{ servers.Server }
-- app/mcp/prompts/review_prompt.go --
package prompts

import "github.com/bowline-mcp/bowline/framework/prompts"

type ReviewPrompt struct {
	Text string
	prompts.Prompt
}
-- app/mcp/resources/other.go --
package resources

import "example.com/other/resources"

type Other struct{ resources.Resource }
`)).Files {
		name := filepath.Join(root, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	app, err := scaffold.FindApp(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, declared := range app.Declared() {
		got = append(got, fmt.Sprint(declared.Path, " ", declared.Kind, " ", declared.Type))
	}
	want := []string{
		"app/mcp/admin/tools/ban_tool.go tool tools.BanTool", "app/mcp/prompts/review_prompt.go prompt prompts.ReviewPrompt",
		"app/mcp/servers/demo_server.go server servers.DemoServer", "app/mcp/tools/a_tool.go tool tools.DeepTool", "app/mcp/tools/base.go tool tools.TypedTool", "app/mcp/tools/echo_tool.go tool tools.EchoTool", "app/mcp/tools/echo_tool.go tool tools.SumTool",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
