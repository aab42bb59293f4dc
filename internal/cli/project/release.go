package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

// Framework is the path of the framework's module.
const Framework = "github.com/bowline-mcp/bowline"

// A Release is the framework that the go.mod of an app requires.
type Release struct {
	// Version is the version in the require line.
	Version string
	// Folder is the absolute path of a checkout that replaces the version, "" for none.
	Folder string
}

// ErrNoRelease is the error if the program was built from a checkout, so that its version is
// not one that the go command could download.
var ErrNoRelease = errors.New("this mcp was built from a checkout, so its version of the framework can't be downloaded")

// ReleaseOf returns the release that a program was built from. The error wraps ErrNoRelease if
// there is none.
func ReleaseOf(info *debug.BuildInfo) (Release, error) {
	module := info.Main
	for _, dependency := range info.Deps { // such as in a program built by go tool
		if module.Path != Framework && dependency.Path == Framework {
			module = *dependency
		}
	}
	fromVCS := false
	for _, setting := range info.Settings {
		fromVCS = fromVCS || setting.Key == "vcs"
	}
	// The go command stamps a build in a checkout with a pseudo-version of its commit, or with
	// the tag of the commit.
	pseudo := regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}$`)
	if module.Path != Framework || module.Replace != nil || !strings.HasPrefix(module.Version, "v") ||
		strings.HasSuffix(module.Version, "+dirty") || fromVCS && pseudo.MatchString(module.Version) {
		return Release{}, ErrNoRelease
	}
	return Release{Version: module.Version}, nil
}

// Checkout returns the release for a checkout of the framework in a folder.
func Checkout(folder string) (Release, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return Release{}, err
	}
	module, err := scaffold.ModulePath(filepath.Join(absolute, "go.mod"))
	if err != nil || module != Framework {
		return Release{}, fmt.Errorf("%s is not a checkout of the framework: its go.mod must name the module %s", absolute, Framework)
	}
	return Release{Version: "v0.0.0", Folder: absolute}, nil
}

// SourceFolder returns the checkout that this program was built from, "" if it isn't known or
// was moved.
func SourceFolder() string {
	_, file, _, ok := runtime.Caller(0)
	folder := filepath.Join(file, "..", "..", "..", "..")
	if !ok || !filepath.IsAbs(file) {
		return "" // built with -trimpath
	}
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
		return ""
	}
	return folder
}

// dependencies returns the requirements of the checkout, such as "example.com/x v1.2.3", and
// the content of its go.sum. With both, go mod tidy chooses the versions that the framework is
// tested with, and needs no network if they are in the module cache.
func (r Release) dependencies() (requirements []string, sums []byte, err error) {
	if r.Folder == "" {
		return nil, nil, nil
	}
	mod, err := os.ReadFile(filepath.Join(r.Folder, "go.mod"))
	if err != nil {
		return nil, nil, err
	}
	for _, line := range regexp.MustCompile(`(?m)^(?:\t|require )([^\s/]\S* v\S+)`).FindAllStringSubmatch(string(mod), -1) {
		requirements = append(requirements, line[1])
	}
	sums, err = os.ReadFile(filepath.Join(r.Folder, "go.sum"))
	return requirements, sums, err
}

// replacement returns the folder as a path in go.mod, "" for none.
func (r Release) replacement() string {
	path := filepath.ToSlash(r.Folder)
	if strings.ContainsAny(path, " \t\"'`()[]{},") {
		return strconv.Quote(path)
	}
	return path
}
