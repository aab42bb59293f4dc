//go:build unix

package throttle

import (
	"syscall"
	"testing"
)

// The test doesn't run beside others, since they would have the limit too.
func TestTheLimitOfDescriptorsIsThatOfTheProcess(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	lower := before
	lower.Cur = 200
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &lower); err != nil {
		t.Fatal(err)
	}
	got := descriptorLimit()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if got != 200 {
		t.Errorf("the limit is %d, want 200", got)
	}
}

func TestAVeryHighLimitOfDescriptorsIsUnknown(t *testing.T) {
	t.Parallel()
	for limit, want := range map[uint64]int64{0: 0, 1024: 1024, 1 << 31: 1 << 31, 1<<31 + 1: 0, 1<<64 - 1: 0} {
		if got := known(limit); got != want {
			t.Errorf("known(%d) is %d, want %d", limit, got, want)
		}
	}
}
