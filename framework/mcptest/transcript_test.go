package mcptest_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/failuretest"
)

var _ = flag.Bool("update", false, "write the golden files")

func TestMessagesAreComparedWithAGoldenFile(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		server := newFullServer()
		client := mcptest.New(t, server).Speaks(version).Transcript("testdata/transcript-" + version + ".golden")
		client.Tools() // in pages, with cursors
		subscription := client.Subscribe()
		client.Call("echo", mcptest.Args{"message": "Hello."}).AssertOK()
		client.Call("echo", nil).AssertError("/message: required")
		server.RemoveTool("echo")
		subscription.AssertNotified("notifications/tools/list_changed")
	}
}

// The client has a session already. The transcript begins one of its own, so that it is the same
// wherever in a test it begins.
func TestATranscriptHasTheHandshakeOfAClientThatWasUsedBefore(t *testing.T) {
	t.Parallel()
	client := mcptest.New(t, &boxServer{tools: []servers.Tool{&EchoTool{}}}).Speaks("2025-11-25")
	client.Call("echo", mcptest.Args{"message": "before"}).AssertOK()
	client.Transcript("testdata/transcript-later.golden").Call("echo", mcptest.Args{"message": "after"}).AssertOK()
}

func TestTheStatesOfQuestionsAreNotInATranscript(t *testing.T) {
	t.Parallel()
	client := asking(t).Can("elicitation").Transcript("testdata/transcript-asking.golden")
	client.Call("act", nil).AssertAsks("name").Decline("name").AssertOK()
}

func TestATranscriptHasTheCursorsOfATool(t *testing.T) {
	t.Parallel()
	next := tools.New(tools.Definition{Name: "next", Description: "Returns a cursor of its own."}, func(context.Context, *tools.Request) (tools.Result, error) {
		return tools.Structured(map[string]any{"cursor": "page-2"}), nil
	})
	mcptest.New(t, &boxServer{tools: []servers.Tool{next}}).Transcript("testdata/transcript-cursor.golden").Call("next", nil).AssertOK()
}

// TestATranscriptIsWrittenWithUpdate can't run beside others: it sets the flag.
func TestATranscriptIsWrittenWithUpdate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden", "tools", "echo.golden")
	call := func(message string) string {
		return failuretest.Of(t, func(t testing.TB) {
			mcptest.New(t, &boxServer{tools: []servers.Tool{&EchoTool{}}}).Transcript(file).Call("echo", mcptest.Args{"message": message}).AssertOK()
		})
	}
	set := func(value string) {
		if err := flag.Set("update", value); err != nil {
			t.Fatal(err)
		}
	}
	before := flag.Lookup("update").Value.String()
	defer set(before)
	set("false")
	if got, want := call("Hello."), "there is no transcript "+file+"; run the test with -update to write it"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	set("true")
	if got := call("Hello."); got != "" {
		t.Errorf("with -update: %s", got)
	}
	set("false")
	if got := call("Hello."); got != "" {
		t.Errorf("the same messages: %s", got)
	}
	want := "the messages differ from the transcript; if the change is right, run the test with -update to write it\n" +
		"the transcript has\n\t\t\t\"message\": \"Hello.\"\nand the messages have\n\t\t\t\"message\": \"Bye.\""
	if got := call("Bye."); !strings.HasPrefix(got, file+":") || !strings.Contains(got, want) {
		t.Errorf("got %s\nwant … %s", got, want)
	}
	text, err := os.ReadFile(file)
	if err != nil || os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "\n", "\r\n")), 0o600) != nil {
		t.Fatal(err)
	}
	if got := call("Hello."); got != "" {
		t.Errorf("with the line ends of Windows: %s", got)
	}
	for what, changed := range map[string]string{"a further empty line": string(text) + "\n", "no last line end": strings.TrimSuffix(string(text), "\n")} {
		if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := call("Hello."); !strings.Contains(got, "the messages differ from the transcript") {
			t.Errorf("with %s in the transcript: %q", what, got)
		}
	}
}

// A test that failed has its own message, and its messages may be incomplete.
func TestAFailedTestDoesNotCompareItsTranscript(t *testing.T) {
	t.Parallel()
	got := failuretest.Of(t, func(t testing.TB) {
		mcptest.New(t, &boxServer{tools: []servers.Tool{&EchoTool{}}}).Transcript("testdata/none.golden").Call("echo", nil).AssertOK()
	})
	if strings.Contains(got, "transcript") || got == "" {
		t.Errorf("got %q", got)
	}
}

func TestAServerWithoutATypeIsTested(t *testing.T) {
	t.Parallel()
	server := servers.New(servers.Definition{Name: "box", Tools: []servers.Tool{&EchoTool{}}, Prompts: []servers.Prompt{&AskPrompt{}}})
	mcptest.Check(t, server)
	mcptest.New(t, server).Call("echo", mcptest.Args{"message": "Hello."}).AssertOK().AssertSee("Hello.")
	got := failuretest.Of(t, func(t testing.TB) {
		mcptest.New(t, servers.New(servers.Definition{Name: "box", Tools: []servers.Tool{&EchoTool{}}})).Tool(&fineTool{}, nil).AssertOK()
	})
	if want := "; box.Tools doesn't list it"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want … %q", got, want)
	}
}
