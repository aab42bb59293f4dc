// Package applog shows the log of an app to the person who runs mcp dev.
//
// The programs of the app write their log as JSON. A [Stderr] reads the log of one program and
// shows each line as text: a call as its time, name, client, duration and outcome, a panic with the
// lines of the app's own files. What isn't JSON is shown as it is. A [Log] is the log as the person
// sees it, with the lines of all programs and of mcp dev.
package applog

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// reportLimit is how long mcp dev waits for the line of a call, until it knows whether programs log
// their calls as JSON. A program writes its log within 10 ms, unless the machine is busy.
const reportLimit = 500 * time.Millisecond

// A Log is what mcp dev shows on stderr.
type Log struct {
	out     io.Writer
	sources sources

	lock    sync.Mutex
	reports reports
	held    []Call             // have ended while reports is unknown
	warned  map[string]*Stderr // the first program with a line that repeats, by the line
	server  string             // of the first call
	several bool               // whether a call had another server
	base    string             // the URL of the app
	note    string             // what follows a URL of the app
	paths   map[string]bool    // that the person knows; nil until Announce
}

// The reports of programs are their lines of calls.
type reports int

const (
	unknown   reports = iota // no call has ended yet
	programs                 // a program has logged a call, so mcp dev doesn't
	otherwise                // the app has a Logger that mcp dev can't read, so mcp dev logs the calls
)

// New returns the log of the app in the folder root. Each line is one write to out.
func New(out io.Writer, root string) *Log {
	return &Log{out: out, sources: newSources(root), warned: map[string]*Stderr{}}
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

// Ended writes the line of a call that has ended, unless its program does.
func (l *Log) Ended(c Call) {
	l.lock.Lock()
	defer l.lock.Unlock()
	switch {
	case !c.Reported || l.reports == otherwise:
		l.show(&c)
	case l.reports == unknown:
		if l.held = append(l.held, c); len(l.held) == 1 {
			time.AfterFunc(reportLimit, l.release)
		}
	}
}

// release shows the calls that were held, since no program has logged one.
func (l *Log) release() {
	l.lock.Lock()
	defer l.lock.Unlock()
	if len(l.held) > 0 {
		l.reports = otherwise
	}
	for _, c := range l.held {
		l.show(&c)
	}
	l.held = nil
}

// reported notes that programs log their calls. The caller holds the lock.
func (l *Log) reported() { l.reports, l.held = programs, nil }

// Close shows the calls that are held after all programs have ended.
func (l *Log) Close() { l.release() }

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

// maxWarned is how many lines of programs are remembered.
const maxWarned = 100

// repeats reports whether an earlier program has begun with a line, too. The caller holds the lock.
func (l *Log) repeats(line string, s *Stderr) bool {
	first, known := l.warned[line]
	if !known && len(l.warned) < maxWarned {
		l.warned[line] = s
	}
	return known && first != s
}
