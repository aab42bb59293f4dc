//go:build unix

package aiclients_test

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// A new file gets the group of a folder with the setgid bit, and not that of the process.
func TestTheGroupOfAFileStays(t *testing.T) {
	t.Parallel()
	groups, err := os.Getgroups()
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		groups = append(groups, 12345)
	}
	i := slices.IndexFunc(groups, func(group int) bool { return group != os.Getegid() })
	if i < 0 {
		t.Skip("this user is in one group only; run: sudo go test ./internal/cli/aiclients")
	}
	c := newComputer(t)
	path := c.write(t, ".cursor/mcp.json", "{}")
	folder := filepath.Dir(path)
	if err := os.Chown(folder, -1, groups[i]); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o755|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	edit := c.install(t, "cursor")
	for _, name := range []string{path, edit.Backup} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Gid) != os.Getegid() {
			t.Errorf("%s has the group %v, want that of the file before, %d", name, owner.Gid, os.Getegid())
		}
	}
}
