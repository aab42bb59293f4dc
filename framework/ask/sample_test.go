package ask_test

import (
	"math"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/spec"
)

func assertSample(t *testing.T, q *ask.SampleQuestion, version spec.Version, want string) {
	t.Helper()
	if got := compile(t, q).Kind.Params([]byte(everything), version); string(got) != want {
		t.Errorf("%s: got\n%s\nwant\n%s", version, got, want)
	}
}

func TestASampleRequiresOnlyAMessage(t *testing.T) {
	t.Parallel()
	for _, version := range []spec.Version{modern, v20251125, v20250618, v20250326, v20241105} {
		assertSample(t, ask.Sample(ask.User("What is the capital of France?")), version,
			`{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":1000}`)
	}
}

func TestASampleHasAllFieldsOfTheProtocol(t *testing.T) {
	t.Parallel()
	q := ask.Sample(ask.User("Hello?")).
		MaxTokens(100).System("Be brief.").Hints("sonnet", "claude").CostPriority(0).SpeedPriority(0.5).IntelligencePriority(1).
		IncludeContext(ask.NoContext).Temperature(0).StopSequences("END").Metadata(map[string]any{"user": "7"}).
		Tools(ask.Tool{Name: "search", Title: "Search", Description: "Searches.", Schema: func(s *schema.Object) {
			s.String("query").Required()
		}}, ask.Tool{Name: "now"}).ToolChoice(ask.ToolRequired)
	assertSample(t, q, modern, `{"messages":[{"role":"user","content":{"type":"text","text":"Hello?"}}],`+
		`"modelPreferences":{"hints":[{"name":"sonnet"},{"name":"claude"}],"costPriority":0,"speedPriority":0.5,"intelligencePriority":1},`+
		`"systemPrompt":"Be brief.","includeContext":"none","temperature":0,"maxTokens":100,"stopSequences":["END"],"metadata":{"user":"7"},`+
		`"tools":[{"name":"search","title":"Search","description":"Searches.","inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}},`+
		`{"name":"now","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}],"toolChoice":{"mode":"required"}}`)
}

func TestContextIsOmittedForAClientThatDoesNotSupportIt(t *testing.T) {
	t.Parallel()
	q := ask.Sample(ask.User("Hello?")).IncludeContext(ask.ThisServer)
	without := `{"messages":[{"role":"user","content":{"type":"text","text":"Hello?"}}],"maxTokens":1000}`
	with := `{"messages":[{"role":"user","content":{"type":"text","text":"Hello?"}}],"includeContext":"thisServer","maxTokens":1000}`
	for _, test := range []struct {
		capabilities string
		version      spec.Version
		want         string
	}{
		{`{"sampling":{}}`, modern, without},
		{`{"sampling":{"context":{}}}`, modern, with},
		{`{"sampling":{}}`, v20251125, without},
		{`{"sampling":{"context":{}}}`, v20251125, with},
		{`{"sampling":{}}`, v20250618, with}, // the capability didn't exist yet
	} {
		if got := compile(t, q).Kind.Params([]byte(test.capabilities), test.version); string(got) != test.want {
			t.Errorf("%s, %s: got\n%s\nwant\n%s", test.capabilities, test.version, got, test.want)
		}
	}
}

func TestBlocksOfASampleHaveTheFormOfTheVersion(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC)
	picture := content.Image([]byte("abc"), "image/png").Modified(at).Priority(1).WithMeta(map[string]any{"k": "v"})
	said := ask.User("Look:", picture)
	said.Meta = map[string]any{"example.com/turn": 1}
	q := ask.Sample(said, ask.Assistant("I see."), ask.User("", content.Audio([]byte("abc"), "audio/wav")))

	audio := `{"role":"user","content":{"type":"audio","data":"YWJj","mimeType":"audio/wav"}}`
	seen := `{"role":"assistant","content":{"type":"text","text":"I see."}},`
	whole := `{"type":"image","data":"YWJj","mimeType":"image/png","annotations":{"priority":1,"lastModified":"2026-07-28T00:00:00Z"},"_meta":{"k":"v"}}`
	assertSample(t, q, modern, `{"messages":[{"role":"user","content":[{"type":"text","text":"Look:"},`+whole+`],"_meta":{"example.com/turn":1}},`+seen+audio+`],"maxTokens":1000}`)
	assertSample(t, q, v20250618, `{"messages":[{"role":"user","content":{"type":"text","text":"Look:"}},{"role":"user","content":`+whole+`},`+seen+audio+`],"maxTokens":1000}`)
	old := `{"messages":[{"role":"user","content":{"type":"text","text":"Look:"}},{"role":"user","content":{"type":"image","data":"YWJj","mimeType":"image/png","annotations":{"priority":1}}},` + seen
	assertSample(t, q, v20250326, old+audio+`],"maxTokens":1000}`)
	assertSample(t, q, v20241105, old+`{"role":"user","content":{"type":"text","text":"[audio of type audio/wav, which this protocol version can't carry]"}}],"maxTokens":1000}`)
}

