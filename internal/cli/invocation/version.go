package invocation

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// ProgramVersion returns the version of this program, of Go, and of the system.
func ProgramVersion() string {
	return fmt.Sprintf("%s (%s %s/%s)", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Version returns the version of this program.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
