//go:build unix

package throttle

import "syscall"

// descriptorLimit returns how many file descriptors the process may have open, 0 if that is
// unknown. Each connection needs one.
func descriptorLimit() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > 1<<31 {
		return 0
	}
	return int64(limit.Cur)
}
