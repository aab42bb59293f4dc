package mcptest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/failuretest"
)

// asking returns a client of a server whose tool asks questions of all kinds, one after
// the other.
func asking(t testing.TB) *mcptest.Client {
	return mcptest.New(t, &boxServer{tools: []servers.Tool{&actTool{act: func(ctx context.Context, request *tools.Request) (tools.Result, error) {
		name, err := request.Ask(ctx, "name", ask.Form(`What is your "name"?`, func(form *ask.Fields) { form.String("name").Required() }))
		if err != nil {
			return nil, err
		}
		if !name.Accepted() {
			return tools.Text(string(name.Action())), nil
		}
		answers, err := request.AskAll(ctx, map[string]ask.Question{
			"page":  ask.URL("Connect.", "https://example.com"),
			"rhyme": ask.Sample(ask.User("Rhyme.")),
			"roots": ask.Roots(),
		})
		if err != nil {
			return nil, err
		}
		return tools.Text(fmt.Sprint(name.String("name"), answers["page"].Action(), answers["rhyme"].Text(), answers["roots"].Roots())), nil
	}}}})
}

func TestATestAnswersQuestionsByTheirKeys(t *testing.T) {
	t.Parallel()
	client := asking(t).Can("elicitation.form", "elicitation.url").Can("sampling", "roots")
	first := client.Call("act", nil).AssertAsks("name", `What is your "name"?`, `"required":["name"]`)
	second := first.Respond("name", mcptest.Args{"name": "Ada"}).AssertAsks("page", "https://example.com").AssertAsks("rhyme").AssertAsks("roots")
	second.Respond("roots", []ask.Root{{URI: "file:///a", Name: "A"}}).
		AssertAsks("page").
		Respond("rhyme", "Knot, not.").
		Respond("page", nil).
		AssertOK().
		AssertSee("Ada" + "accept" + "Knot, not." + "[{file:///a A}]")
	second.Respond("rhyme", map[string]any{"role": "assistant", "content": []any{}, "model": "m"}).Respond("roots", []ask.Root{}).Decline("page").
		AssertSee("Adadecline[]")
	first.Decline("name").AssertOK().AssertSee("decline")
	first.Cancel("name").AssertOK().AssertSee("cancel")
	first.Respond("name", mcptest.Args{"name": 7}).AssertError("/content/name: must be a string")
}

func TestAClientIsAskedOnlySupportedQuestions(t *testing.T) {
	t.Parallel()
	asking(t).Call("act", nil).AssertError("has not declared the capability")
	asking(t).Can("elicitation.url").Call("act", nil).AssertError("has not declared the capability")
	asking(t).Can("elicitation").Call("act", nil).AssertAsks("name")
}

func TestCapabilitiesBelongToOneClient(t *testing.T) {
	t.Parallel()
	base := asking(t)
	for i := range 8 { // however much room the list of capabilities has left
		able, unable := base.Can("elicitation"), base.Can("roots")
		unable.Call("act", nil).AssertError("has not declared the capability")
		able.Call("act", nil).AssertAsks("name")
		base = base.Can(fmt.Sprint("experimental.", i))
	}
}

func TestPromptsAreAskedAndAnsweredToo(t *testing.T) {
	t.Parallel()
	prompt := prompts.New(prompts.Definition{Name: "letter"}, func(ctx context.Context, request *prompts.Request) (prompts.Result, error) {
		sure, err := request.Confirm(ctx, "sure", "Write it?")
		if err != nil {
			return nil, err
		}
		return prompts.User(fmt.Sprint(sure)), nil
	})
	client := mcptest.New(t, &promptServer{prompts: []servers.Prompt{prompt}}).Can("elicitation")
	client.Get("letter", nil).AssertAsks("sure", "Write it?").Respond("sure", nil).AssertOK().AssertSee("true")
	client.Get("letter", nil).Decline("sure").AssertOK().AssertSee("false")
}

type promptServer struct {
	servers.Server
	prompts []servers.Prompt
}

func (p *promptServer) Prompts() []servers.Prompt { return p.prompts }

func TestAssertionsNameTheQuestions(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]func(r *mcptest.Result){
		"the server asks first: name; answer with Respond, Decline or Cancel": func(r *mcptest.Result) { r.AssertOK() },
		"the call did not fail; the server asks first: name":                  func(r *mcptest.Result) { r.AssertError() },
		`the server doesn't ask with the key "nme", only with name`:           func(r *mcptest.Result) { r.AssertAsks("nme", "x") },
		`the server doesn't ask with the key "age", only with name`:           func(r *mcptest.Result) { r.Respond("age", nil).AssertOK() },
		`the question "name" does not contain "How old":` + "\n" + `{"mode":"form"`: func(r *mcptest.Result) {
			r.AssertAsks("name", "How old")
		},
		"the server asks nothing; its answer is: decline": func(r *mcptest.Result) { r.Decline("name").AssertAsks("name") },
	} {
		got := failuretest.Of(t, func(t testing.TB) { test(asking(t).Can("elicitation").Call("act", nil)) })
		if !strings.HasPrefix(got, want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
