package docs_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A guidePage is a page of docs/guide. Its Go blocks that begin with a comment such as
// "// main.go" are the files of one program, with its test. A block "json request" is
// sent to that program, a line of JSON each, and a block "json answer" is what it writes
// then; the text "…" in one stands for what differs from run to run.
type guidePage struct {
	name, text string
	blocks     []block
	handle     string // that the program serves on stdio
}

// guidePages returns the pages, without the index.
func guidePages(t *testing.T) (pages []guidePage) {
	t.Helper()
	for document, text := range documents(t) {
		name, ok := strings.CutPrefix(document, "docs/guide/")
		if !ok || name == "README.md" {
			continue
		}
		page := guidePage{name: strings.TrimSuffix(name, ".md"), text: text, blocks: blocks(document, text)}
		if command := regexp.MustCompile(`go run \. start (\w+)`).FindStringSubmatch(text); command != nil {
			page.handle = command[1]
		}
		pages = append(pages, page)
	}
	if len(pages) < 15 {
		t.Fatalf("the guide has only %d pages", len(pages))
	}
	return pages
}

// file returns the name of the file that a block is, "" if it is none.
func (b block) file() string {
	first, _, _ := strings.Cut(b.text, "\n")
	name, ok := strings.CutPrefix(first, "// ")
	if b.language != "go" || !ok || !strings.HasSuffix(name, ".go") || strings.ContainsAny(name, " /") {
		return ""
	}
	return name
}

// parts returns which of the parts a page lacks.
func (p guidePage) lacks() (parts []string) {
	has := map[string]bool{}
	for _, b := range p.blocks {
		has[b.language] = true
		if name := b.file(); name != "" {
			has["program"] = has["program"] || !strings.HasSuffix(name, "_test.go")
			has["test"] = has["test"] || strings.HasSuffix(name, "_test.go")
		}
	}
	for _, part := range []string{"program", "test", "json request", "json answer"} {
		if !has[part] {
			parts = append(parts, part)
		}
	}
	return parts
}

// pagesWithoutProgram are those about the command, which other tests compare with it, and those whose commands a test runs.
var pagesWithoutProgram = append([]string{
	"app-structure", "command-line", "connecting-clients", "crud", "deployment", "getting-started", "troubleshooting", "tutorial", "upgrades",
}, chapters...)

// pagesOnTasks are those that end in a section on what fails, with the messages that a reader sees.
var pagesOnTasks = []string{
	"app-structure", "binary-data", "crud", "dates-and-times", "dependencies", "directives", "errors", "four-ways", "getting-started", "pagination",
	"servers", "single-file", "structured-output", "tools", "tutorial-deployment", "tutorial-login", "tutorial-notes", "typed-tools",
}

func TestTheGuideHasItsPages(t *testing.T) {
	t.Parallel()
	index := read(t, "docs/guide/README.md")
	for _, page := range guidePages(t) {
		if !strings.Contains(index, "]("+page.name+".md)") {
			t.Errorf("docs/guide/README.md does not name %s.md", page.name)
		}
		if slices.Contains(pagesOnTasks, page.name) && !strings.Contains(page.text, "\n## When it fails\n") {
			t.Errorf("docs/guide/%s.md has no section on what fails", page.name)
		}
		if lacks := page.lacks(); lacks != nil && !slices.Contains(pagesWithoutProgram, page.name) {
			t.Errorf("docs/guide/%s.md has no %s", page.name, strings.Join(lacks, ", no "))
		}
	}
}

// llms.txt is the index of the documents for language models.
func TestTheIndexForModelsHasEachPage(t *testing.T) {
	t.Parallel()
	index := read(t, "llms.txt")
	for _, page := range guidePages(t) {
		if !strings.Contains(index, "](docs/guide/"+page.name+".md)") {
			t.Errorf("llms.txt does not name docs/guide/%s.md", page.name)
		}
	}
	links := regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(index, -1)
	if len(links) < 15 {
		t.Errorf("llms.txt has only %d links", len(links))
	}
	for _, link := range links {
		if _, err := os.Stat(filepath.Join(root, link[1])); err != nil {
			t.Errorf("llms.txt links to %s: %v", link[1], err)
		}
	}
}

