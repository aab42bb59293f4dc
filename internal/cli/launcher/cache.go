package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/atomicfile"
	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// manifestName is the file in a cache that describes the newest program.
const manifestName = "manifest.json"

// A cache is the folder with the programs that were built from one app. A program's name
// has the stamp of its sources: concurrent builds write the same file, and a new build
// never writes to a running program.
type cache struct {
	folder string
	app    string
	tool   string // the go command of the next manifest
}

// A manifest describes the program that was built last.
type manifest struct {
	Program string
	Size    int64
	Stamp   string
	Inputs  []input
	Tool    string // the go command that built it
}

// openCache returns the cache of the app in the folder root, and creates it if necessary.
// Without a writable user cache directory, the cache is in the temporary directory.
func openCache(root string) (*cache, error) {
	sum := sha256.Sum256([]byte(root))
	app := naming.Kebab(filepath.Base(root))
	if app == "" {
		app = "app"
	}
	name := app + "-" + hex.EncodeToString(sum[:6])

	if base, err := os.UserCacheDir(); err == nil {
		folder := filepath.Join(base, "bowline", name)
		if os.MkdirAll(folder, 0o700) == nil {
			return &cache{folder: folder, app: app}, checkOwner(folder)
		}
	}
	shared := filepath.Join(os.TempDir(), "bowline-"+strconv.Itoa(os.Getuid()))
	folder := filepath.Join(shared, name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, finding.NewProblem("set HOME or TMPDIR to a folder that can be written to", "create the build cache: %w", err)
	}
	return &cache{folder: folder, app: app}, checkOwner(shared)
}

// program returns the path of the newest program and its manifest. The path is "" if there
// is none.
func (c *cache) program() (path string, m manifest) {
	m, err := c.manifest()
	if err != nil {
		return "", m
	}
	path = filepath.Join(c.folder, m.Program)
	info, err := os.Stat(path)
	if err != nil || info.Size() != m.Size {
		return "", m
	}
	return path, m
}

func (c *cache) manifest() (manifest, error) {
	var m manifest
	data, err := os.ReadFile(filepath.Join(c.folder, manifestName))
	if err != nil {
		return m, err
	}
	err = codec.Unmarshal(data, &m)
	return m, err
}

// temporary returns the path of a new empty file in the cache's folder.
func (c *cache) temporary() (string, error) {
	file, err := os.CreateTemp(c.folder, atomicfile.Prefix+"*")
	if err != nil {
		return "", fmt.Errorf("write to the build cache: %w", err)
	}
	return file.Name(), file.Close()
}

// add moves the program at the path temporary into the cache and writes the manifest. Then
// it removes the oldest programs.
func (c *cache) add(temporary string, inputs []input, sources string) (string, error) {
	info, err := os.Stat(temporary)
	if err != nil {
		return "", fmt.Errorf("add to the build cache: %w", err)
	}
	m := manifest{Program: c.app + "-" + sources[:16] + executableSuffix(), Size: info.Size(), Stamp: sources, Inputs: inputs, Tool: c.tool}
	path := filepath.Join(c.folder, m.Program)
	if err := os.Rename(temporary, path); err != nil {
		// Windows can't replace a running program. It comes from the same sources, so it
		// can stay.
		if running, statErr := os.Stat(path); statErr != nil || running.Size() != m.Size {
			return "", fmt.Errorf("add to the build cache: %w", err)
		}
	}
	if err := c.describe(m); err != nil {
		return "", err
	}
	c.prune(m.Program)
	return path, nil
}

func (c *cache) describe(m manifest) error {
	data, err := codec.Marshal(m)
	if err != nil {
		return fmt.Errorf("describe the program: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(c.folder, manifestName), data, 0o600); err != nil {
		return fmt.Errorf("describe the program: %w", err)
	}
	return nil
}

// maxPrograms is how many programs stay in the cache. The newest isn't the only one in use:
// mcp dev starts the program that serves again if it crashes, even if later ones didn't boot
// or if other commands have built the app since. So a program survives the next eleven builds.
// At 10 to 25 MB each, the cache of an app takes at most 300 MB. Age doesn't count, since
// mcp dev may serve one program for days.
const maxPrograms = 12

// prune removes all but the newest programs, and the temporary files of builds that were
// killed more than an hour ago.
func (c *cache) prune(newest string) {
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return
	}
	var others []os.FileInfo
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || info.Name() == manifestName || info.Name() == newest {
			continue
		}
		if !strings.HasPrefix(info.Name(), atomicfile.Prefix) {
			others = append(others, info)
		} else if time.Since(info.ModTime()) > time.Hour {
			remove(filepath.Join(c.folder, info.Name()))
		}
	}
	slices.SortFunc(others, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, old := range others[min(maxPrograms-1, len(others)):] {
		remove(filepath.Join(c.folder, old.Name()))
	}
}

// remove removes a file of the cache. If that fails, as for a running program on Windows,
// a later prune tries again.
func remove(path string) { _ = os.Remove(path) }

func executableSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
