// Package applog shows the log of an app to the person who runs mcp dev.
//
// A [Stderr] reads the log of one program, in a format of package slog, and shows each line for a
// person: a call as its time, name, client, duration and outcome, a panic with the frames of the app's
// own files. Other output is shown as it is. A [Log] is the log as the person sees it, with the lines
// of all programs and of mcp dev.
package applog

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A Log is what mcp dev shows on stderr.
type Log struct {
	out     io.Writer
	sources sources

	lock      sync.Mutex
	programs  map[*Stderr]struct{} // that run
	warned    map[string]*Stderr   // the first program with a line that repeats, by the line
	base      string               // the URL of the app
	note      string               // what follows a URL of the app
	paths     map[string]bool      // that the person knows; nil until Announce
	mentioned map[string]bool      // the requests with lines other than that of their call
	server    string               // of the first call
	several   bool                 // whether a call had another server
}

// New returns the log of the app in the folder root. Each line is one write to out.
func New(out io.Writer, root string) *Log {
	return &Log{out: out, sources: newSources(root), programs: map[*Stderr]struct{}{}, warned: map[string]*Stderr{}, mentioned: map[string]bool{}}
}

// Stderr returns the stderr of a program that is about to start.
func (l *Log) Stderr() *Stderr {
	l.lock.Lock()
	defer l.lock.Unlock()
	s := &Stderr{log: l}
	l.programs[s] = struct{}{}
	return s
}

// flush lets a program that writes much wait for the terminal, so that no line is dropped, but not
// for long.
func (l *Log) flush() {
	if out, ok := l.out.(interface{ Flush(time.Duration) bool }); ok {
		out.Flush(time.Second)
	}
}

// Printf writes a line about the programs.
func (l *Log) Printf(format string, args ...any) {
	_, _ = fmt.Fprintf(l.out, "mcp: "+format+"\n", args...)
}

// Ended writes the line of a call that no program has answered.
func (l *Log) Ended(c Call) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.show(&c)
}

// Close shows the calls of programs that have not logged any.
func (l *Log) Close() {
	l.lock.Lock()
	defer l.lock.Unlock()
	for s := range l.programs {
		s.release()
	}
}

// Announce tells that the app serves paths at a base URL, which has a note, and what to do next. A path
// that a program serves later is told by itself.
func (l *Log) Announce(base string, paths []string, note, next string) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.base, l.note, l.paths = base, note, map[string]bool{}
	for _, path := range paths {
		l.serves(path)
	}
	if next != "" {
		_, _ = io.WriteString(l.out, next)
	}
}

// serves tells that a program serves a path, unless the person knows that. The caller holds the lock.
func (l *Log) serves(path string) {
	if l.paths != nil && !l.paths[path] {
		l.paths[path] = true
		l.Printf("serving %s%s%s", l.base, shown(path), l.note)
	}
}

// The limits of what is remembered of programs.
const (
	maxWarned    = 100  // lines
	maxMentioned = 1000 // requests
)

// mention notes that a line names a request, so the line of its call does, too. The caller holds the
// lock.
func (l *Log) mention(request string) {
	if len(l.mentioned) >= maxMentioned { // of requests that weren't calls
		clear(l.mentioned)
	}
	if request != "" {
		l.mentioned[request] = true
	}
}

// repeats reports whether an earlier program has begun with a line, too. The caller holds the lock.
func (l *Log) repeats(line string, s *Stderr) bool {
	first, known := l.warned[line]
	if !known && len(l.warned) < maxWarned {
		l.warned[line] = s
	}
	return known && first != s
}
