package launcher

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/codec"
)

// A listedPackage is a package in the output of go list -json, with the fields that
// findInputs needs.
type listedPackage struct {
	ImportPath    string
	Dir           string
	Standard      bool
	EmbedPatterns []string
	EmbedFiles    []string
	Module        *listedModule
}

type listedModule struct {
	Version string
	GoMod   string
	Replace *listedModule
}

// editable reports whether the package's files may change without a new version. That
// holds for the app's own modules, and for modules that go.mod replaces with a folder.
func (p listedPackage) editable() bool {
	switch {
	case p.Standard:
		return false
	case p.Module == nil:
		return true
	case p.Module.Replace != nil:
		return p.Module.Replace.Version == ""
	}
	return p.Module.Version == ""
}

// readPackages returns the packages in the output of go list -deps -json.
func readPackages(listing []byte) ([]listedPackage, error) {
	var packages []listedPackage
	decoder := codec.NewDecoder(listing)
	for {
		value, err := decoder.ReadValue()
		if errors.Is(err, io.EOF) {
			return packages, nil
		}
		var pkg listedPackage
		if err == nil {
			err = codec.Unmarshal(value, &pkg)
		}
		if err != nil {
			return nil, fmt.Errorf("read the output of go list: %w", err)
		}
		packages = append(packages, pkg)
	}
}

// findInputs returns the sorted inputs of the program in the folder root.
func findInputs(root string, packages []listedPackage) []input {
	inputs := moduleFiles(root)
	for _, pkg := range packages {
		if !pkg.editable() {
			continue
		}
		inputs = append(inputs, input{sources, pkg.Dir})
		inputs = append(inputs, embeds(pkg)...)
		if pkg.Module != nil && pkg.Module.GoMod != "" {
			inputs = append(inputs, input{file, pkg.Module.GoMod})
		}
	}
	slices.SortFunc(inputs, func(a, b input) int {
		return strings.Compare(string(a.Kind)+a.Path, string(b.Kind)+b.Path)
	})
	return slices.Compact(inputs)
}

// moduleFiles returns the files that select the modules of a build. A go.work may be in
// any parent folder.
func moduleFiles(root string) []input {
	list := []input{
		{file, filepath.Join(root, "go.mod")},
		{file, filepath.Join(root, "go.sum")},
		{file, filepath.Join(root, "vendor", "modules.txt")},
	}
	if work := os.Getenv("GOWORK"); filepath.IsAbs(work) {
		list = append(list, input{file, work}, input{file, work + ".sum"})
	}
	for folder := root; ; folder = filepath.Dir(folder) {
		work := filepath.Join(folder, "go.work")
		list = append(list, input{file, work}, input{file, work + ".sum"})
		if folder == filepath.Dir(folder) {
			return list
		}
	}
}

// embeds returns the files that pkg embeds and the folders in which a new file would be
// embedded too.
func embeds(pkg listedPackage) []input {
	var list []input
	for _, name := range pkg.EmbedFiles {
		list = append(list, input{file, filepath.Join(pkg.Dir, filepath.FromSlash(name))})
	}
	for _, pattern := range pkg.EmbedPatterns {
		pattern = filepath.Join(pkg.Dir, filepath.FromSlash(strings.TrimPrefix(pattern, "all:")))
		if strings.ContainsAny(filepath.Base(pattern), "*?[") {
			list = append(list, input{names, filepath.Dir(pattern)})
		}
		matches, err := filepath.Glob(pattern)
		if err != nil {
			continue // the build reports the bad pattern
		}
		for _, match := range matches {
			list = append(list, folders(match)...)
		}
	}
	return list
}

// folders returns path and all folders below it, or nothing if path is a file.
func folders(path string) []input {
	var list []input
	_ = filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			list = append(list, input{names, path})
		}
		return nil // the build reports files that can't be read
	})
	return list
}
