package project

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrBadName is the error for a name or a module path that an app can't have.
var ErrBadName = errors.New("bad name")

// CheckName returns an error if the folder of an app can't have the name.
func CheckName(name string) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w %q for an app: %s", ErrBadName, name, fmt.Sprintf(format, args...))
	}
	switch {
	case name == "":
		return bad("give it a name, such as shop")
	case strings.ContainsAny(name, `/\`) || name == "." || name == "..":
		return bad("it is the name of a new folder, not a path; to create the folder elsewhere, add --dir")
	}
	if problem := checkElement(name); problem != "" {
		return bad("%s", problem)
	}
	return nil
}

// CheckModule returns an error if the module of an app can't have the path.
func CheckModule(path string) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w %q for a module: %s", ErrBadName, path, fmt.Sprintf(format, args...))
	}
	elements := strings.Split(path, "/")
	for _, element := range elements {
		if element == "" {
			return bad("it needs a path without empty parts, such as example.com/shop")
		}
		if problem := checkElement(element); problem != "" {
			return bad("in %q %s", element, problem)
		}
	}
	switch {
	case isReserved(elements[0]):
		return bad("Go reserves paths that begin with %q; choose another, such as --module example.com/%s", elements[0], path)
	case path == Framework || strings.HasPrefix(path, Framework+"/"):
		return bad("it is the path of the framework; choose your own, such as example.com/shop")
	}
	for kind, names := range map[string][]string{"folder": folders, "file": rootFiles} {
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, program(path)) }) { // macOS and Windows ignore case
			return bad("go build would name the program %[1]q, which is a %[2]s of the app; choose another path, such as example.com/my-%[1]s", program(path), kind)
		}
	}
	return nil
}

// checkElement returns what is wrong with an element of a path, "" if nothing is.
func checkElement(name string) (problem string) {
	for _, r := range name {
		if !strings.ContainsRune("-_.", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return fmt.Sprintf("%q can't be part of it; use letters from A to Z, digits, -, _ and .", r)
		}
	}
	first, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch {
	case strings.ContainsRune("-_.", rune(name[0])):
		return "it has to begin with a letter or a digit"
	case strings.HasSuffix(name, "."):
		return "it must not end with a dot"
	case slices.Contains(devices, first):
		return fmt.Sprintf("%s is the name of a device on Windows", first)
	}
	return ""
}

// devices are the names that no file can have on Windows, whatever follows a dot.
var devices = []string{ //nolint:gochecknoglobals // never changes
	"aux", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con",
	"lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul", "prn",
}

// folders are the folders that an app has, or gets later, in its root.
var folders = []string{"app", "config", "deploy", "routes", "storage", "stubs"} //nolint:gochecknoglobals // never changes

// rootFiles are the same for files. A build would overwrite them.
var rootFiles = []string{ //nolint:gochecknoglobals // never changes
	"AGENTS.md", "ca-certificates.crt", "Dockerfile", "go.mod", "go.sum", "main.go", "README.md",
}

// isReserved reports whether the go command would take the path of a module for something
// else: a package of the standard library, or a word such as all.
func isReserved(first string) bool { return slices.Contains(reserved, first) }

var reserved = []string{ //nolint:gochecknoglobals // never changes
	"all", "archive", "bufio", "bytes", "cmd", "cmp", "compress", "container", "context", "crypto", "database", "debug", "embed", "encoding",
	"errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal", "io", "iter", "log", "main", "maps", "math", "mime",
	"net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort", "std", "strconv", "strings", "structs", "sync", "syscall",
	"testing", "text", "time", "tool", "toolchain", "unicode", "unique", "unsafe", "uuid", "vendor", "weak", "work",
}