// Lists of blocks came with tools. A client may support sampling without either.
func TestAClientWithoutToolsGetsOneBlockAMessage(t *testing.T) {
	t.Parallel()
	q := ask.Sample(ask.Message{Role: content.User, Content: []content.Block{content.Text("Look:"), content.Text("here.")}, Meta: map[string]any{"k": "v"}})
	const (
		one   = `{"role":"user","content":{"type":"text","text":"Look:"},"_meta":{"k":"v"}},`
		other = `{"role":"user","content":{"type":"text","text":"here."},"_meta":{"k":"v"}}`
	)
	for _, version := range []spec.Version{modern, v20251125} {
		if got, want := string(compile(t, q).Kind.Params([]byte(`{"sampling":{}}`), version)), `{"messages":[`+one+other+`],"maxTokens":1000}`; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", version, got, want)
		}
	}
}

func TestASampleThatContradictsItselfSaysWhatToDo(t *testing.T) {
	t.Parallel()
	hello := func() *ask.SampleQuestion { return ask.Sample(ask.User("Hello?")) }
	for _, test := range []struct {
		question ask.Question
		want     string
	}{
		{ask.Sample(), "it has no messages; begin with ask.User"},
		{ask.Sample(ask.Message{Role: "system", Content: []content.Block{content.Text("x")}}), `message 1: its role is "system"; make it with ask.User`},
		{ask.Sample(ask.Message{Role: content.User}), "message 1: it is empty; give it a text"},
		{ask.Sample(ask.User("x", content.Link("x:y", ""))), `message 1: it has a block of type "resource_link"; only text, images and audio are allowed`},
		{ask.Sample(ask.User("x", content.Text("y").WithMeta(map[string]any{"f": func() {}}))), "message 1: it can't be written as JSON"},
		{ask.Sample(ask.Message{Role: content.User, Content: []content.Block{content.Text("x")}, Meta: map[string]any{"f": func() {}}}), "message 1: its Meta can't be written as JSON"},
		{hello().MaxTokens(0), "MaxTokens is 0; it must be at least 1"},
		{hello().CostPriority(1.1), "CostPriority is 1.1; it must be from 0 to 1"},
		{hello().SpeedPriority(-1), "SpeedPriority is -1; it must be from 0 to 1"},
		{hello().IntelligencePriority(math.NaN()), "IntelligencePriority is NaN; it must be from 0 to 1"},
		{hello().Temperature(math.Inf(1)), "Temperature is +Inf; it must be a number"},
		{hello().IncludeContext("all"), `IncludeContext is "all"; use ask.NoContext`},
		{hello().Metadata(map[string]any{"f": func() {}}), "Metadata can't be written as JSON"},
		{hello().ToolChoice(ask.ToolAuto), "ToolChoice is set, but there are no tools; add some with Tools, or drop it"},
		{hello().Tools(ask.Tool{Name: "a"}).ToolChoice("any"), `ToolChoice is "any"; use ask.ToolAuto`},
		{hello().Tools(ask.Tool{}), "a tool has no name; give it one"},
		{hello().Tools(ask.Tool{Name: "a"}, ask.Tool{Name: "a"}), `the tool "a" occurs twice; drop one`},
		{hello().Tools(ask.Tool{Name: "a", Schema: func(s *schema.Object) { s.Integer("n").Min(2).Max(1) }}), `the tool "a": /properties/n: no number is allowed`},
		{hello().Tools(ask.Tool{Name: "a", Schema: func(s *schema.Object) { s.Raw(`{"type":"string"}`) }}), `the tool "a": the root of the schema must have "type":"object"`},
	} {
		assertMistake(t, test.question, test.want)
	}
}

