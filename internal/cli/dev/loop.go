package dev

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
	"github.com/bowline-mcp/bowline/internal/cli/dev/programs"
)

// The limits of the loop.
const (
	pollInterval = 60 * time.Millisecond // between two looks at the sources
	pauseFactor  = 5                     // the pause after a long look, in lengths of that look
	patience     = time.Second           // how long an edit doesn't end the start of a new program
	minUptime    = 2 * time.Second       // a program that ends sooner isn't started again
)

// A server passes the messages of clients to one program of the app.
type server interface {
	// Replace starts the program at path. When it answers, it gets the messages instead of the
	// current program, whose calls still end there.
	Replace(ctx context.Context, path string) error
	// Unavailable answers requests with a reason, until there is a program.
	Unavailable(reason string)
	// Serves reports whether there is a program.
	Serves() bool
	// Exits receives how the current program has ended, if it ended by itself.
	Exits() <-chan string
}

// A builder builds the program of an app. It is a [launcher.Builder].
type builder interface {
	Program() (path string, fresh bool)
	Build(ctx context.Context) (path string, err error)
	Changed() bool
}

// A loop builds the app when its sources change, and has a server replace its program. It doesn't
// interrupt a build if a source changes meanwhile, but builds again right after it. So edits
// that follow each other fast can't keep the app from being built.
type loop struct {
	root    string
	builder builder
	server  server
	log     *applog.Log

	newest  string    // the path of the newest program, whether or not it serves; "" if there is none
	env     string    // the state of .env when a program was started last
	serving string    // the path of the program that serves
	since   time.Time // when that was started
}

// run runs until the context ends, or until the program of the current sources doesn't know the
// handle that is served. A program that was built before serves right away, even if it is stale,
// because clients don't wait long for one.
func (l *loop) run(ctx context.Context) (err error) {
	path, fresh := l.builder.Program()
	l.newest = path
	if path != "" {
		err = l.start(ctx, path, "")
	}
	if !fresh {
		err = l.build(ctx)
	}
	for err == nil && ctx.Err() == nil {
		begin := time.Now()
		changed, env := l.builder.Changed(), programs.StateOfEnv(l.root)
		pause := max(pollInterval, pauseFactor*time.Since(begin))
		switch {
		case changed:
			err = l.build(ctx)
			continue
		case l.newest != "" && env != l.env:
			err = l.start(ctx, l.newest, ".env has changed")
			continue
		}
		select {
		case <-ctx.Done():
		case status := <-l.server.Exits():
			err = l.restart(ctx, status)
		case <-time.After(pause):
		}
	}
	return err
}

// build builds the app and starts the program.
func (l *loop) build(ctx context.Context) error {
	begin := time.Now()
	path, err := l.builder.Build(ctx)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return l.failed(err)
	}
	l.newest = path
	return l.start(ctx, path, fmt.Sprintf("built in %.2f s", time.Since(begin).Seconds()))
}

// start starts the program at path, because of an event. An edit ends the start of a program that
// doesn't answer, as one may whose main waits.
func (l *loop) start(ctx context.Context, path, event string) error {
	begin := time.Now()
	l.env = programs.StateOfEnv(l.root)
	starting, cancel := context.WithCancel(ctx)
	edited := make(chan bool, 1)
	go func() { edited <- l.awaitEdit(starting, cancel) }()
	err := l.server.Replace(starting, path)
	cancel()
	switch isEdited := <-edited; {
	case ctx.Err() != nil:
		return nil
	case err != nil && isEdited:
		l.log.Printf("the program did not answer before the next change")
		return nil
	case err != nil:
		return l.failed(err)
	}
	l.report(event, time.Since(begin))
	l.serving, l.since = path, time.Now()
	return nil
}

// report writes a line about a program that has started because of an event. A program that was
// built before and is the first one needs none.
func (l *loop) report(event string, took time.Duration) {
	started := fmt.Sprintf("started in %.2f s", took.Seconds())
	switch {
	case l.serving != "":
		l.log.Printf("reloaded: %s, %s", event, started)
	case event != "":
		l.log.Printf("%s, %s", event, started)
	}
}

// awaitEdit waits until a source or .env changes, but at least as long as the patience of the
// loop, and then ends a start. It reports whether it did. Nothing else looks at the sources
// meanwhile.
func (l *loop) awaitEdit(starting context.Context, end context.CancelFunc) bool {
	for pause := patience; ; {
		select {
		case <-starting.Done():
			return false
		case <-time.After(pause):
		}
		begin := time.Now()
		if l.builder.Changed() || programs.StateOfEnv(l.root) != l.env {
			end()
			return true
		}
		pause = max(pollInterval, pauseFactor*time.Since(begin))
	}
}

// restart starts the program that served again after it has ended by itself, with a status.
func (l *loop) restart(ctx context.Context, status string) error {
	if time.Since(l.since) < minUptime {
		return l.failed(fmt.Errorf("the program ended within %v of its start: %s", minUptime, status))
	}
	l.log.Printf("the program has ended: %s; it is started again", status)
	return l.start(ctx, l.serving, "the same program")
}

// failed reports why there is no new program. It returns the error if trying again can't help.
func (l *loop) failed(err error) error {
	switch {
	case l.server.Serves():
		l.log.Printf("%v; the previous program keeps serving", err)
	case l.builder.Changed(): // requests wait for the next program
		l.log.Printf("%v; the app is built again, since a source has changed", err)
	case errors.Is(err, ErrUnknownHandle):
		l.server.Unavailable(err.Error())
		return err
	default:
		l.log.Printf("%v; it is tried again after the next change", err)
		l.server.Unavailable(err.Error())
	}
	return nil
}
