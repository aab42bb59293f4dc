package bundle

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// A System is an operating system and a processor, as Go names them. Either may be "".
type System struct{ OS, Arch string }

// ThisSystem returns the system of this computer.
func ThisSystem() System { return System{runtime.GOOS, runtime.GOARCH} }

// String returns the system as the go command writes it, such as darwin/arm64.
func (s System) String() string { return s.OS + "/" + s.Arch }

// systems are those on which AI clients run.
func systems() []System {
	return []System{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}
}

// Choose returns the system that a bundle is for: what is missing is that of the variables GOOS
// and GOARCH, or else of this computer. The error says which systems there are.
func (s System) Choose() (System, error) {
	this := ThisSystem()
	chosen := System{cmp.Or(s.OS, os.Getenv("GOOS"), this.OS), cmp.Or(s.Arch, os.Getenv("GOARCH"), this.Arch)}
	if chosen == this || slices.Contains(systems(), chosen) {
		return chosen, nil
	}
	var known []string
	for _, system := range systems() {
		known = append(known, system.String())
	}
	origin := ""
	if s == (System{}) {
		origin = ", which GOOS and GOARCH name"
	}
	return System{}, fmt.Errorf("a bundle can't be for %s%s; choose --os and --arch from %s", chosen, origin, strings.Join(known, ", "))
}
