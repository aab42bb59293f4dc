package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// startOnTerminal runs mcp call on a terminal without a size, where questions are plain lines.
func startOnTerminal(t *testing.T, args ...string) *runOnTerminal {
	t.Helper()
	return start(t, callCommand(t, args...), 0, 0)
}

// startInForm runs mcp call on a terminal on which a question is a form.
func startInForm(t *testing.T, args ...string) *runOnTerminal {
	t.Helper()
	command := callCommand(t, args...)
	command.Env = append(command.Env, "TERM=xterm")
	return start(t, command, 80, 24)
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

func TestATerminalShowsJSONWithIndents(t *testing.T) {
	t.Parallel()
	for sent, shown := range map[string]string{
		`{"a":[1.50,"\u00e4"],"b":{}}`: "{\r\n  \"a\": [\r\n    1.50,\r\n    \"ä\"\r\n  ],\r\n  \"b\": {}\r\n}\r\n",
		`{"a":1`:                       "{\"a\":1\r\n",
		"[a](b)":                       "[a](b)\r\n",
	} {
		c := startOnTerminal(t, serve(t, withTool(always(text(sent)))), "t")
		c.sees(t, shown)
		if code := c.ends(t); code != 0 || c.screen.String() != shown {
			t.Errorf("%s: the exit code is %d; the screen shows %q", sent, code, c.screen.String())
		}
		if stdout, _, _ := runCall(t, serve(t, withTool(always(text(sent)))), "t"); stdout != sent+"\n" {
			t.Errorf("without a terminal, %s is %q", sent, stdout)
		}
	}
}

func TestAPageToOpenIsShownOnATerminal(t *testing.T) {
	t.Parallel()
	for era, s := range withPage() {
		c := startOnTerminal(t, serve(t, s), "t")
		c.sees(t, "Enter a number")
		if want := toOpen + "\r\nHave you opened the page? Enter alone means 1. \r\n1. Yes, go on\r\n2. Decline\r\n3. Cancel\r\n"; !strings.HasPrefix(c.screen.String(), want) {
			t.Errorf("%s: the screen shows %q, want %q", era, c.screen.String(), want)
		}
		c.types(t, "1\n")
		c.sees(t, "It is open.")
		if code := c.ends(t); code != 0 {
			t.Errorf("%s: the exit code is %d; the screen shows %q", era, code, c.screen.String())
		}
	}
}

func TestAPageThatIsDeclinedEndsTheCall(t *testing.T) {
	t.Parallel()
	c := startOnTerminal(t, serve(t, withPage()["older"]), "t")
	c.sees(t, "Enter a number")
	c.types(t, "2\n")
	c.sees(t, "mcp: the call needs a page that you open first; run the command again when you have opened it")
	if code := c.ends(t); code != 1 || strings.Count(c.screen.String(), toOpen) != 1 {
		t.Errorf("the exit code is %d; the screen shows %q", code, c.screen.String())
	}
}

func TestRequiredArgumentsAreAskedForOnATerminal(t *testing.T) {
	t.Parallel()
	url := serve(t, withArguments())
	c := startOnTerminal(t, url)
	c.sees(t, "Which tool?")
	c.sees(t, "1. weather: Tells the weather.\r\n")
	c.sees(t, "the number 1:")
	c.types(t, "1\n")
	c.sees(t, "city Where.")
	c.types(t, "\n")
	c.sees(t, "an answer is required")
	c.types(t, "Bern\n")
	c.sees(t, "2. F\r\n")
	c.sees(t, "between 1 and 2:")
	c.types(t, "2\n")
	c.sees(t, "2. false\r\n")
	c.types(t, "1\n")
	c.sees(t, "{\r\n  \"city\": \"Bern\",\r\n  \"unit\": \"F\",\r\n  \"wet\": true\r\n}")
	if code := c.ends(t); code != 0 {
		t.Errorf("the exit code is %d; the screen shows %q", code, c.screen.String())
	}
	c = startOnTerminal(t, url, "--prompt", "review")
	c.sees(t, "code What to review.")
	c.types(t, "x = 1\n")
	c.sees(t, `user: {"code":"x = 1"}`)
	if code := c.ends(t); code != 0 {
		t.Errorf("the exit code is %d; the screen shows %q", code, c.screen.String())
	}
}

func TestCtrlCEndsACallThatAsksInAForm(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]fakeServer{"the name": withTool(always(text("x"))), "a question": withTool(always(asksForCity)), "an argument": withArguments()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args, shown := []string{serve(t, s)}, "Which tool?"
			switch name {
			case "a question":
				args, shown = append(args, "t"), "Where are you?"
			case "an argument":
				args, shown = append(args, "weather"), "city"
			}
			c := startInForm(t, args...)
			c.sees(t, shown)
			c.types(t, "\x03")
			c.sees(t, "mcp: the call was canceled")
			if code := c.ends(t); code != 130 {
				t.Errorf("the exit code is %d, want 130; the screen shows %q", code, c.screen.String())
			}
		})
	}
}

// TERM=dumb has no way to replace a line.
func TestProgressOnATerminalReplacesItsLine(t *testing.T) {
	t.Parallel()
	const stream = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1,\"total\":2}}\n\n"
	s := withTool(nil)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !strings.Contains(string(body), `"tools/call"`) {
			s.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "%sdata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":%s}\n\n", stream, text("done"))
	}))
	for term, want := range map[string]string{"dumb": "progress 1/2\r\ndone\r\n", "xterm": "\r\x1b[K1/2\r\x1b[Kdone\r\n"} {
		command := callCommand(t, url, "t")
		command.Env = append(command.Env, "TERM="+term)
		c := start(t, command, 80, 24)
		c.sees(t, "done\r\n")
		if code := c.ends(t); code != 0 || c.screen.String() != want {
			t.Errorf("%s: the exit code is %d; the screen shows %q, want %q", term, code, c.screen.String(), want)
		}
	}
}
