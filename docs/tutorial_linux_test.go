package docs_test

import (
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/test/dockertest"
)

// The commands of the tutorial work in their order, with the files that its pages show. At the end the program runs as a service behind
// nginx with TLS, where two users log in and see only their own notes. Stand-ins act for systemd, as in TestThePagesOfDeploymentWork.
func TestTheTutorialWorks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it compiles the framework; to run it: go test, without -short")
	}
	r := &tutorialReader{serverMachine: newServerMachine(t, "notes", t.TempDir())}
	self, err := os.Readlink(filepath.Join(r.bin, "mcp"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(r.bin, "login")); err != nil {
		t.Fatal(err)
	}
	for _, chapter := range chapters {
		if !t.Run(chapter, func(t *testing.T) { r.follows(t, "docs/guide/"+chapter+".md") }) {
			return
		}
	}
}

// A tutorialReader does what the tutorial says on a serverMachine, which is the reader's computer too.
type tutorialReader struct {
	*serverMachine
	functions string // that commands of a page have defined in the shell
}

// follows does what a page says.
func (r *tutorialReader) follows(t *testing.T, page string) {
	all, isServer := blocks(page, read(t, page)), strings.HasSuffix(page, "deployment.md")
	if isServer {
		r.needs(t)
		dockertest.Require(t, "nginx", "nginx-light")
		r.installUnit(t)
	}
	for _, b := range all {
		path, text := b.tutorialFile()
		switch {
		case path != "":
			write(t, filepath.Join(r.app, filepath.FromSlash(path)), text)
		case b.language == "sh":
			r.runs(t, b.text)
		case b.language == "console":
			r.sees(t, b)
		case b.language == "nginx":
			r.trusts(t, r.proxy(t, map[string][]block{"": all}))
			r.areTwoUsers(t)
		}
	}
	if isServer {
		r.hasTheResult(t)
	}
}

// runs runs commands in the shell of the reader, and returns what they write to stdout.
func (r *tutorialReader) runs(t *testing.T, script string) string {
	t.Helper()
	folder := filepath.Join(r.root, "folder")
	commands := regexp.MustCompile(`(?m)^(\w+) user:create (\S+)$`).ReplaceAllString(r.below(script), "echo 'correct horse' | $1 user:create $2 --password-stdin")
	commands = strings.ReplaceAll(commands, "~/bowline", r.module)
	stdout := r.sh(t, r.functions+commands+"\npwd >"+folder+"\n")
	r.functions += strings.Join(regexp.MustCompile(`(?ms)^\w+\(\) \{$.*?^\}\n`).FindAllString(commands, -1), "")
	now, err := os.ReadFile(folder)
	if err != nil {
		t.Fatal(err)
	}
	r.app = strings.TrimSuffix(string(now), "\n")
	return stdout
}

// sees runs the commands of a session, and compares what they write with the page, which shows JSON as on a terminal.
func (r *tutorialReader) sees(t *testing.T, b block) {
	t.Helper()
	for _, session := range strings.Split("\n"+b.text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(session, "\n")
		if got := r.runs(t, command); strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(want), "") {
			t.Errorf("%s:%d: %s writes\n%s\nbut the page shows\n%s", b.document, b.line, command, got, want)
		}
	}
}

// trusts lets all further commands reach the host of nginx, and trust its certificate.
func (r *tutorialReader) trusts(t *testing.T, nginx *tlsProxy) {
	t.Helper()
	way := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		to, err := nginx.dial(request.Context())
		if err != nil || request.Host != nginx.host+":443" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		go pass(from, to)
		go pass(to, from)
	}))
	t.Cleanup(way.Close)
	r.settings = append(r.settings, "HTTPS_PROXY="+way.URL, "SSL_CERT_FILE="+filepath.Join(nginx.folder, nginx.host+".pem"))
}

// pass passes bytes on until one of the connections ends.
func pass(from, to net.Conn) {
	_, _ = io.Copy(to, from)
	_, _ = to.Close(), from.Close()
}

// areTwoUsers logs two users in, each with a client of their own.
func (r *tutorialReader) areTwoUsers(t *testing.T) {
	t.Helper()
	const route = "https://notes.example.com/mcp/notes"
	for user, title := range map[string]string{"ana": "Splices", "bo": "Sails"} {
		r.runs(t, "login "+route+" "+user+"@example.com >"+user+".token")
		r.runs(t, "mcp call "+route+" add-note title="+title+" text=Text. --token-stdin <"+user+".token")
	}
	for user, others := range map[string]string{"ana": "Sails", "bo": "Splices"} {
		listed := r.runs(t, "mcp call "+route+" list-notes --token-stdin <"+user+".token")
		if strings.Contains(listed, others) || strings.Count(listed, `"id"`) != 1 {
			t.Errorf("%s sees %s", user, listed)
		}
	}
}

// hasTheResult checks what a reader has at the end.
func (r *tutorialReader) hasTheResult(t *testing.T) {
	t.Helper()
	r.serves(t, r.service)
	if listed := r.runs(t, "mcp call https://notes.example.com/mcp/notes list-notes --token-stdin <token.txt"); !strings.Contains(listed, "Knots") || strings.Contains(listed, "Sails") {
		t.Errorf("after the upgrade, ana sees %s", listed)
	}
	for _, file := range []string{"notes.db", "oauth.db", "oauth.keys", "notes.env"} {
		if found, err := filepath.Glob(filepath.Join(r.root, "var", "backups", "notes", "*", file)); err != nil || len(found) != 1 {
			t.Errorf("the backup has the files %v for %s, %v", found, file, err)
		}
	}
	err := filepath.WalkDir(r.app, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		path, err := filepath.Rel(r.app, file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		sameAsExample(t, filepath.ToSlash(path), string(text))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
