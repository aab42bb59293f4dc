package applog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Sources says which files of a stack are the app's own.
type sources []string // the folders in which they are, each with a slash at its end

// newSources returns the sources of the app in the folder root.
func newSources(root string) sources {
	folders := sources{slashed(root)}
	if linked, err := filepath.EvalSymlinks(root); err == nil && slashed(linked) != folders[0] {
		folders = append(folders, slashed(linked))
	}
	mod, _ := os.ReadFile(filepath.Join(root, "go.mod")) // without it, nothing builds
	for line := range strings.Lines(string(mod)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "module" {
			folders = append(folders, strings.Trim(fields[1], `"`)+"/") // go build -trimpath
			break
		}
	}
	return folders
}

func slashed(folder string) string { return filepath.ToSlash(folder) + "/" }

// own returns the path of a file of the app in its folder.
func (s sources) own(file, function string) (path string, ok bool) {
	for _, folder := range s {
		if path, ok = strings.CutPrefix(file, folder); ok {
			break
		}
	}
	// The reference app is in the module of the framework.
	const module = "github.com/bowline-mcp/bowline/"
	isBowline := strings.HasPrefix(function, module+"framework/") || strings.HasPrefix(function, module+"internal/")
	return path, ok && !isBowline && !strings.HasPrefix(path, "vendor/")
}

// A frame is a line of a stack.
type frame struct{ function, file, line string }

// framesOf returns the frames of the first goroutine of a stack.
func framesOf(stack string) (all []frame) {
	_, stack, _ = strings.Cut(stack, "goroutine ")
	lines := strings.Split(stack, "\n")
	for i := 1; i+1 < len(lines) && lines[i] != ""; i++ {
		place, isPlace := strings.CutPrefix(lines[i+1], "\t")
		if !isPlace {
			continue
		}
		place, _, _ = strings.Cut(place, " +0x")
		colon := strings.LastIndexByte(place, ':')
		if function := lines[i]; colon >= 0 && !strings.HasPrefix(function, "created by ") {
			if arguments := strings.LastIndexByte(function, '('); arguments > 0 {
				function = function[:arguments]
			}
			all = append(all, frame{function, place[:colon], place[colon+1:]})
		}
		i++
	}
	return all
}

// shorten returns the frames of the app's own files in a stack, and how many others there are. If none
// is the app's, it returns the whole stack. The lines are indented.
func (s sources) shorten(stack string) string {
	own, others := s.split(stack)
	switch {
	case own == "" && stack != "":
		return indented(stack)
	case others == 1:
		return own + indent + "(1 more frame of Go, Bowline and other modules)\n"
	case others > 1:
		return own + fmt.Sprintf("%s(%d more frames of Go, Bowline and other modules)\n", indent, others)
	}
	return own
}

// split returns the frames of the app's own files, a line each, and the number of others.
func (s sources) split(stack string) (own string, others int) {
	for _, f := range framesOf(stack) {
		path, isOwn := s.own(f.file, f.function)
		if !isOwn {
			others++
			continue
		}
		function := f.function[strings.LastIndexByte(f.function, '/')+1:]
		own += fmt.Sprintf("%sat %s:%s  %s\n", indent, shown(path), shown(f.line), shown(function))
	}
	return own, others
}

// indented returns the lines of a text below another line.
func indented(text string) string {
	return indent + strings.Join(shownLines(text), "\n"+indent) + "\n"
}
