//go:build unix

package launcher

import (
	"fmt"
	"os"
	"syscall"
)

// become replaces this process by the program at path, which keeps the process id and the standard streams. It returns only
// when that fails.
func become(path string, argv []string) (int, error) {
	return 0, syscall.Exec(path, argv, os.Environ())
}

// checkOwner reports an error when somebody else could have put a program into the folder: the folder for temporary files is
// open to all users.
func checkOwner(folder string) error {
	info, err := os.Lstat(folder)
	if err != nil {
		return fmt.Errorf("open the build cache: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(owner.Uid) != os.Getuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("the build cache %s must be a folder that belongs to you and that only you can write to; remove it", folder)
	}
	return nil
}