// TestTheGuideWorks builds the programs of the pages in a module of their own, as a reader
// would, runs their tests, and has them answer what the pages show.
func TestTheGuideWorks(t *testing.T) {
	t.Parallel()
	pages := slices.DeleteFunc(guidePages(t), func(page guidePage) bool {
		return slices.Contains(page.lacks(), "program") || slices.Contains(chapters, page.name)
	})
	if len(pages) < 10 {
		t.Fatalf("only %d pages have a program", len(pages))
	}
	binary := buildGuide(t, pages)
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			test := exec.CommandContext(t.Context(), binary, "-test.timeout=5m")
			test.Dir, test.Env = t.TempDir(), append(os.Environ(), "GUIDE_PAGE="+page.name) // the program may write files
			if out, err := test.CombinedOutput(); err != nil {
				t.Errorf("the test of docs/guide/%s.md fails: %v\n%s", page.name, err, out)
			}
			page.talk(t, binary)
		})
	}
}

// talk sends the program what the page shows, and compares what it answers.
func (p guidePage) talk(t *testing.T, binary string) {
	t.Helper()
	program := exec.CommandContext(t.Context(), binary, "start", p.handle)
	program.Dir, program.Env = t.TempDir(), append(os.Environ(), "GUIDE_PAGE="+p.name)
	var log bytes.Buffer
	program.Stderr = &log
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(5*time.Minute, func() { _ = program.Process.Kill() })
	defer watchdog.Stop()
	answers, state := bufio.NewReader(out), ""
	for _, b := range p.blocks {
		where := fmt.Sprintf("%s:%d", b.document, b.line)
		switch b.language {
		case "json request":
			for _, value := range values(t, where, b.text) {
				line := new(bytes.Buffer)
				if err := json.Compact(line, value); err != nil {
					t.Fatalf("%s: %v", where, err)
				}
				message := strings.ReplaceAll(line.String(), `"requestState":"…"`, `"requestState":"`+state+`"`)
				if _, err := io.WriteString(in, message+"\n"); err != nil {
					t.Fatalf("%s: %v\n%s", where, err, log.String())
				}
			}
		case "json answer":
			for _, want := range values(t, where, b.text) {
				got, err := answers.ReadBytes('\n')
				if err != nil {
					t.Fatalf("%s: there is no answer: %v\n%s", where, err, log.String())
				}
				if found := regexp.MustCompile(`"requestState":"([^"]*)"`).FindSubmatch(got); found != nil {
					state = string(found[1])
				}
				got = logID.ReplaceAll(got, []byte("(request 8f3a12c7)"))
				if !alike(decoded(t, where, want), decoded(t, where, got)) {
					t.Errorf("%s: the program answers\n%sbut the page says\n%s", where, got, want)
				}
			}
		}
	}
	_ = in.Close()
	if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
		t.Errorf("docs/guide/%s.md does not show what the program writes at the end:\n%s%v", p.name, rest, err)
	}
	if err := program.Wait(); err != nil {
		t.Errorf("the program of docs/guide/%s.md ends with %v\n%s", p.name, err, log.String())
	}
}

// logID matches the id of a request in the log, which is random. The pages have one id.
var logID = regexp.MustCompile(`\(request [0-9a-f]{8}\)`)

// values returns the JSON values of a block.
func values(t *testing.T, where, text string) (found []json.RawMessage) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	for {
		var value json.RawMessage
		err := decoder.Decode(&value)
		if err == io.EOF {
			if len(found) == 0 {
				t.Errorf("%s: the block is empty", where)
			}
			return found
		}
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		found = append(found, value)
	}
}

func decoded(t *testing.T, where string, text []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%s: %v\n%s", where, err, text)
	}
	return value
}

// alike reports whether a value is the one that a page shows.
func alike(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		for name := range want {
			ok = ok && alike(want[name], object[name])
		}
		return ok && len(want) == len(object)
	case []any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(want, list, alike)
	}
	return want == "…" || reflect.DeepEqual(want, got)
}
