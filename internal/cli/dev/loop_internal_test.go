package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
)

// A fakeApp is a server and a builder without programs. The path of a program is the name of the
// edit that it was built from.
type fakeApp struct {
	lock     sync.Mutex
	source   string            // the newest edit
	building string            // the edit of the last build
	edits    map[string]string // that are made during the build of another
	broken   map[string]error  // why the program of an edit doesn't start
	silent   string            // the edit whose program never answers
	starting func()            // called while a program starts, if it isn't nil
	replaced []string          // the programs that were started
	current  string
	reason   string
	ended    chan string
}

func newFakeApp(source string) *fakeApp {
	return &fakeApp{source: source, edits: map[string]string{}, broken: map[string]error{}, ended: make(chan string, 1)}
}

func (f *fakeApp) Program() (string, bool) { return "", false }

func (f *fakeApp) Build(context.Context) (string, error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	built := f.source
	f.building = built
	if edit, ok := f.edits[built]; ok {
		f.source = edit
	}
	return built, nil
}

func (f *fakeApp) Changed() bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.source != f.building
}

func (f *fakeApp) Replace(ctx context.Context, path string) error {
	f.lock.Lock()
	f.replaced = append(f.replaced, path)
	isSilent := path == f.silent
	f.lock.Unlock()
	if f.starting != nil {
		f.starting()
	}
	if isSilent {
		<-ctx.Done()
		return ctx.Err()
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	if err := f.broken[path]; err != nil {
		return err
	}
	f.current, f.reason = path, ""
	return nil
}

func (f *fakeApp) Unavailable(reason string) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.reason = reason
}

func (f *fakeApp) Serves() bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.current != ""
}

func (f *fakeApp) Exits() <-chan string { return f.ended }

func (f *fakeApp) edit(source string) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.source = source
}

// await waits until the programs were started, in this order.
func (f *fakeApp) await(t *testing.T, want ...string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		f.lock.Lock()
		got := slices.Clone(f.replaced)
		f.lock.Unlock()
		switch {
		case slices.Equal(got, want):
			return
		case time.Now().After(deadline):
			t.Fatalf("the programs %q were started, want %q", got, want)
		}
	}
}

// looped returns a loop over programs, and what it logs.
func looped(t *testing.T, f *fakeApp) (*loop, *bytes.Buffer) {
	t.Helper()
	logged := &bytes.Buffer{}
	return &loop{root: t.TempDir(), builder: f, server: f, log: applog.New(logged, t.TempDir())}, logged
}

// runInBackground runs a loop until the test ends.
func runInBackground(t *testing.T, l *loop) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- l.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the loop ends with %v", err)
		}
	})
}

func TestAnEditDuringABuildIsBuiltRightAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeApp("one")
		f.edits["one"] = "two" // while one is built
		l, _ := looped(t, f)
		runInBackground(t, l)
		f.await(t, "one", "two")
		f.edit("three")
		f.await(t, "one", "two", "three")
	})
}

// The program may have read .env before the change.
func TestAChangeOfEnvDuringAStartStartsTheProgramAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeApp("one")
		l, _ := looped(t, f)
		f.starting = func() {
			if err := os.WriteFile(filepath.Join(l.root, ".env"), []byte("A=1\n"), 0o600); err != nil {
				t.Error(err)
			}
			f.starting = nil
		}
		runInBackground(t, l)
		f.await(t, "one", "one")
		time.Sleep(time.Minute)
		f.await(t, "one", "one")
	})
}

// An edit that corrects a program which never answers doesn't wait for the limit of its start.
func TestAnEditEndsTheStartOfAProgramThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeApp("one")
		f.silent = "two"
		l, logged := looped(t, f)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.run(ctx) }()
		f.await(t, "one")
		f.edit("two")
		f.await(t, "one", "two")
		f.edit("three")
		f.await(t, "one", "two", "three")
		f.edit("two")
		f.await(t, "one", "two", "three", "two")
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the loop ends with %v", err)
		}
		if want := "the program did not answer before the next change"; strings.Count(logged.String(), want) != 1 {
			t.Errorf("the log has %s, want once %s", logged, want)
		}
	})
}

