//go:build unix

package atomicfile

import (
	"os"
	"syscall"
)

// giveOwner gives a new file the owner and the group of the file that it replaces. A new
// file may have the group of its folder, so it is compared and not the process.
func giveOwner(path string, fresh *os.File) error {
	old, err := os.Stat(path)
	if err != nil {
		return err
	}
	now, err := fresh.Stat()
	if err != nil {
		return err
	}
	want, ok := old.Sys().(*syscall.Stat_t)
	got, alsoOK := now.Sys().(*syscall.Stat_t)
	if !ok || !alsoOK || want.Uid == got.Uid && want.Gid == got.Gid {
		return nil
	}
	return fresh.Chown(int(want.Uid), int(want.Gid))
}
