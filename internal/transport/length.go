package transport

import (
	"strconv"
	"sync/atomic"
)

// lengths are values of the header Content-Length. Answers are mostly small, so
// that the same few come again; net/http doesn't change what it is given.
type lengths [2048]atomic.Pointer[[]string]

// value returns the header's value for a length.
func (l *lengths) value(n int) []string {
	if l == nil || n >= len(l) {
		return []string{strconv.Itoa(n)}
	}
	if have := l[n].Load(); have != nil {
		return *have
	}
	made := []string{strconv.Itoa(n)}
	l[n].Store(&made)
	return made
}
