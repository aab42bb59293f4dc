package oauth_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/term"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// openTerminal returns a terminal, and the keyboard and screen of it as one file.
func openTerminal(t *testing.T) (terminal, user *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		const message = "there are no pseudo-terminals; make them with: mount -t devpts devpts /dev/pts && ln -sf pts/ptmx /dev/ptmx"
		if os.Getenv("BOWLINE_CI") == "1" {
			t.Fatal(message, err)
		}
		t.Skip(message)
	}
	var number, locked uint32
	for request, value := range map[uintptr]*uint32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &locked} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, user.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 { //nolint:gosec // as the system call requires
			t.Fatal(errno)
		}
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = terminal.Close(), user.Close() })
	return terminal, user
}

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
func (o operator) asks(ctx context.Context, terminal *os.File) (code chan int, stdout, stderr *oauth.Record) {
	app := mcp.New(mcp.Config{})
	app.Router.OAuthRoutes(oauth.New(o.Config))
	code, stdout, stderr = make(chan int, 1), &oauth.Record{}, &oauth.Record{}
	go func() { code <- app.Run(ctx, []string{"user:create", "ana@example.com"}, terminal, stdout, stderr) }()
	return code, stdout, stderr
}

// waitFor waits until a condition is true.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("there is no %s after 10 s", what)
}

func TestATerminalDoesNotShowThePassword(t *testing.T) {
	t.Parallel()
	o := newOperator(t, withPasswords)
	terminal, user := openTerminal(t)
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
	terminal, user := openTerminal(t)
	before := settings(t, terminal)
	ctx, interrupt := context.WithCancel(t.Context())
	code, _, stderr := o.asks(ctx, terminal)
	waitFor(t, "Password: ", func() bool { return !reflect.DeepEqual(settings(t, terminal), before) })
	interrupt()
	if got := <-code; got != 1 || stderr.String() != "Password: \nmcp: interrupted; no user was made\n" {
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
	terminal, user := openTerminal(t)
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
