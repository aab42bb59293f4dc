// Package docs_test checks that what the documents show is true: Go blocks build, answers are what the app answers, links and function
// names lead somewhere.
package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/bowline-mcp/bowline/internal/cli"
	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

const root = ".."

// TestMain runs the tests, or the command mcp or login if they were started by that name.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "mcp":
		os.Exit(cli.Run(os.Args[1:], os.Stdout, os.Stderr)) //nolint:forbidigo // this is the command then
	case "login":
		logIn(os.Args[1], os.Args[2], os.Stdout) //nolint:forbidigo // likewise
		os.Exit(0)
	}
	os.Exit(machinetest.Machine{}.Run(m))
}

// documents returns all Markdown files of the repository, by their path from its root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, file := range files(t, ".md") {
		found[file] = read(t, file)
	}
	if len(found) < 40 {
		t.Fatalf("the walk finds only %d documents", len(found))
	}
	return found
}

// files returns the files of the repository whose names end so, by their path from its root. Those that were installed or generated, and
// hidden ones, are left out.
func files(t *testing.T, suffix string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && file != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "results"):
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(name, suffix):
			name, err := filepath.Rel(root, file)
			found = append(found, filepath.ToSlash(name))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A block is a fenced block of a document.
type block struct {
	document string
	line     int // of its first line, from 1
	language string
	text     string
}

// blocks returns the fenced blocks of a document.
func blocks(document, text string) (found []block) {
	var open *block
	for i, line := range strings.Split(text, "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			open = &block{document: document, line: i + 2, language: fence}
		case isFence:
			found = append(found, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	return found
}

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	link, followed, below := regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`), 0, 0
	texts := documents(t)
	for document, text := range texts {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target, anchor := match[1], match[2]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			followed++
			file := document
			if target != "" {
				file = path.Join(path.Dir(document), target)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
				t.Errorf("%s links to %s, which is not there", document, target)
			}
			if page, ok := texts[file]; ok && anchor != "" {
				below++
				if !slices.Contains(anchors(file, page), anchor) {
					t.Errorf("%s links to %s%s, but that page has no such heading", document, target, anchor)
				}
			}
		}
	}
	if followed < 100 || below < 40 {
		t.Errorf("the documents have only %d links to files, %d of them to headings", followed, below)
	}
}

// anchors returns the anchors of the headings of a document, as GitHub makes them.
func anchors(document, text string) (all []string) {
	for _, b := range blocks(document, text) {
		text = strings.Replace(text, b.text, "", 1) // which has comments that begin with #
	}
	for _, heading := range regexp.MustCompile(`(?m)^#+ +(.*)$`).FindAllStringSubmatch(text, -1) {
		anchor := "#" + strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, heading[1])
		base := anchor
		for n := 1; slices.Contains(all, anchor); n++ {
			anchor = fmt.Sprintf("%s-%d", base, n)
		}
		all = append(all, anchor)
	}
	return all
}

func TestFunctionsThatAreNamedExist(t *testing.T) {
	t.Parallel()
	mention := regexp.MustCompile("`([A-Za-z.]+)`(?: \\| |\\s\\()`([a-z_/]+\\.go)`")
	mentions := mention.FindAllStringSubmatch(documents(t)["docs/architecture.md"], -1)
	if len(mentions) < 40 {
		t.Fatalf("docs/architecture.md names only %d functions", len(mentions))
	}
	for _, match := range mentions {
		receiver, name, isMethod := strings.Cut(match[1], ".")
		pattern := `(?m)^func \(\w+ \*?` + receiver + `\) ` + name + `\(`
		if !isMethod {
			pattern = `(?m)^(?:func|type) ` + receiver + `[ \[(]`
		}
		if !regexp.MustCompile(pattern).MatchString(read(t, match[2])) {
			t.Errorf("docs/architecture.md says that %s is in %s, but it is not", match[1], match[2])
		}
	}
}
