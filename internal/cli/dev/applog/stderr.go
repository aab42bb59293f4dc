package applog

import (
	"bytes"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

const (
	// maxLine is how many bytes of a line are kept to read it. A longer line is shown as it is.
	maxLine = 256 << 10
	// maxCrash is how many bytes are kept of what Go prints when a panic ends a program.
	maxCrash = 64 << 10
)

// A Stderr is the stderr of one program. It shows what the program writes.
type Stderr struct {
	log *Log

	serving atomic.Pointer[time.Time] // when the program began to serve, nil before

	lock   sync.Mutex
	rest   []byte // the beginning of a line
	isLong bool   // whether the beginning of that line is shown already
	isJSON bool   // whether that began like JSON
	crash  []byte // what it has printed since a panic ended it
	unread int    // the bytes since the log was written for sure

	calls // guarded by the lock of the log
}

// Serves notes that the program serves. A warning that it has written before may be one that each
// program writes when it starts.
func (s *Stderr) Serves() {
	now := time.Now()
	s.serving.Store(&now)
}

// Write shows the lines that the program has written.
func (s *Stderr) Write(written []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for left := written; len(left) > 0; {
		n := bytes.IndexByte(left, '\n') + 1
		isEnd := n > 0
		if !isEnd {
			n = len(left)
		}
		if room := maxLine - len(s.rest); n > room {
			n, isEnd = room, false
		}
		s.rest, left = append(s.rest, left[:n]...), left[n:]
		if isEnd || len(s.rest) == maxLine {
			s.pass(isEnd)
		}
	}
	if s.unread += len(written); s.unread > limits.LogBacklog/4 {
		s.log.flush()
		s.unread = 0
	}
	return len(written), nil
}

// Close shows the beginning of a line that the program has not ended, and after a panic with many
// frames those of the app.
func (s *Stderr) Close() {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.rest) > 0 {
		s.rest = append(s.rest, '\n')
		s.pass(true)
	}
	if own, others := s.log.sources.split(string(s.crash)); own != "" && others > 0 { // or else the lines above show the same
		s.log.Printf("a panic ended the program; the app's own frames are\n%s", strings.TrimSuffix(own, "\n"))
	}
	s.crash = nil
	s.log.lock.Lock()
	defer s.log.lock.Unlock()
	s.release()
	delete(s.log.programs, s)
}

// pass shows a line, or a part of one that is too long.
func (s *Stderr) pass(isEnd bool) {
	line := s.rest
	if !s.isLong {
		s.isJSON = line[0] == '{'
	}
	switch r, isRecord := parse(bytes.TrimRight(line, "\r\n")); {
	case !s.isLong && isEnd && isRecord:
		s.show(r)
	case s.isJSON: // a record that is cut or too long, so that text of a client may not be escaped
		_, _ = s.log.out.Write([]byte(naming.WithoutControls(string(line))))
	default:
		s.noteCrash(line)
		_, _ = s.log.out.Write(line)
	}
	s.rest, s.isLong = s.rest[:0], !isEnd
	if cap(s.rest) > 64<<10 {
		s.rest = nil
	}
}

// noteCrash keeps what Go prints when a panic ends the program.
func (s *Stderr) noteCrash(line []byte) {
	isFirst := bytes.HasPrefix(line, []byte("panic: ")) || bytes.HasPrefix(line, []byte("fatal error: "))
	if (isFirst || s.crash != nil) && len(s.crash)+len(line) <= maxCrash {
		s.crash = append(s.crash, line...)
	}
}

// show shows a record. It leaves out what each program says about its start and its end.
func (s *Stderr) show(r *record) {
	l := s.log
	l.lock.Lock()
	defer l.lock.Unlock()
	isCall := r.isCall()
	if isCall {
		s.calls = calls{reports: inLog}
	}
	switch {
	case isCall && r.isRead():
	case isCall:
		l.show(l.callOf(r))
	case r.level == slog.LevelInfo && r.message == "serving" && r.text("url") != "":
		if served, err := url.Parse(r.text("url")); err == nil { // at an address that only mcp dev uses
			l.serves(served.Path)
		}
	case r.level == slog.LevelInfo && (r.message == "stopping" || r.message == "stopped") && r.text("request") == "":
	case s.isStart(r) && l.repeats(r.message+r.rest(), s):
	default:
		l.mention(r.text("request"))
		_, _ = l.out.Write([]byte(r.line() + l.sources.shorten(r.text(stack))))
	}
}

// isStart reports whether a program may begin with a record each time. Only warnings, and a line
// about the authorization server, are alike each time.
func (s *Stderr) isStart(r *record) bool {
	isAlike := r.level == slog.LevelWarn || r.message == "the authorization server is open"
	serving := s.serving.Load()
	return isAlike && r.text("request") == "" && (serving == nil || !r.time.After(*serving))
}
