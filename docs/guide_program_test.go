package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// buildGuide builds the tests of all pages as one program, since linking each takes a second
// or two. GUIDE_PAGE names the page whose tests it runs. It is the program of the page too:
// with the argument "start" it is the page's main, or else serves what newHandler returns.
func buildGuide(t *testing.T, pages []guidePage) (binary string) {
	t.Helper()
	folder := t.TempDir()
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, _ := strings.Cut(read(t, "go.mod"), "\n")
	write(t, filepath.Join(folder, "go.mod"), "module guide\n"+requirements+
		"\nrequire github.com/bowline-mcp/bowline v0.0.0\nreplace github.com/bowline-mcp/bowline => "+filepath.ToSlash(module)+"\n")
	write(t, filepath.Join(folder, "go.sum"), read(t, "go.sum"))
	var imports, table strings.Builder
	for i, page := range pages {
		fmt.Fprintf(&imports, "import page%d \"guide/%s\"\n", i, page.name)
		fmt.Fprintf(&table, "\t%q: {page%d.Tests, page%d.Program},\n", page.name, i, i)
		page.write(t, filepath.Join(folder, page.name))
	}
	write(t, filepath.Join(folder, "guide_test.go"), strings.NewReplacer("IMPORTS\n", imports.String(), "TABLE\n", table.String()).Replace(guideMain))
	binary = filepath.Join(folder, "guide.test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod -trimpath", "GOPROXY=off", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// write writes the files of a page as a package that guideMain imports.
func (p guidePage) write(t *testing.T, folder string) {
	t.Helper()
	program, tests := "main", ""
	for _, b := range p.blocks {
		name := b.file()
		if name == "" {
			continue
		}
		if !strings.Contains(b.text, "\npackage main\n") {
			t.Fatalf("%s:%d: the package isn't main", b.document, b.line)
		}
		if strings.Contains(b.text, "\nfunc newHandler() http.Handler {") {
			program = "newHandler"
		}
		for _, function := range regexp.MustCompile(`(?m)^func (Test\w+)\(\w+ \*testing\.T\)`).FindAllStringSubmatch(b.text, -1) {
			tests += fmt.Sprintf("\t{%q, %s},\n", function[1], function[1])
		}
		text := strings.Replace(b.text, "\npackage main\n", "\npackage page\n", 1)
		text = strings.ReplaceAll(text, "\t\"main.", "\t\"guide/"+p.name+".") // the types in a generated file
		write(t, filepath.Join(folder, strings.Replace(name, "_test.go", "_tests.go", 1)), fmt.Sprintf("//line %s:%d\n%s", b.document, b.line, text))
	}
	if tests == "" {
		t.Errorf("docs/guide/%s.md has no test", p.name)
	}
	write(t, filepath.Join(folder, "page.go"), "package page\n\nimport \"testing\"\n\nvar Program any = "+program+"\n\nvar Tests = []testing.InternalTest{\n"+tests+"}\n")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// guideMain is the program of all pages.
const guideMain = `package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

IMPORTS

var page = map[string]struct {
	tests   []testing.InternalTest
	program any
}{
TABLE
}[os.Getenv("GUIDE_PAGE")]

func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "start" {
		os.Exit(m.Run())
	}
	switch program := page.program.(type) {
	case func():
		program()
	case func() http.Handler:
		serveLines(program())
	}
}

func Test(t *testing.T) {
	for _, test := range page.tests {
		t.Run(test.Name, test.F)
	}
}

// serveLines posts each line of stdin, as a client of 2026-07-28 does, and writes what
// comes back.
func serveLines(handler http.Handler) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var message struct {
			Method string
			Params struct{ Name, URI string }
		}
		if err := json.Unmarshal(lines.Bytes(), &message); err != nil {
			panic(err)
		}
		request := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", bytes.NewReader(lines.Bytes()))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		request.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		request.Header.Set("Mcp-Method", message.Method)
		if name := message.Params.Name + message.Params.URI; name != "" {
			request.Header.Set("Mcp-Name", name)
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		for line := range strings.Lines(answer.Body.String()) {
			if line = strings.TrimSpace(strings.TrimPrefix(line, "data: ")); strings.HasPrefix(line, "{") {
				os.Stdout.WriteString(line + "\n")
			}
		}
	}
}
`