func TestAProgramThatEndsByItselfIsStartedAgain(t *testing.T) {
	t.Parallel()
	f := newFakeApp("one")
	l, logged := looped(t, f)
	if err := l.start(t.Context(), "one", ""); err != nil {
		t.Fatal(err)
	}
	l.since = time.Now().Add(-time.Hour)
	if err := l.restart(t.Context(), "exit status 3"); err != nil {
		t.Fatal(err)
	}
	if f.await(t, "one", "one"); !strings.HasPrefix(logged.String(), "mcp: the program has ended: exit status 3; it is started again\nmcp: reloaded: the same program, started in 0.") {
		t.Errorf("the log has %s", logged)
	}
}

func TestTheProgramThatServedIsStartedAgainIfANewerOneDidNotStart(t *testing.T) {
	t.Parallel()
	f := newFakeApp("one")
	f.broken["two"] = errors.New("the program has ended before it was ready")
	l, logged := looped(t, f)
	for _, path := range []string{"one", "two"} {
		if err := l.start(t.Context(), path, ""); err != nil {
			t.Fatal(err)
		}
	}
	if want := "ended before it was ready; the previous program keeps serving"; !strings.Contains(logged.String(), want) {
		t.Errorf("the log has %s, want %s", logged, want)
	}
	l.since = time.Now().Add(-time.Hour)
	if err := l.restart(t.Context(), "exit status 3"); err != nil {
		t.Fatal(err)
	}
	f.await(t, "one", "two", "one")
}

// A change of .env may be what the program of the current sources needs.
func TestTheProgramOfTheCurrentSourcesStaysTheNewestWhenAnEarlierOneIsStartedAgain(t *testing.T) {
	t.Parallel()
	f := newFakeApp("one")
	f.broken["two"] = errors.New("the program has ended before it was ready")
	l, _ := looped(t, f)
	for _, source := range []string{"one", "two"} {
		f.edit(source)
		if err := l.build(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	l.since = time.Now().Add(-time.Hour)
	if err := l.restart(t.Context(), "exit status 3"); err != nil {
		t.Fatal(err)
	}
	if f.await(t, "one", "two", "one"); l.newest != "two" {
		t.Errorf("a change of .env starts %q, want two", l.newest)
	}
}

func TestAProgramThatEndsAtOnceIsNotStartedAgain(t *testing.T) {
	t.Parallel()
	f := newFakeApp("one")
	f.building = "one"
	l, _ := looped(t, f)
	if err := l.start(t.Context(), "one", ""); err != nil {
		t.Fatal(err)
	}
	f.current, l.since = "", time.Now().Add(time.Hour)
	if err := l.restart(t.Context(), "exit status 3"); err != nil {
		t.Fatal(err)
	}
	f.await(t, "one")
	if want := "the program ended within 2s of its start: exit status 3"; f.reason != want {
		t.Errorf("requests get %q, want %q", f.reason, want)
	}
}

func TestAnUnknownHandleEndsTheLoopUnlessAnotherProgramServes(t *testing.T) {
	t.Parallel()
	f := newFakeApp("one")
	unknown := fmt.Errorf("%w %q", ErrUnknownHandle, "dmeo")
	f.broken["one"], f.broken["two"] = unknown, unknown
	f.edits["one"] = "two" // the next program may know it
	l, logged := looped(t, f)
	if err := l.run(t.Context()); !errors.Is(err, ErrUnknownHandle) {
		t.Errorf("the loop ends with %v, want %v", err, unknown)
	}
	if f.await(t, "one", "two"); f.reason != unknown.Error() {
		t.Errorf("requests get %q, want %q", f.reason, unknown)
	}
	f.current = "zero"
	if err := l.start(t.Context(), "one", ""); err != nil || !strings.HasSuffix(logged.String(), "the previous program keeps serving\n") {
		t.Errorf("the loop ends with %v after %s", err, logged)
	}
}
