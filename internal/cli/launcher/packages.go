package launcher

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
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
	Path    string
	Version string
	Dir     string
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
		if pkg.Dir == "" {
			inputs = append(inputs, missing(pkg.ImportPath, packages)...)
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

// missing returns the folders in which a package that is imported but not there may be
// created. They are in the modules of the listed packages: go list doesn't say which module
// a missing package would belong to. Modules in the folder vendor have no other folder.
func missing(importPath string, packages []listedPackage) []input {
	var list []input
	for _, pkg := range packages {
		if !pkg.editable() || pkg.Module == nil || pkg.Module.Dir == "" {
			continue
		}
		if below, found := strings.CutPrefix(importPath+"/", pkg.Module.Path+"/"); found {
			list = append(list, input{sources, filepath.Join(pkg.Module.Dir, filepath.FromSlash(below))})
		}
	}
	return list
}

// moduleFiles returns the files that select the modules of a build. A go.work may be in
// any parent folder, and so may the folder vendor of its workspace.
func moduleFiles(root string) []input {
	list := []input{
		{file, filepath.Join(root, "go.mod")},
		{file, filepath.Join(root, "go.sum")},
	}
	add := func(work string) {
		list = append(list, input{file, work}, input{file, work + ".sum"}, input{file, filepath.Join(filepath.Dir(work), "vendor", "modules.txt")})
	}
	if work := os.Getenv("GOWORK"); filepath.IsAbs(work) {
		add(work)
	}
	for folder := root; ; folder = filepath.Dir(folder) {
		add(filepath.Join(folder, "go.work"))
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
		list = append(list, matches(pkg.Dir, strings.TrimPrefix(pattern, "all:"))...)
	}
	return list
}

// matches returns the folders whose names decide what a pattern in the folder dir matches,
// and those below its matches. A wildcard may be in any element of the pattern. A match that
// doesn't exist yet is a file.
func matches(dir, pattern string) []input {
	var list []input
	places := []string{dir} // that match the elements so far
	for element := range strings.SplitSeq(pattern, "/") {
		var next []string
		for _, place := range places {
			if !strings.ContainsAny(element, `*?[\`) {
				next = append(next, filepath.Join(place, element))
				continue
			}
			list = append(list, input{names, place})
			entries, _ := os.ReadDir(place) // it may not exist yet
			for _, entry := range entries {
				// The build reports a bad pattern.
				if matched, _ := path.Match(element, entry.Name()); matched {
					next = append(next, filepath.Join(place, entry.Name()))
				}
			}
		}
		places = next
	}
	for _, place := range places {
		list = append(list, folders(place)...)
	}
	return list
}

// folders returns root and all folders below it. It returns nothing if root is a file, unless
// that can't be read: go list has the others.
func folders(root string) []input {
	var list []input
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil: // most often, because root doesn't exist yet
			list = append(list, input{file, path})
		case entry.IsDir():
			list = append(list, input{names, path})
		}
		return nil // the build reports files that can't be read
	})
	return list
}
