package main

import (
	"os"
	"strings"
	"testing"
)

// startOnTerminal runs mcp call on a terminal without a size, where questions are plain lines.
func startOnTerminal(t *testing.T, args ...string) *runOnTerminal {
	t.Helper()
	return start(t, callCommand(t, args...), 0, 0)
}

const asksForCity = `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"Where are you?",` +
	`"requestedSchema":{"type":"object","properties":{"city":{"type":"string","title":"City","description":"As on the map.","default":"Bern"}}}}}}}`

func TestCtrlCEndsACallThatAsksInPlainLines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		server fakeServer
		shown  []string
	}{
		"what to do": {withTool(always(asksForCity)), []string{"Where are you?", "Enter a number"}},
		"a field":    {withTool(always(asksForCity)), []string{"Enter a number", "City"}},
		"the name":   {withTool(always(text("x"))), []string{"Which tool?", "Enter a number"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{serve(t, test.server), "t"}
			if name == "the name" {
				args = args[:1]
			}
			c := startOnTerminal(t, args...)
			c.sees(t, test.shown[0])
			if name == "a field" {
				c.types(t, "1\n")
			}
			c.sees(t, test.shown[1])
			if err := c.command.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			c.sees(t, "mcp: the call was canceled")
			if code := c.ends(t); code != 130 {
				t.Errorf("the exit code is %d, want 130; the screen shows %q", code, c.screen.String())
			}
		})
	}
}

func TestAPlainQuestionHasItsDescriptionAndDefault(t *testing.T) {
	t.Parallel()
	c := startOnTerminal(t, serve(t, withTool(func(params string) string {
		if strings.Contains(params, `"inputResponses":{"q":{"action":"accept","content":{"city":"Bern"}}}`) {
			return text("You are in Bern.")
		}
		return asksForCity
	})), "t")
	c.sees(t, "Where are you?")
	c.types(t, "1\n")
	c.sees(t, `City As on the map. Enter alone means "Bern".`)
	c.types(t, "\n")
	c.sees(t, "You are in Bern.")
	if code := c.ends(t); code != 0 {
		t.Errorf("the exit code is %d; the screen shows %q", code, c.screen.String())
	}
}

func TestATerminalDoesNotObeyTheTextOfAServer(t *testing.T) {
	t.Parallel()
	c := startOnTerminal(t, serve(t, withTool(always(text("one\ttwo\n\x1b[31mred\u009b1m\r")))), "t")
	c.sees(t, "\\r\r\n")
	if code := c.ends(t); code != 0 || !strings.Contains(c.screen.String(), "one\ttwo\r\n\\x1b[31mred\\u009b1m\\r\r\n") {
		t.Errorf("the exit code is %d; the screen shows %q", code, c.screen.String())
	}
}
