// Package terminaltest opens pseudo-terminals for tests of what a person sees and types.
package terminaltest

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// Open returns a terminal, and the keyboard and screen of it as one file. The terminal has
// 0 columns and 0 rows; see [Resize].
func Open(t testing.TB) (terminal, user *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		gatetest.Missing(t, "there are no pseudo-terminals; make them with: mount -t devpts devpts /dev/pts && ln -sf pts/ptmx /dev/ptmx")
	}
	var number, locked uint32
	control(t, user, syscall.TIOCGPTN, unsafe.Pointer(&number))
	control(t, user, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = terminal.Close(), user.Close() })
	return terminal, user
}

// Resize sets the size of a terminal.
func Resize(t testing.TB, terminal *os.File, columns, rows uint16) {
	t.Helper()
	size := [4]uint16{rows, columns}
	control(t, terminal, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
}

func control(t testing.TB, file *os.File, request uintptr, value unsafe.Pointer) {
	t.Helper()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), request, uintptr(value)); errno != 0 {
		t.Fatal(errno)
	}
}
