// Package machinetest runs tests as if every machine were the same: with an empty home folder, without the settings of the person who runs
// them, and without the AI clients that are on the PATH.
package machinetest

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// LinkFast is a flag of the go command. It leaves symbols and DWARF out of a program, which takes a third off the time that a link takes.
const LinkFast = "-ldflags=-s"

// A Machine is what tests see of the machine that they run on.
type Machine struct {
	// Programs are the only programs of the system on the PATH, beside the go command. Those that the machine lacks are left out. If
	// there are none, the tests have the PATH of the machine.
	Programs []string

	// Bin is a folder that comes before them.
	Bin string
}

// Run runs the tests of a package, for its TestMain, and returns the exit code.
func (m Machine) Run(tests interface{ Run() int }) int {
	if signal.Ignored(syscall.SIGHUP) { // by nohup; the programs that tests start would ignore it too
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	folder, err := os.MkdirTemp("", "machine")
	if err == nil {
		defer func() { _ = os.RemoveAll(folder) }()
		err = m.enter(folder)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "machinetest:", err)
		return 1
	}
	return tests.Run()
}

// enter replaces the environment of this process, which the programs that tests start get too.
func (m Machine) enter(folder string) error {
	settings, root, err := goSettings()
	if err != nil {
		return err
	}
	home := filepath.Join(folder, "home")
	settings["HOME"], settings["USERPROFILE"] = home, home
	settings["AppData"], settings["LocalAppData"] = filepath.Join(home, "AppData", "Roaming"), filepath.Join(home, "AppData", "Local")
	settings["GIT_CONFIG_NOSYSTEM"] = "1"
	settings["GOTOOLCHAIN"] = "local"                               // the go command that runs the tests downloads no other one
	settings["GORACE"] = "atexit_sleep_ms=0 " + os.Getenv("GORACE") // a program with the race detector takes a second to end otherwise
	settings["GOFLAGS"] = strings.TrimSpace(LinkFast + " " + os.Getenv("GOFLAGS"))
	settings["PATH"] = os.Getenv("PATH")
	if len(m.Programs) > 0 && runtime.GOOS != "windows" { // where a link needs a privilege
		if err := link(m.Programs, filepath.Join(folder, "bin")); err != nil {
			return err
		}
		settings["PATH"] = joined(m.Bin, filepath.Join(root, "bin"), filepath.Join(folder, "bin"))
	}
	for _, setting := range os.Environ() {
		if name, value, _ := strings.Cut(setting, "="); isNeeded(name) {
			settings[name] = cmp.Or(settings[name], value)
		}
	}
	os.Clearenv()
	for name, value := range settings {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return turnTelemetryOff()
}

// goSettings returns the settings of the go command that depend on the home folder, and its GOROOT.
func goSettings() (settings map[string]string, root string, err error) {
	names := []string{"GOCACHE", "GOMODCACHE", "GOENV", "GOROOT"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil, "", fmt.Errorf("go env: %w", err)
	}
	values := strings.Split(strings.TrimRight(string(out), "\r\n"), "\n")
	if len(values) != len(names) {
		return nil, "", fmt.Errorf("go env prints %q for %q", out, names)
	}
	settings = map[string]string{}
	for i, name := range names[:3] {
		settings[name] = strings.TrimSpace(values[i])
	}
	return settings, strings.TrimSpace(values[3]), nil
}

// isNeeded reports whether tests need a variable of the environment: for the go command and its downloads, for temporary files, for
// Windows, or for themselves.
func isNeeded(name string) bool {
	name = strings.ToUpper(name)
	if name == "GOWORK" { // the tests don't use the person's modules
		return false
	}
	if strings.HasPrefix(name, "GO") || strings.HasPrefix(name, "CGO_") || strings.HasPrefix(name, "BOWLINE_") || strings.HasSuffix(name, "_PROXY") {
		return true
	}
	return slices.Contains([]string{
		"CC", "CXX", "SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMFILES",
	}, name)
}

// link fills a new folder with links to programs.
func link(programs []string, folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	for _, name := range programs {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if err := os.Symlink(program, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// joined returns a PATH of the folders that aren't empty.
func joined(folders ...string) string {
	return strings.Join(slices.DeleteFunc(folders, func(folder string) bool { return folder == "" }), string(os.PathListSeparator))
}

// turnTelemetryOff keeps the go command from writing its counters into the home folder: a process that it leaves behind would do so while
// the folder is removed.
func turnTelemetryOff() error {
	configuration, err := os.UserConfigDir()
	if err != nil {
		return err
	}
	mode := filepath.Join(configuration, "go", "telemetry", "mode")
	if err := os.MkdirAll(filepath.Dir(mode), 0o700); err != nil {
		return err
	}
	return os.WriteFile(mode, []byte("off"), 0o600)
}
