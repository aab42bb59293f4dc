package ask_test

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A person prints all questions, and gives the same answer to each.
type person struct{ answer string }

func (p person) Ask(_ context.Context, _ *call.Call, questions []request.Question) ([][]byte, error) {
	answers := make([][]byte, len(questions))
	for i, question := range questions {
		fmt.Printf("%s %s\n", question.Method, question.Params)
		answers[i] = []byte(p.answer)
	}
	return answers, nil
}

// called calls a tool for a client of 2025-06-18, which answers its questions, for the
// examples. It returns the text of the result.
func called(tool servers.Tool, answer string) string {
	client := servertest.Of(&servertest.Server{ToolList: []servers.Tool{tool}})
	client.Peer = call.Peer{Client: request.Client{Version: spec.Version20250618, Capabilities: []byte(`{"elicitation":{}}`)}, Asker: person{answer}}
	result := client.Call(naming.Tool.NameOf(tool), "{}")
	text, _ := codec.Unquote(spec.Lookup(spec.ParseArray(spec.Lookup([]byte(result), "content"))[0], "text"))
	return text
}
