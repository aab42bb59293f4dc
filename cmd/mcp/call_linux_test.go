package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/terminaltest"
)

// A callTerminal is a run of mcp call on a terminal without a size, where questions are plain
// lines.
type callTerminal struct {
	command *exec.Cmd
	user    *os.File
	screen  bytes.Buffer
}

func startOnTerminal(t *testing.T, args ...string) *callTerminal {
	t.Helper()
	terminal, user := terminaltest.Open(t)
	c := &callTerminal{command: callCommand(t, args...), user: user}
	c.command.Stdin, c.command.Stdout, c.command.Stderr = terminal, terminal, terminal
	if err := c.command.Start(); err != nil {
		t.Fatal(err)
	}
	if err := terminal.Close(); err != nil { // the screen ends with the command, and with it the reading
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(time.Minute, func() { _ = c.command.Process.Kill() })
	t.Cleanup(func() { watchdog.Stop() })
	return c
}

// sees reads the screen until it shows a text.
func (c *callTerminal) sees(t *testing.T, shown string) {
	t.Helper()
	part := make([]byte, 4096)
	for !strings.Contains(c.screen.String(), shown) {
		n, err := c.user.Read(part)
		if err != nil {
			t.Fatalf("%v: the screen shows %q", err, c.screen.String())
		}
		c.screen.Write(part[:n])
	}
}

func (c *callTerminal) types(t *testing.T, keys string) {
	t.Helper()
	if _, err := io.WriteString(c.user, keys); err != nil {
		t.Fatal(err)
	}
}

// ends returns the exit code.
func (c *callTerminal) ends(t *testing.T) int {
	t.Helper()
	go func() { _, _ = io.Copy(io.Discard, c.user) }() // so that the screen never fills
	_ = c.command.Wait()                               // the exit code says it
	return c.command.ProcessState.ExitCode()
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

func TestAPageToOpenIsShownOnATerminal(t *testing.T) {
	t.Parallel()
	for era, s := range withPage() {
		c := startOnTerminal(t, serve(t, s), "t")
		c.sees(t, "Enter a number")
		if want := toOpen + "\r\nHave you opened the page? \r\n1. Yes, go on\r\n2. Decline\r\n3. Cancel\r\n"; !strings.HasPrefix(c.screen.String(), want) {
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
