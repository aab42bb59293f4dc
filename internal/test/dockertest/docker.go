// Package dockertest has a stand-in for the command docker, for tests that make an image of a program and run it. A container has the
// user and the files of its image, but no namespaces.
package dockertest

import (
	_ "embed" // the script
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/bowline-mcp/bowline/internal/test/gatetest"
	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

//go:embed docker.sh
var script string

// Folder returns a new folder with the command docker, for the PATH. It skips the test on a machine that can't make images.
func Folder(t testing.TB) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("containers need Linux")
	}
	Require(t, "buildah", "buildah")
	Require(t, "unshare", "util-linux")
	if os.Getuid() != 0 {
		gatetest.Missing(t, "a program gets another user; run the test as root")
	}
	folder := t.TempDir()
	machinetest.WriteProgram(t, filepath.Join(folder, "docker"), script)
	return folder
}

// Root returns the folder with the files of an image that the command in a folder has made.
func Root(t testing.TB, folder, image string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(filepath.Join(folder, "state", "roots", image))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Require skips the test on a machine without a program, which a package of Debian has, and returns the program's path. The test may have
// another PATH than the machine.
func Require(t testing.TB, program, debian string) string {
	t.Helper()
	for _, folder := range []string{"", "/usr/local/bin", "/usr/bin", "/usr/sbin"} {
		if path, err := exec.LookPath(filepath.Join(folder, program)); err == nil {
			return path
		}
	}
	gatetest.Missing(t, program+" is missing; to run this test too: apt-get install "+debian)
	return ""
}
