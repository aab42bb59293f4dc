package launcher_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

// program writes a shell script that stands for the program of an app.
func program(t *testing.T, script string) (root, path string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script; run on Linux: go test ./internal/cli/launcher")
	}
	root, path = t.TempDir(), filepath.Join(t.TempDir(), "program")
	machinetest.WriteProgram(t, path, "#!/bin/sh\n"+script+"\n")
	return root, path
}

func TestListReturnsWhatTheAppPrints(t *testing.T) {
	t.Parallel()
	root, path := program(t, `
		echo a line of a log >&2
		echo "mcp: a warning; [$*]" >&2
		echo '{"address":":80","new":1,"web":[{"path":"/mcp","guarded":true}],"local":[{"handle":"demo","tools":["a"]}]}'`)
	listed, warnings, err := launcher.List(t.Context(), root, path, "app/a.go:tool:tools.A")
	if err != nil || listed.Address != ":80" || !listed.Web[0].Guarded || !slices.Equal(listed.Servers(), []string{"demo", "/mcp"}) || listed.Local[0].Tools[0] != "a" {
		t.Errorf("%v: %+v", err, listed)
	}
	if want := []string{"a warning; [list --json app/a.go:tool:tools.A]"}; !slices.Equal(warnings, want) {
		t.Errorf("the warnings are %q, want %q", warnings, want)
	}
}

func TestTheErrorOfAListSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, want string }{
		"exit code":   {`echo "mcp: a mistake; mend it" >&2; echo "mcp: another" >&2; exit 1`, "the app doesn't start: a mistake; mend it; mcp list shows all mistakes"},
		"a log":       {`echo "time=now level=WARN msg=empty" >&2; echo "mcp: a mistake; mend it" >&2; exit 1`, "the app doesn't start: a mistake; mend it; mcp list"},
		"panic":       {`echo starting >&2; echo "panic: boom" >&2; exit 2`, "the app doesn't start: panic: boom; mcp list"},
		"silent":      {`exit 3`, "the app doesn't start: exit status 3; mcp list shows all mistakes"},
		"other words": {`echo hello`, "the app prints no list: "},
		"nothing":     {``, "the app prints no list: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, path := program(t, test.script)
			_, _, err := launcher.List(t.Context(), root, path)
			failed := new(finding.Problem)
			if !errors.As(err, &failed) || !strings.HasPrefix(err.Error(), test.want) || failed.Fix == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q, want %q …", err, test.want)
			}
		})
	}
}

// An app may leave a process behind that holds the streams open.
func TestAListIsReadIfAChildOfTheAppHoldsTheStreams(t *testing.T) {
	t.Parallel()
	root, path := program(t, "sleep 600 &\necho $! >child\necho '{\"address\":\":80\"}'")
	begin := time.Now()
	if listed, _, err := launcher.List(t.Context(), root, path); err != nil || listed.Address != ":80" {
		t.Errorf("%v: %+v", err, listed)
	}
	if waited := time.Since(begin); waited > 5*time.Minute {
		t.Errorf("it waited %s, for the child", waited)
	}
	text, err := os.ReadFile(filepath.Join(root, "child"))
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	child, err := os.FindProcess(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Kill(); err != nil {
		t.Errorf("the child has ended before: %v", err)
	}
}

func TestTheListOfTheAppIsShown(t *testing.T) {
	t.Parallel()
	root, path := program(t, `echo "[$*]"; echo a warning >&2; exit 2`)
	var out, log strings.Builder
	code, err := launcher.ShowList(t.Context(), root, path, []string{"list", "a", "b"}, &out, &log)
	if err != nil || code != 2 || out.String() != "[list a b]\n" || log.String() != "a warning\n" {
		t.Errorf("%d, %v: %q, %q", code, err, out.String(), log.String())
	}
}

func TestAProgramThatCannotBeStartedIsAnErrorThatSaysWhatToDo(t *testing.T) {
	t.Parallel()
	_, _, err := launcher.List(t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "missing"))
	if failed := new(finding.Problem); !errors.As(err, &failed) || !strings.HasPrefix(failed.What.Error(), "the app doesn't start: ") {
		t.Errorf("the error is %v", err)
	}
}

func TestAProgramThatNeverEndsIsEndedByTheLimit(t *testing.T) {
	t.Parallel()
	root, path := program(t, "exec sleep 600")
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
