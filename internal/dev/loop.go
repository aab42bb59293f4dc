package dev

import (
	"context"
	"errors"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
)

// The limits of the loop.
const (
	pollInterval = 100 * time.Millisecond // between two looks at the sources
	pollShare    = 50                     // a look may take this part of the time
	briefly      = 2 * time.Second        // a program that ends sooner isn't started again
	startLimit   = 10 * time.Second       // for a new program to answer
)

// A server passes the messages of clients to one program of the app.
type server interface {
	// replace starts the program at path. When it answers, it gets the messages instead of
	// the current program, whose calls still end there.
	replace(ctx context.Context, path string) error
	// unavailable answers requests with a reason, until there is a program.
	unavailable(reason string)
	// serves reports whether there is a program.
	serves() bool
	// ended receives how the current program has ended by itself.
	ended() <-chan string
}

// A loop builds the app when its sources change, and has a server replace its program.
type loop struct {
	root    string
	builder *launcher.Builder
	server  server
	log     log

	path    string    // of the newest program; "" if there is none
	started time.Time // when it was started
	env     string    // the state of .env at that time
}

// run runs until the context ends. A program that was built before serves at once, even if
// it is stale, because clients don't wait long for one.
func (l *loop) run(ctx context.Context) {
	path, fresh := l.builder.Program()
	if path != "" {
		l.start(ctx, path)
	}
	if !fresh {
		l.build(ctx)
	}
	for {
		begin := time.Now()
		changed, env := l.builder.Changed(), stateOfEnv(l.root)
		pause := max(pollInterval, pollShare*time.Since(begin))
		switch {
		case ctx.Err() != nil:
			return
		case changed:
			l.build(ctx)
			continue
		case l.path != "" && env != l.env:
			l.log.printf(".env has changed")
			l.start(ctx, l.path)
			continue
		}
		select {
		case <-ctx.Done():
		case ending := <-l.server.ended():
			l.restart(ctx, ending)
		case <-time.After(pause):
		}
	}
}

// build builds the app and starts the program.
func (l *loop) build(ctx context.Context) {
	begin := time.Now()
	path, err := l.builder.Build(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		l.failed(err)
	default:
		l.log.printf("built in %.1f s", time.Since(begin).Seconds())
		l.start(ctx, path)
	}
}

// start starts the program at path.
func (l *loop) start(ctx context.Context, path string) {
	l.path, l.started, l.env = path, time.Now(), stateOfEnv(l.root)
	select {
	case <-l.server.ended(): // another one is about to serve anyway
	default:
	}
	if err := l.server.replace(ctx, path); err != nil && ctx.Err() == nil {
		l.failed(err)
	}
}

// restart starts the program again after it has ended by itself.
func (l *loop) restart(ctx context.Context, ending string) {
	if time.Since(l.started) < briefly {
		l.failed(errors.New("the program has ended again: " + ending))
		return
	}
	l.log.printf("the program has ended: %s; it is started again", ending)
	l.start(ctx, l.path)
}

// failed reports why there is no new program.
func (l *loop) failed(err error) {
	if l.server.serves() {
		l.log.printf("%v; the program before serves on", err)
		return
	}
	l.log.printf("%v; it is tried again after the next change", err)
	l.server.unavailable(err.Error())
}

// notify sends how a program has ended, unless the loop is about to start another one.
func notify(endings chan<- string, ending string) {
	select {
	case endings <- ending:
	default:
	}
}
