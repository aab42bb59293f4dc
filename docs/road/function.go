package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/docs/source"
)

// A function is a function or method of which a statement ran.
type function struct {
	source.Function

	file string // the path from the root of the module
}

// attribute returns the functions of framework and internal that ran, according to what
// "go tool covdata func" prints, ordered by file and line.
func attribute(printed, module, folder string) (found road, err error) {
	files := map[string]source.Functions{}
	for line := range strings.Lines(printed) {
		path, rest, _ := strings.Cut(line, ":")
		file, own := strings.CutPrefix(path, module+"/")
		if !own || !strings.HasPrefix(file, "framework/") && !strings.HasPrefix(file, "internal/") {
			continue
		}
		var number int
		var name string
		var share float64
		if _, err := fmt.Sscanf(rest, "%d:%s %f%%", &number, &name, &share); err != nil {
			return nil, fmt.Errorf("go tool covdata prints the line %q: %w", line, err)
		}
		if share == 0 {
			continue
		}
		if files[file] == nil {
			if files[file], err = source.Read(filepath.Join(folder, filepath.FromSlash(file))); err != nil {
				return nil, err
			}
		}
		if ran, ok := files[file].At(number); ok {
			found = append(found, function{Function: ran, file: file})
		}
	}
	slices.SortFunc(found, func(a, b function) int {
		return cmp.Or(strings.Compare(a.file, b.file), a.Line-b.Line)
	})
	return found, nil
}
