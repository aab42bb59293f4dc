package applog

import "time"

// reportLimit is how long mcp dev waits for the line of a call, until it knows whether it can read the
// program's. A program writes its log within 10 ms, unless the machine is busy.
const reportLimit = time.Second

// The calls of a program are in its log, or else mcp dev has to log them.
type calls struct {
	reports reports
	held    []Call // have ended while reports is unknown
}

// Reports say whether a program logs its calls.
type reports int

const (
	unknown   reports = iota // no call has ended yet
	inLog                    // the program has logged a call
	elsewhere                // it hasn't, as if the app has a Logger with another format
)

// Ended writes the line of a call that has ended, unless the program does.
func (s *Stderr) Ended(c Call) {
	s.log.lock.Lock()
	defer s.log.lock.Unlock()
	switch {
	case !c.Reported || s.reports == elsewhere:
		s.log.show(&c)
	case s.reports == unknown:
		if s.held = append(s.held, c); len(s.held) == 1 {
			time.AfterFunc(reportLimit, s.lateRelease)
		}
	}
}

// lateRelease is release after the limit.
func (s *Stderr) lateRelease() {
	s.log.lock.Lock()
	defer s.log.lock.Unlock()
	s.release()
}

// release shows the calls that were held, since the program has not logged them. The caller holds the
// lock of the log.
func (s *Stderr) release() {
	if len(s.held) > 0 {
		s.reports = elsewhere
	}
	for _, c := range s.held {
		s.log.show(&c)
	}
	s.held = nil
}
