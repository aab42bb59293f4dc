package oauth_test

import (
	"context"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/term"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
	"github.com/bowline-mcp/bowline/internal/test/terminaltest"
)

// settings returns the settings of a terminal, such as whether it shows what is typed.
func settings(t *testing.T, terminal *os.File) *term.State {
	t.Helper()
	state, err := term.GetState(int(terminal.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// asks runs the command user:create on a terminal.
func (o operator) asks(ctx context.Context, terminal *os.File) (code chan int, stdout, stderr *buffertest.Buffer) {
	app := mcp.New(mcp.Config{})
	app.Router.Component(oauth.New(o.Config))
	code, stdout, stderr = make(chan int, 1), &buffertest.Buffer{}, &buffertest.Buffer{}
	go func() { code <- app.Run(ctx, []string{"user:create", "ana@example.com"}, terminal, stdout, stderr) }()
	return code, stdout, stderr
}

// waitFor waits until a condition is true.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 6000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("there is no %s after a minute", what)
}

func TestATerminalDoesNotShowThePassword(t *testing.T) {
	t.Parallel()
	o := newOperator(t, withPasswords)
	terminal, user := terminaltest.Open(t)
	before := settings(t, terminal)
	code, stdout, stderr := o.asks(t.Context(), terminal)
	for _, question := range []string{"Password: ", "Again: "} {
		waitFor(t, question, func() bool {
			return strings.HasSuffix(stderr.String(), question) && !reflect.DeepEqual(settings(t, terminal), before)
		})
		if _, err := user.WriteString("battery staple\n"); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-code; got != 0 || !strings.HasPrefix(stdout.String(), "The user ana@example.com can log in.") || stderr.String() != "Password: \nAgain: \n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", got, stdout, stderr)
	}
	if err := terminal.Close(); err != nil {
		t.Fatal(err)
	}
	if screen, _ := io.ReadAll(user); len(screen) > 0 { // the error says that the terminal is closed
		t.Errorf("the terminal shows %q", screen)
	}
}

func TestATerminalIsGivenBackAfterAnInterruption(t *testing.T) {
	t.Parallel()
	o := newOperator(t, withPasswords)
	terminal, user := terminaltest.Open(t)
	before := settings(t, terminal)
	ctx, interrupt := context.WithCancel(t.Context())
	code, _, stderr := o.asks(ctx, terminal)
	waitFor(t, "Password: ", func() bool { return !reflect.DeepEqual(settings(t, terminal), before) })
	interrupt()
	if got := <-code; got != 1 || stderr.String() != "Password: \nmcp: interrupted; nothing was changed\n" {
		t.Errorf("exit code %d, stderr %q", got, stderr)
	}
	if !reflect.DeepEqual(settings(t, terminal), before) {
		t.Error("the terminal doesn't show what is typed")
	}
	_, _ = user.WriteString("\n") // ends the read that was interrupted
}

func TestThePasswordIsTypedTwice(t *testing.T) {
	t.Parallel()
	o := newOperator(t, withPasswords)
	terminal, user := terminaltest.Open(t)
	before := settings(t, terminal)
	code, _, stderr := o.asks(t.Context(), terminal)
	for _, typed := range [][2]string{{"Password: ", "battery staple\n"}, {"Again: ", "battery stable\n"}} {
		waitFor(t, typed[0], func() bool {
			return strings.HasSuffix(stderr.String(), typed[0]) && !reflect.DeepEqual(settings(t, terminal), before)
		})
		if _, err := user.WriteString(typed[1]); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-code; got != 1 || !strings.HasSuffix(stderr.String(), "mcp: the passwords differ; try again\n") {
		t.Errorf("exit code %d, stderr %q", got, stderr)
	}
}
