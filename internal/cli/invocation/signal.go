package invocation

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// A CanceledError reports what is left of a command that a person has ended.
type CanceledError struct{ error }

// AsCanceled returns the CanceledError of an error.
func AsCanceled(err error) error { return &CanceledError{err} }

// UntilSignal calls a function whose context ends with Ctrl-C, a request to end, or the end of
// the terminal. An error that the function returns after that is no failure.
func UntilSignal(ctx context.Context, run func(context.Context) error) (interrupted bool, err error) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, signals...)
	defer stop()
	if err := run(ctx); ctx.Err() == nil {
		return false, err
	}
	return true, nil
}
