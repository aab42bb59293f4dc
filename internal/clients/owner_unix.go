//go:build unix

package clients

import (
	"os"
	"syscall"
)

// keepOwner gives a new file the owner of the file that it replaces.
func (e *Edit) keepOwner(path string) error {
	if !e.exists {
		return nil
	}
	info, err := os.Stat(e.target)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) == os.Getuid() && int(owner.Gid) == os.Getgid() {
		return nil
	}
	return os.Chown(path, int(owner.Uid), int(owner.Gid))
}
