package transport

import (
	"strconv"
	"sync/atomic"
)

// lengths are values of the header Content-Length. Answers are mostly small, and
// the large ones mostly the same list, so that the same few come again; net/http
// doesn't change what it is given.
type lengths struct {
	small [2048]atomic.Pointer[[]string]
	large atomic.Pointer[largeLength]
}

type largeLength struct {
	n     int
	value []string
}

// value returns the header's value for a length.
func (l *lengths) value(n int) []string {
	switch {
	case l == nil:
		return []string{strconv.Itoa(n)}
	case n >= len(l.small):
		have := l.large.Load()
		if have == nil || have.n != n {
			have = &largeLength{n, []string{strconv.Itoa(n)}}
			l.large.Store(have)
		}
		return have.value
	}
	if have := l.small[n].Load(); have != nil {
		return *have
	}
	made := []string{strconv.Itoa(n)}
	l.small[n].Store(&made)
	return made
}
