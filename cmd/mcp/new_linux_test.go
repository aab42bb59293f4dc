package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

// waiting is a program that waits until it is interrupted, if it is called as go mod tidy or git
// init. Otherwise it fails.
const waiting = `#!/bin/sh
case "$*" in
"mod tidy") ;;
"init --quiet") mkdir .git ;;
*) exit 1 ;;
esac
trap 'kill $!; echo "$0 $*" >>"$ENDED"; exit 130' INT
sleep 600 &
echo "waiting in $1" >/dev/tty
wait
`

// Ctrl-C reaches mcp and its child. A signal from elsewhere reaches mcp only.
func TestCtrlCEndsMCPNew(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const tidy = "the files are in shop, and go mod tidy has to run there before the app builds"
	for _, test := range []struct {
		what, kind string
		waiting    string // the program that waits
		shown      string // when the person cancels
		says       string
		left       []string // of the folder
	}{
		{"in a form", "xterm", "", "What is the name of the app?", "mcp: canceled: the question has no answer", nil},
		{"in a plain question", "dumb", "", "What is the name of the app?", "mcp: canceled: nothing was written", nil},
		{"in git init", "xterm", "git", "waiting in init", "mcp: canceled: the files are in shop, without a Git repository; run git init and go mod tidy there", []string{"shop"}},
		{"in go mod tidy", "xterm", "go", "waiting in mod", "mcp: canceled: " + tidy, []string{"shop"}},
	} {
		for _, way := range []string{"Ctrl-C", "a signal"} {
			if test.what == "in a form" && way == "a signal" {
				continue // a form reads keys
			}
			t.Run(way+" "+test.what, func(t *testing.T) {
				t.Parallel()
				bin, ended := t.TempDir(), filepath.Join(t.TempDir(), "ended")
				args := []string{"new", "--framework", module}
				if test.waiting != "" {
					args = append(args, "shop")
					machinetest.WriteProgram(t, filepath.Join(bin, test.waiting), waiting)
				}
				command := inFolder(t, t.TempDir(), test.kind, args...)
				command.Env = append(command.Env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "ENDED="+ended)
				command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // Ctrl-C is a signal then
				r := start(t, command, 80, 24)
				r.sees(t, test.shown)
				if way == "Ctrl-C" {
					r.types(t, "\x03")
				} else if err := command.Process.Signal(os.Interrupt); err != nil {
					t.Fatal(err)
				}
				r.sees(t, test.says+"\r\n")
				if code := r.ends(t); code != 130 {
					t.Errorf("the exit code is %d, want 130; the screen shows %q", code, r.screen.String())
				}
				if text, err := os.ReadFile(ended); test.waiting != "" && (err != nil || !strings.HasPrefix(string(text), filepath.Join(bin, test.waiting)+" ")) {
					t.Errorf("%v: the child ended as %q", err, text)
				}
				if left := filesIn(t, command.Dir); !slices.Equal(left, test.left) {
					t.Errorf("the folder has %q, want %q", left, test.left)
				}
				app := filesIn(t, filepath.Join(command.Dir, "shop"))
				if test.left != nil && !slices.Contains(app, ".env") || test.waiting == "git" && slices.Contains(app, ".git") {
					t.Errorf("the app has %q", app)
				}
			})
		}
	}
}

// filesIn returns the names in a folder. It returns none if the folder is missing.
func filesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
