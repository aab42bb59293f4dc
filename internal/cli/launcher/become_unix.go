//go:build unix

package launcher

import (
	"fmt"
	"os"
	"syscall"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
)

// become replaces this process with the program at path, which keeps the process ID and
// the standard streams. It returns only if that fails.
func become(path string, argv []string) (int, error) {
	return 0, syscall.Exec(path, argv, os.Environ())
}

// checkOwner returns an error if another user could have written a program to the folder,
// since all users can write to the temporary directory.
func checkOwner(folder string) error {
	info, err := os.Lstat(folder)
	if err != nil {
		return fmt.Errorf("open the build cache: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(owner.Uid) != os.Getuid() || info.Mode().Perm()&0o022 != 0 {
		return finding.NewProblem("remove it", "the build cache %s must be a folder that belongs to you and that only you can write to", folder)
	}
	return nil
}
