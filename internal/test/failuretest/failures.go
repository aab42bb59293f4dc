// Package failuretest runs tests that should fail, to check what tests of programs say.
package failuretest

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Of runs a test that may fail, with its cleanups, and returns its failures, one a line.
func Of(t testing.TB, test func(t testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	for _, cleanup := range slices.Backward(r.cleanups) {
		cleanup()
	}
	return strings.Join(r.failures, "\n")
}

// A recorder is a test that records its failures.
type recorder struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (r *recorder) Helper()           {}
func (r *recorder) Cleanup(fn func()) { r.cleanups = append(r.cleanups, fn) }
func (r *recorder) Failed() bool      { return len(r.failures) > 0 }
func (r *recorder) Output() io.Writer { return io.Discard }

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}