func TestResultsOfToolsMatchTheirUses(t *testing.T) {
	t.Parallel()
	uses := func(ids ...string) ask.Message {
		m := ask.Assistant("Let me see.")
		for _, id := range ids {
			m.ToolUses = append(m.ToolUses, ask.ToolUse{ID: id, Name: "search"})
		}
		return m
	}
	results := func(ids ...string) ask.Message {
		m := ask.Results()
		for _, id := range ids {
			m.ToolResults = append(m.ToolResults, ask.ToolResult{ToolUseID: id})
		}
		return m
	}
	hello := ask.User("Hello?")
	mixed := results("a")
	mixed.Content = []content.Block{content.Text("and")}
	ofUser := uses("a")
	ofUser.Role = content.User
	for _, test := range []struct {
		messages []ask.Message
		want     string // "" if it is valid
	}{
		{[]ask.Message{hello, uses("a", "b"), results("b", "a")}, ""},
		{[]ask.Message{hello, uses("a"), results("a"), uses("a"), results("a"), ask.User("More?")}, ""},
		{[]ask.Message{hello, uses("a")}, `the tool use "a" has no result; end the messages with ask.Results`},
		{[]ask.Message{hello, uses("a"), ask.User("No."), results("a")}, `message 3: it lacks the result of the tool use "a" in the previous message; add it to ask.Results`},
		{[]ask.Message{hello, uses("a", "b"), results("a")}, `message 3: it lacks the result of the tool use "b" in the previous message`},
		{[]ask.Message{hello, results("a")}, `message 2: no tool use with the ID "a" waits for a result`},
		{[]ask.Message{hello, uses("a"), results("a", "a")}, `message 3: no tool use with the ID "a" waits for a result`},
		{[]ask.Message{hello, uses("a", "a"), results("a")}, `message 2: it uses the ID "a" for two tools`},
		{[]ask.Message{hello, uses("a"), mixed}, "message 3: results of tools must be in a user message of their own"},
		{[]ask.Message{ofUser, results("a")}, "message 1: only the assistant may use tools"},
		{[]ask.Message{hello, uses(""), results("")}, `message 2: the use of the tool "search" has no ID or no name`},
		{[]ask.Message{hello, {Role: content.Assistant, ToolUses: []ask.ToolUse{{ID: "a", Name: "b", Input: []byte("[]")}}}, results("a")},
			`message 2: the input of the tool "b" is not a JSON object`},
	} {
		q := ask.Sample(test.messages...)
		if test.want != "" {
			assertMistake(t, q, test.want)
		} else if _, err := request.Compile[*ask.Answer](q); err != nil {
			t.Errorf("got %v", err)
		}
	}
}

func TestASampleIsAnswered(t *testing.T) {
	t.Parallel()
	q := ask.Sample(ask.User("What is the capital of France?"))
	a := answer(t, q, `{"role":"assistant","content":{"type":"text","text":"Paris."},"model":"m-1","stopReason":"endTurn","_meta":{"k":1},"more":true}`)
	if a.Text() != "Paris." || a.Role() != content.Assistant || a.Model() != "m-1" || a.StopReason() != "endTurn" || len(a.Content()) != 1 {
		t.Errorf("got %+v", a)
	}
	if a.Accepted() || a.Action() != "" || a.String("x", "y") != "y" || a.Roots() != nil {
		t.Errorf("a sample has something of another kind: %+v", a)
	}
	a = answer(t, q, `{"role":"assistant","content":[{"type":"text","text":"One."},{"type":"image","data":"YWJj","mimeType":"image/png"},{"type":"text","text":"Two."}],"model":"m"}`)
	if a.Text() != "One.\nTwo." || len(a.Content()) != 3 || string(a.Content()[1].Data) != "abc" || a.StopReason() != "" {
		t.Errorf("got %+v", a)
	}
}

