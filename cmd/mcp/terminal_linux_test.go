package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/test/terminaltest"
)

// A runOnTerminal is a run of mcp on a terminal.
type runOnTerminal struct {
	command *exec.Cmd
	user    *os.File
	screen  bytes.Buffer
}

// start starts a command on a terminal, which also shows stdout unless that goes elsewhere.
func start(t *testing.T, command *exec.Cmd, columns, rows uint16) *runOnTerminal {
	t.Helper()
	terminal, user := terminaltest.Open(t)
	terminaltest.Resize(t, terminal, columns, rows)
	r := &runOnTerminal{command: command, user: user}
	command.Stdin, command.Stderr = terminal, terminal
	if command.Stdout == nil {
		command.Stdout = terminal
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close() // the command has it, so that reading ends with the command
	watchdog := time.AfterFunc(5*time.Minute, func() { _ = command.Process.Kill() })
	t.Cleanup(func() { watchdog.Stop() })
	return r
}

// sees reads the screen until it shows a text.
func (r *runOnTerminal) sees(t *testing.T, shown string) {
	t.Helper()
	part := make([]byte, 4096)
	for !strings.Contains(r.screen.String(), shown) {
		n, err := r.user.Read(part)
		if err != nil {
			t.Fatalf("%v: the screen shows %q", err, r.screen.String())
		}
		r.screen.Write(part[:n])
	}
}

func (r *runOnTerminal) types(t *testing.T, keys string) {
	t.Helper()
	if _, err := io.WriteString(r.user, keys); err != nil {
		t.Fatal(err)
	}
}

// ends returns the exit code.
func (r *runOnTerminal) ends(t *testing.T) int {
	t.Helper()
	go func() { _, _ = io.Copy(io.Discard, r.user) }() // so that the screen never fills
	_ = r.command.Wait()                               // the exit code says it
	return r.command.ProcessState.ExitCode()
}

// inFolder returns a command that can ask in a folder, with the kind of the terminal.
func inFolder(t *testing.T, folder, kind string, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), "mcp", args...)
	command.Dir = folder
	// The library of forms has a race of its own when a form ends; see internal/cli/questions.
	command.Env = append(os.Environ(), "GORACE=exitcode=0 "+os.Getenv("GORACE"), "TERM="+kind)
	return command
}

// The scripts have a terminal without a size, on which a question is plain lines. This one
// draws a form.
func TestAQuestionIsAnsweredInAFormOfTheTerminal(t *testing.T) {
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	command := inFolder(t, t.TempDir(), "xterm", "new", "--framework", module)
	command.Stdout = &out
	r := start(t, command, 80, 24)
	r.sees(t, "What is the name of the app?")
	r.types(t, "shop\r")
	if code := r.ends(t); code != 0 || !strings.HasPrefix(out.String(), "created shop\n") {
		t.Errorf("the exit code is %d: %s\n%q", code, out.String(), r.screen.String())
	}
	if !strings.Contains(r.screen.String(), "\x1b[") {
		t.Errorf("the question is plain lines: %q", r.screen.String())
	}
	if _, err := os.Stat(filepath.Join(command.Dir, "shop", "main.go")); err != nil {
		t.Error(err)
	}
}

func TestNoColorTakesTheColorsOut(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	color := regexp.MustCompile("\x1b\\[([0-9]+;)*(3|4|9|10)[0-8][0-9;]*m")
	for shown, args := range map[string][]string{"Node.js": {"doctor"}, "such as shop": {"new", "--framework", module}} {
		for _, value := range []string{"", "1"} {
			command := inFolder(t, t.TempDir(), "xterm-256color", args...)
			command.Env = append(command.Env, "NO_COLOR="+value)
			r := start(t, command, 80, 24)
			r.sees(t, shown)
			r.types(t, "\x03")
			r.ends(t)
			if isColored := color.MatchString(r.screen.String()); isColored != (value == "") {
				t.Errorf("mcp %s with NO_COLOR=%q: %q", args[0], value, r.screen.String())
			}
		}
	}
}

// callsRoutes is the main of an app.
const callsRoutes = `package main

import (
	"os"

	"github.com/bowline-mcp/bowline/framework/mcp"

	"example.com/demo/routes"
)

func main() {
	app := mcp.New(mcp.Config{})
	routes.AI(app.Router)
	os.Exit(app.Main())
}
`

// appWithServers makes an app with servers, and returns its folder.
func appWithServers(t *testing.T, servers ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, content := range map[string]string{"go.mod": "module example.com/demo\n", "main.go": callsRoutes} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, server := range servers {
		if out, err := inFolder(t, folder, "dumb", "make:server", server).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return folder
}

func TestGeneratorsAskOnEachKindOfTerminal(t *testing.T) {
	t.Parallel()
	app := os.DirFS(appWithServers(t, "Blog", "Shop"))
	for _, terminal := range []struct {
		what          string
		columns, rows uint16
		kind          string
		enter, second string // the keys that end a line, and that choose the second option
		form          bool
	}{
		{"a form", 80, 24, "xterm", "\r", "\x1b[B\r", true},
		{"without a size", 0, 0, "xterm", "\n", "2\n", false},
		{"TERM=dumb", 80, 24, "dumb", "\n", "2\n", false},
	} {
		for _, test := range []struct {
			command, question, name string
			created                 []string
			edited                  string // of several servers
		}{
			{"make:server", "What is the name of the server?", "Cart", []string{"app/mcp/servers/cart_server.go", "app/mcp/servers/cart_server_test.go"}, "routes/ai.go"},
			{"make:crud", "What does the app keep?", "Post", []string{"app/posts/store.go", "app/mcp/tools/show_post_tool.go"}, "app/mcp/servers/shop_server.go"},
			{"make:tool", "What is the name of the tool?", "Weather", []string{"app/mcp/tools/weather_tool.go"}, "app/mcp/servers/shop_server.go"},
		} {
			t.Run(terminal.what+"/"+test.command, func(t *testing.T) {
				t.Parallel()
				var out bytes.Buffer
				folder := t.TempDir()
				if err := os.CopyFS(folder, app); err != nil {
					t.Fatal(err)
				}
				command := inFolder(t, folder, terminal.kind, test.command)
				command.Stdout = &out
				r := start(t, command, terminal.columns, terminal.rows)
				r.sees(t, test.question)
				r.types(t, test.name+terminal.enter)
				if test.command == "make:crud" {
					r.sees(t, "Which fields?")
					r.types(t, terminal.enter)
				}
				if test.command != "make:server" {
					r.sees(t, "Which server gets it?")
					r.types(t, terminal.second)
				}
				if code := r.ends(t); code != 0 {
					t.Fatalf("the exit code is %d; the screen shows %q", code, r.screen.String())
				}
				for _, file := range test.created {
					if _, err := os.Stat(filepath.Join(command.Dir, filepath.FromSlash(file))); err != nil || !strings.Contains(out.String(), "created "+file+"\n") {
						t.Errorf("%v: %s", err, out.String())
					}
				}
				if !strings.Contains(out.String(), "\nedited "+test.edited+"\n") {
					t.Errorf("%s is not edited: %s", test.edited, out.String())
				}
				if form := strings.Contains(r.screen.String(), "\x1b["); form != terminal.form {
					t.Errorf("a form: %v, want %v; the screen shows %q", form, terminal.form, r.screen.String())
				}
			})
		}
	}
}
