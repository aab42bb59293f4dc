package launcher

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// manifestName is the file in a cache that describes the newest program. It is replaced
// by a rename, so that no process reads a partial file.
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
		return nil, fmt.Errorf("create the build cache: %w; set HOME or TMPDIR to a folder that can be written to", err)
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
	file, err := os.CreateTemp(c.folder, "new-*")
	if err != nil {
		return "", fmt.Errorf("write to the build cache: %w", err)
	}
	return file.Name(), file.Close()
}

// add moves the program at the path temporary into the cache and writes the manifest. It
// removes all other programs except the previous one, which another process may be about
// to start.
func (c *cache) add(temporary string, inputs []input, sources string) (string, error) {
	info, err := os.Stat(temporary)
	if err != nil {
		return "", fmt.Errorf("add to the build cache: %w", err)
	}
	before, _ := c.manifest()
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
	if before.Program != m.Program {
		c.prune(m.Program, before.Program)
	}
	return path, nil
}

func (c *cache) describe(m manifest) error {
	data, err := codec.Marshal(m)
	if err != nil {
		return fmt.Errorf("describe the program: %w", err)
	}
	temporary, err := c.temporary()
	if err != nil {
		return err
	}
	defer remove(temporary)
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return fmt.Errorf("describe the program: %w", err)
	}
	if err := os.Rename(temporary, filepath.Join(c.folder, manifestName)); err != nil {
		return fmt.Errorf("describe the program: %w", err)
	}
	return nil
}

// prune removes old programs, and the temporary files of builds that were killed more
// than an hour ago.
func (c *cache) prune(newest, before string) {
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := entry.Name()
		if name == manifestName || name == newest || name == before {
			continue
		}
		info, err := entry.Info()
		if err != nil || strings.HasPrefix(name, "new-") && time.Since(info.ModTime()) < time.Hour {
			continue
		}
		remove(filepath.Join(c.folder, name))
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
