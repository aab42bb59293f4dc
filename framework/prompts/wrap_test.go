package prompts_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/prompts"
)

type object = map[string]any

type mood string

type stats struct {
	Lines int `json:"lines"`
}

func TestWrapAcceptsEveryFormOfAPrompt(t *testing.T) {
	t.Parallel()
	both := said("user", hello) + "," + said("assistant", hi)
	picture := content.Image([]byte{1}, "image/png")
	for name, test := range map[string]struct {
		value any
		want  string
	}{
		"1 a list of maps":            {[]object{{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}}, both},
		"1 a list of maps of strings": {[]map[string]string{{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}}, both},
		"1 a list of anything":        {[]any{object{"role": "user", "content": "Hello."}, prompts.Assistant("Hi.")}, both},
		"2 one message":               {prompts.User("Hello."), said("user", hello)},
		"2 one map":                   {object{"role": content.User, "content": "Hello."}, said("user", hello)},
		"3 keys":                      {object{"assistant": "Hi.", "user": "Hello."}, both},
		"3 keys of a string map":      {map[string]string{"assistant": "Hi.", "user": "Hello."}, both},
		"3 one key":                   {object{"assistant": "Hi."}, said("assistant", hi)},
		"3 a pair":                    {prompts.Pair{User: "Hello.", Assistant: "Hi."}, both},
		"3 a pair in a list":          {[]any{prompts.Pair{User: "Hello.", Assistant: "Hi."}}, both},
		"4 mixed content":             {object{"role": "user", "content": []any{content.Text("Hello."), picture}}, said("user", hello) + "," + said("user", pixel)},
		"4 mixed maps": {object{"role": "user", "content": []object{{"type": "text", "text": "Hello."}, {"type": "image", "data": "AQ==", "mimeType": "image/png"}}},
			said("user", hello) + "," + said("user", pixel)},
		"4 text among blocks": {object{"user": []any{"Hello.", picture}}, said("user", hello) + "," + said("user", pixel)},
		"5 messages":          {[]prompts.Message{prompts.User("Hello."), prompts.Assistant("Hi.")}, both},
		"5 a message's list":  {prompts.Message{Role: "user", Content: []content.Block{content.Text("Hello."), picture}}, said("user", hello) + "," + said("user", pixel)},
		"6 a whole result":    {object{"messages": []object{{"role": "user", "content": "Hello."}}}, said("user", hello)},
		"the role system":     {[]object{{"role": "user", "content": "Hello."}, {"role": "system", "content": "Be kind."}}, system + "," + said("user", hello)},
		"no messages":         {[]any{}, ""},

		"a block":             {object{"user": content.Text("Hello.")}, said("user", hello)},
		"a map of a block":    {object{"user": object{"type": "text", "text": "Hello."}}, said("user", hello)},
		"blocks":              {object{"user": []content.Block{content.Text("Hello.")}}, said("user", hello)},
		"null":                {object{"user": nil}, said("user", `{"type":"text","text":"(null)"}`)},
		"a number":            {object{"user": 1.5}, said("user", `{"type":"text","text":"1.5"}`)},
		"a boolean":           {object{"user": true}, said("user", `{"type":"text","text":"true"}`)},
		"a string kind":       {object{"user": mood("glad")}, said("user", `{"type":"text","text":"glad"}`)},
		"a list of strings":   {object{"user": []string{"a"}}, said("user", `{"type":"text","text":"[\n  \"a\"\n]"}`)},
		"a struct":            {object{"user": stats{3}}, said("user", `{"type":"text","text":"{\n  \"lines\": 3\n}"}`)},
		"a map of no type":    {object{"user": object{"a": 1}}, said("user", `{"type":"text","text":"{\n  \"a\": 1\n}"}`)},
		"a resource, no type": {object{"user": object{"type": "resource", "resource": object{"uri": "x:y", "text": "t"}}}, said("user", `{"type":"resource","resource":{"uri":"x:y","mimeType":"text/plain","text":"t"}}`)},
		"a link": {object{"user": object{"type": "resource", "resource": object{"uri": "file:///a/b.txt", "mimeType": "text/plain"}}},
			said("user", `{"type":"resource_link","uri":"file:///a/b.txt","name":"b.txt","mimeType":"text/plain"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := prompts.Wrap(test.value)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := wire(t, result), `{"messages":[`+test.want+`]}`; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestWrapKeepsTheDescriptionOfAWholeResult(t *testing.T) {
	t.Parallel()
	result, err := prompts.Wrap(object{"description": "d", "messages": prompts.User("Hello.")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := wire(t, result), `{"description":"d","messages":[`+said("user", hello)+`]}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestWrapRefusesOtherValues(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		value any
		want  string
	}{
		"nothing":            {nil, "neither a result nor an error"},
		"a string":           {"Hello.", `a value of type string is not a message; return prompts.User("…")`},
		"a number":           {7, "a value of type int is not a message"},
		"another role":       {object{"role": "tool", "content": "x"}, `its role is "tool"; it must be "user" or "assistant"`},
		"another role, in":   {[]object{{"user": "x"}, {"role": "tool", "content": "x"}}, `message 2: its role is "tool"`},
		"no content":         {object{"role": "user"}, `a message has no "content"`},
		"another map":        {object{"text": "x"}, `a map is a message if it has "role" and "content"`},
		"an unknown block":   {object{"user": object{"type": "video"}}, "unknown type of content block"},
		"a bad description":  {object{"messages": []any{}, "description": 7}, "must be a string, not int"},
		"a result in a list": {[]any{&prompts.GetResult{}}, "a whole result can't be one of several messages"},
		"a channel":          {object{"user": make(chan int)}, "chan int"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := prompts.Wrap(test.value); err == nil || got != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, %v; want …%s…", got, err, test.want)
			}
		})
	}
}
