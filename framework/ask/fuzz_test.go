package ask_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/request/requesttest"
)

// FuzzAnswer decodes arbitrary answers. It expects an answer or an error, never both. An
// accepted form has its required field.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"action":"accept","content":{"city":"Bergen","days":2.0,"meals":["dinner"]}}`, `{"action":"decline"}`, `{"action":"accept","content":{"city":null}}`,
		`{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"1","name":"n","input":{}}],"model":"m"}`,
		`{"role":"assistant","content":{"type":"image","data":"YWJj","mimeType":"image/png"},"model":"m"}`,
		`{"role":"assistant","content":{"type":"image","data":"","mimeType":""},"model":"0"}`,
		`{"action":"accept","content":{"city":"Bergen","days":1e400}}`, `{"roots":[{"uri":"file:///a"}]}`, `null`, `[]`, `{"action"`, `{"action":"accept","content":{"city":"a","city":"b"}}`,
	} {
		f.Add([]byte(seed))
	}
	var questions []*request.Compiled[*ask.Answer]
	for _, question := range []ask.Question{
		trip(), ask.Confirm("Sure?"), ask.URL("Connect.", "https://example.com"), ask.Sample(ask.User("Hello?")), ask.Roots(),
	} {
		compiled, err := request.Compile[*ask.Answer](question)
		if err != nil {
			f.Fatal(err)
		}
		questions = append(questions, compiled)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for i, question := range questions {
			answer, err := question.Kind.Answer(&requesttest.Call{}, "q", raw)
			if (answer == nil) == (err == nil) {
				t.Fatalf("%s: got %+v and %v", raw, answer, err)
			}
			if i == 0 && err == nil && answer.Accepted() && answer.String("city") == "" {
				t.Errorf("%s: the form was accepted without its required field", raw)
			}
			if err == nil && question.Method == "sampling/createMessage" && len(answer.Content())+len(answer.ToolUses()) > 0 {
				messages := []ask.Message{ask.User("Hello?"), answer.Message()}
				var results []ask.ToolResult
				for _, use := range answer.ToolUses() {
					results = append(results, ask.ToolResult{ToolUseID: use.ID})
				}
				if len(results) > 0 {
					messages = append(messages, ask.Results(results...))
				}
				if _, err := request.Compile[*ask.Answer](ask.Sample(messages...)); err != nil {
					t.Errorf("%s: the answer can't be sampled on from: %v", raw, err)
				}
			}
		}
	})
}
