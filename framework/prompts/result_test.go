package prompts_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// giving returns a prompt that returns a result.
func giving(result prompts.Result) prompts.Interface {
	return prompts.New(prompts.Definition{Name: "give"}, func(context.Context, *prompts.Request) (prompts.Result, error) { return result, nil })
}

// wire returns the result that a client gets.
func wire(t *testing.T, result prompts.Result) string {
	t.Helper()
	return servertest.Of(&servertest.Server{PromptList: []prompts.Interface{giving(result)}}).Get("give", "{}")
}

const (
	hello  = `{"type":"text","text":"Hello."}`
	hi     = `{"type":"text","text":"Hi."}`
	system = `{"role":"user","content":{"type":"text","text":"Be kind.","_meta":{"originalRole":"system"}}}`
	pixel  = `{"type":"image","data":"AQ==","mimeType":"image/png"}`
)

func said(role, block string) string { return `{"role":"` + role + `","content":` + block + `}` }

func TestResultsHaveTheShapeOfTheWire(t *testing.T) {
	t.Parallel()
	picture := content.Image([]byte{1}, "image/png")
	for name, test := range map[string]struct {
		result prompts.Result
		want   string
	}{
		"user":            {prompts.User("Hello."), said("user", hello)},
		"assistant":       {prompts.Assistant("Hi."), said("assistant", hi)},
		"system":          {prompts.System("Be kind."), system},
		"say":             {prompts.Say(content.Assistant, picture), said("assistant", pixel)},
		"several":         {prompts.Messages{prompts.User("Hello."), prompts.Assistant("Hi.")}, said("user", hello) + "," + said("assistant", hi)},
		"none":            {prompts.Messages{}, ""},
		"no list":         {prompts.Messages(nil), ""},
		"several blocks":  {prompts.User("Hello.", picture), said("user", hello) + "," + said("user", pixel)},
		"system is first": {prompts.Messages{prompts.User("Hello."), prompts.System("Be kind."), prompts.Assistant("Hi.")}, system + "," + said("user", hello) + "," + said("assistant", hi)},
		"empty text":      {prompts.User(""), said("user", `{"type":"text","text":""}`)},
		"pair":            {prompts.Pair{Assistant: "Hi.", User: "Hello."}, said("user", hello) + "," + said("assistant", hi)},
		"half a pair":     {prompts.Pair{Assistant: picture}, said("assistant", pixel)},
		"pair of blocks":  {prompts.Pair{User: []content.Block{content.Text("Hello."), picture}}, said("user", hello) + "," + said("user", pixel)},
		"embedded text": {prompts.Say("user", content.EmbedText("x:y", "", "t")),
			said("user", `{"type":"resource","resource":{"uri":"x:y","mimeType":"text/plain","text":"t"}}`)},
		"embedded bytes": {prompts.Say("user", content.EmbedBytes("x:y", "", []byte{1})),
			said("user", `{"type":"resource","resource":{"uri":"x:y","mimeType":"application/octet-stream","blob":"AQ=="}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			if got, want := wire(t, test.result), `{"messages":[`+test.want+`]}`; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestAWholeResultHasADescription(t *testing.T) {
	t.Parallel()
	got := wire(t, &prompts.GetResult{Description: "A review.", Messages: prompts.Messages{prompts.User("Hello.")}, Meta: map[string]any{"k": 1}})
	if want := `{"description":"A review.","messages":[` + said("user", hello) + `],"_meta":{"k":1}}`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTheMetaOfASystemBlockIsKept(t *testing.T) {
	t.Parallel()
	meta := map[string]any{"k": "v"}
	got := wire(t, prompts.Say("system", content.Text("x").WithMeta(meta)))
	if want := `{"messages":[` + said("user", `{"type":"text","text":"x","_meta":{"k":"v","originalRole":"system"}}`) + `]}`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(meta) != 1 {
		t.Errorf("the handler's map became %v", meta)
	}
}

func TestAResultThatCannotBeSentIsAnError(t *testing.T) {
	t.Parallel()
	var none *prompts.GetResult
	for name, test := range map[string]struct {
		result prompts.Result
		want   string
	}{
		"nothing":           {nil, "neither a result nor an error"},
		"nil pointer":       {none, "neither a result nor an error"},
		"no message":        {prompts.Message{}, `its role is ""`},
		"another role":      {prompts.Messages{prompts.User("a"), prompts.Say("tool", content.Text("b"))}, `message 2: its role is "tool"; it must be "user" or "assistant"`},
		"no content":        {prompts.Say("user"), "message 1: it has no content"},
		"empty pair":        {prompts.Pair{}, "neither a user's message nor an assistant's"},
		"image of no type":  {prompts.Say("user", content.Image([]byte{1}, "")), "message 1: the image has no MIME type"},
		"resource, no URI":  {prompts.Say("user", content.EmbedText("", "", "")), "message 1: the embedded resource has no URI"},
		"resource, bad URI": {prompts.Say("user", content.EmbedText("not a uri", "", "")), "the URI \"not a uri\" of the embedded resource is not valid"},
		"link, bad URI":     {prompts.Say("user", content.Link("notes.txt", "")), "the URI \"notes.txt\" of the link is not valid"},
		"resource, nothing": {prompts.Say("user", content.Block{Type: "resource"}), "message 1: the embedded resource has no URI"},
		"pair of a channel": {prompts.Pair{User: make(chan int)}, "chan int"},
	} {
		t.Run(name, func(t *testing.T) {
			config := mcp.Config{Debug: true, Logger: slog.New(slog.DiscardHandler)} // which makes the error visible
			server := &servertest.Server{PromptList: []prompts.Interface{giving(test.result)}}
			mcptest.Configured(t, config, server).Get("give", nil).AssertError(test.want)
		})
	}
}

func TestResultsRoundTrip(t *testing.T) {
	t.Parallel()
	want := prompts.GetResult{
		Description: "d", Messages: prompts.Messages{prompts.User("a"), prompts.Say("assistant", content.Image([]byte{1}, "image/png"))}, Meta: map[string]any{"k": "v"},
	}
	encoded, err := json.Marshal(&want)
	wire := `{"description":"d","messages":[` + said("user", `{"type":"text","text":"a"}`) + "," + said("assistant", pixel) + `],"_meta":{"k":"v"}}`
	if err != nil || string(encoded) != wire {
		t.Fatalf("got\n%s, %v\nwant\n%s", encoded, err, wire)
	}
	var got prompts.GetResult
	if err := json.Unmarshal(encoded, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAMessageAloneEncodesIfItHasOneBlock(t *testing.T) {
	t.Parallel()
	if got, err := codec.Marshal(prompts.User("Hello.")); err != nil || string(got) != said("user", hello) {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := codec.Marshal(prompts.User("Hello.", content.Text("Hi."))); err == nil || !strings.Contains(err.Error(), "must have one block") {
		t.Errorf("got %v", err)
	}
}
