package command_test

import (
	"runtime"
	"testing"

	"github.com/bowline-mcp/bowline/internal/command"
)

func TestAProgramIsCalledAsThePersonDidIt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix; to run it: go test ./internal/command on another system")
	}
	for word, want := range map[string]command.Program{
		"mcp":                                   {Name: "mcp", Command: "mcp"},
		"./shop":                                {Name: "shop", Command: "./shop"},
		"/usr/local/bin/shop":                   {Name: "shop", Command: "/usr/local/bin/shop"},
		"my apps/shop":                          {Name: "shop", Command: "'my apps/shop'"},
		"/tmp/go-build3141592653/b001/exe/shop": {Name: "shop", Command: "go run ."},
		"/srv/exe/shop":                         {Name: "shop", Command: "/srv/exe/shop"},
	} {
		if got := command.ProgramOf(word); got != want {
			t.Errorf("%s: got %+v, want %+v", word, got, want)
		}
	}
	if got := command.ProgramFrom(command.WithProgram(t.Context(), command.ProgramOf("./shop"))).Command; got != "./shop" {
		t.Errorf("the context has %s", got)
	}
	if got := command.ProgramFrom(t.Context()).Command; got != "mcp" {
		t.Errorf("a context without a program has %s", got)
	}
}
