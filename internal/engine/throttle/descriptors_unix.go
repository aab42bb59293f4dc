//go:build unix

package throttle

import "syscall"

// descriptorLimit returns how many file descriptors the process may have open, 0 if that is
// unknown. Each connection needs one.
func descriptorLimit() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return known(uint64(limit.Cur)) // an int64 on some systems
}

// known returns a limit, or 0 for one so high that it stands for no limit.
func known(limit uint64) int64 {
	if limit > 1<<31 {
		return 0
	}
	return int64(limit)
}
