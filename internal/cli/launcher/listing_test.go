package launcher_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
)

// program builds a program with the main function.
func program(t *testing.T, main string) (root, path string) {
	t.Helper()
	root = appFolder(t, "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"time\"\n)\n\nvar _, _, _ = fmt.Fprintln, time.Now, os.Exit\n\nfunc main() {\n"+main+"\n}\n")
	path = filepath.Join(t.TempDir(), "program")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return root, path
}

func TestListReturnsWhatTheAppPrints(t *testing.T) {
	root, path := program(t, `
		fmt.Fprintln(os.Stderr, "a line of a log")
		fmt.Fprintln(os.Stderr, "mcp: a warning; "+fmt.Sprint(os.Args[1:]))
		fmt.Println("{\"address\":\":80\",\"new\":1,\"web\":[{\"path\":\"/mcp\",\"guarded\":true}],\"local\":[{\"handle\":\"demo\",\"tools\":[\"a\"]}]}")`)
	listed, warnings, err := launcher.List(t.Context(), root, path, "app/a.go:tool:tools.A")
	if err != nil || listed.Address != ":80" || !listed.Web[0].Guarded || !slices.Equal(listed.Servers(), []string{"demo", "/mcp"}) || listed.Local[0].Tools[0] != "a" {
		t.Errorf("%v: %+v", err, listed)
	}
	if want := []string{"a warning; [list --json app/a.go:tool:tools.A]"}; !slices.Equal(warnings, want) {
		t.Errorf("the warnings are %q, want %q", warnings, want)
	}
}

func TestTheErrorOfAListSaysWhatToDo(t *testing.T) {
	for name, test := range map[string]struct{ main, want string }{
		"exit code":   {`fmt.Fprintln(os.Stderr, "mcp: a mistake; mend it\nmcp: another"); os.Exit(1)`, "the app doesn't start: a mistake; mend it; mcp list shows all mistakes"},
		"a log":       {`fmt.Fprintln(os.Stderr, "time=now level=WARN msg=empty\nmcp: a mistake; mend it"); os.Exit(1)`, "the app doesn't start: a mistake; mend it; mcp list"},
		"panic":       {`fmt.Fprintln(os.Stderr, "starting"); panic("boom")`, "the app doesn't start: panic: boom; mcp list"},
		"silent":      {`os.Exit(3)`, "the app doesn't start: exit status 3; mcp list shows all mistakes"},
		"other words": {`fmt.Println("hello")`, "the app prints no list: "},
		"nothing":     {``, "the app prints no list: "},
	} {
		t.Run(name, func(t *testing.T) {
			root, path := program(t, test.main)
			_, _, err := launcher.List(t.Context(), root, path)
			failed := new(launcher.ListError)
			if !errors.As(err, &failed) || !strings.HasPrefix(err.Error(), test.want) || failed.Fix == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q, want %q …", err, test.want)
			}
		})
	}
}

// An app may leave a process behind that holds the streams open.
func TestAListIsReadIfAChildOfTheAppHoldsTheStreams(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the app starts a shell; run on Linux: go test ./internal/cli/launcher")
	}
	root, path := program(t, `
		child, err := os.StartProcess("/bin/sh", []string{"sh", "-c", "sleep 5"}, &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}})
		fmt.Fprintln(os.Stderr, child, err)
		fmt.Println("{\"address\":\":80\"}")`)
	if listed, _, err := launcher.List(t.Context(), root, path); err != nil || listed.Address != ":80" {
		t.Errorf("%v: %+v", err, listed)
	}
}

func TestTheListOfTheAppIsShown(t *testing.T) {
	root, path := program(t, `fmt.Println(os.Args[1:]); fmt.Fprintln(os.Stderr, "a warning"); os.Exit(len(os.Args)-2)`)
	var out, log strings.Builder
	code, err := launcher.ShowList(t.Context(), root, path, []string{"list", "a", "b"}, &out, &log)
	if err != nil || code != 2 || out.String() != "[list a b]\n" || log.String() != "a warning\n" {
		t.Errorf("%d, %v: %q, %q", code, err, out.String(), log.String())
	}
}

func TestAProgramThatCannotBeStartedIsAnErrorThatSaysWhatToDo(t *testing.T) {
	_, _, err := launcher.List(t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "missing"))
	if failed := new(launcher.ListError); !errors.As(err, &failed) || !strings.HasPrefix(failed.What, "the app doesn't start: ") {
		t.Errorf("the error is %v", err)
	}
}

func TestAProgramThatNeverEndsIsEndedByTheLimit(t *testing.T) {
	root, path := program(t, `time.Sleep(10*time.Minute)`)
	within, end := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer end()
	if _, err := launcher.ShowList(within, root, path, []string{"list"}, &strings.Builder{}, &strings.Builder{}); err == nil || !strings.HasPrefix(err.Error(), "the app doesn't print its list in time; ") {
		t.Errorf("the error of a list that is shown is %v", err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	_, _, err := launcher.List(ctx, root, path)
	if want := "the app doesn't print its list in time; its main must return App.Main's exit code, and print nothing to stdout"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := launcher.List(ctx, root, path); !errors.Is(err, context.Canceled) {
		t.Errorf("the error of a canceled context is %v", err)
	}
}