func TestASampleContinuesWithToolResults(t *testing.T) {
	t.Parallel()
	search := ask.Tool{Name: "search"}
	asked := ask.User("Weather?")
	a := answer(t, ask.Sample(asked).Tools(search),
		`{"role":"assistant","content":[{"type":"text","text":"Hm."},{"type":"tool_use","id":"1","name":"search","input":{"city":"Bergen"}}],"model":"m","stopReason":"toolUse"}`)
	uses := a.ToolUses()
	var in struct {
		City string `json:"city"`
	}
	if len(uses) != 1 || uses[0].Bind(&in) != nil || in.City != "Bergen" || a.Text() != "Hm." {
		t.Fatalf("got %+v", a)
	}
	var wrong struct {
		City int `json:"city"`
	}
	if err := uses[0].Bind(&wrong); err == nil || err.Error() != "the arguments of search do not fit: /city must be an integer, not a string" {
		t.Errorf("got %v", err)
	}
	q := ask.Sample(asked, a.Message(), ask.Results(ask.ToolResult{
		ToolUseID: uses[0].ID, Content: []content.Block{content.Text("Rain.")}, StructuredContent: map[string]any{"rain": true}, IsError: true,
		Meta: map[string]any{"k": "v"},
	})).Tools(search).ToolChoice(ask.ToolNone)
	assertSample(t, q, modern, `{"messages":[{"role":"user","content":{"type":"text","text":"Weather?"}},`+
		`{"role":"assistant","content":[{"type":"text","text":"Hm."},{"type":"tool_use","id":"1","name":"search","input":{"city":"Bergen"}}]},`+
		`{"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"Rain."}],"structuredContent":{"rain":true},"isError":true,"_meta":{"k":"v"}}}],`+
		`"maxTokens":1000,"tools":[{"name":"search","inputSchema":{"type":"object","properties":{},"additionalProperties":false}}],"toolChoice":{"mode":"none"}}`)
	assertSample(t, ask.Sample(asked, ask.Message{Role: content.Assistant, ToolUses: []ask.ToolUse{{ID: "1", Name: "now"}}}, ask.Results(ask.ToolResult{ToolUseID: "1"})), modern,
		`{"messages":[{"role":"user","content":{"type":"text","text":"Weather?"}},{"role":"assistant","content":{"type":"tool_use","id":"1","name":"now","input":{}}},`+
			`{"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[]}}],"maxTokens":1000}`)
}

func TestAnInvalidSampleIsRefused(t *testing.T) {
	t.Parallel()
	q := ask.Sample(ask.User("Hello?"))
	for raw, want := range map[string]string{
		`"Paris"`: "it must be an object, not a string",
		`{}`:      `/role must be user or assistant, not ""`,
		`{"role":"system","content":{"type":"text","text":""},"model":"m"}`:                                                                                  `/role must be user or assistant, not "system"`,
		`{"role":"assistant","content":{"type":"text","text":""}}`:                                                                                           "/model is missing",
		`{"role":"assistant","content":{"type":"text","text":""},"model":5}`:                                                                                 "/model must be a string",
		`{"role":"assistant","content":{"type":"text","text":""},"model":"m","stopReason":[]}`:                                                               "/stopReason must be a string",
		`{"role":"assistant","model":"m"}`:                                                                                                                   "/content must be a content block or an array of them",
		`{"role":"assistant","content":"Paris","model":"m"}`:                                                                                                 "/content must be a content block",
		`{"role":"assistant","content":{"type":"text"},"model":"m"}`:                                                                                         "/content is not a complete block",
		`{"role":"assistant","content":{"type":"text","text":5},"model":"m"}`:                                                                                "/content: /text must be a string",
		`{"role":"assistant","content":{"type":"image","data":"YWJj"},"model":"m"}`:                                                                          "/content is not a complete block",
		`{"role":"assistant","content":{"type":"image","data":"***","mimeType":"image/png"},"model":"m"}`:                                                    "/content: /data",
		`{"role":"assistant","content":{"type":"resource_link","uri":"x:y","name":"n"},"model":"m"}`:                                                         "/content is not a complete block of the type text, image, audio or tool_use",
		`{"role":"assistant","content":[{"type":"text","text":"a"},7],"model":"m"}`:                                                                          "/content/1: it must be an object",
		`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":"x"}],"model":"m"}`:                                                   "/content/0 is not a complete block",
		`{"role":"assistant","content":{"type":"image","data":"","mimeType":""},"model":"m"}`:                                                                "/content is not a complete block",
		`{"role":"assistant","content":{"type":"tool_use","id":"","name":"n","input":{}},"model":"m"}`:                                                       "/content is not a complete block",
		`{"role":"user","content":{"type":"tool_use","id":"1","name":"n","input":{}},"model":"m"}`:                                                           "/role must be assistant, not user, for content that uses tools",
		`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":{}},{"type":"tool_use","id":"1","name":"n","input":{}}],"model":"m"}`: `/content uses the ID "1" for two tools`,
		`{"role":"assistant","content":[{"type":"tool_result","toolUseId":"1","content":[]}],"model":"m"}`:                                                   "/content/0 is not a complete block",
		`{"role":"assistant","content":{"type":"text","text":"a"},"model":"m","content":{"type":"text","text":""}}`:                                          "it is not valid JSON",
	} {
		assertRefused(t, q, raw, want)
	}
}
