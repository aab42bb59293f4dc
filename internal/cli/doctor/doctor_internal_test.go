package doctor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/finding"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/internal/test/machinetest"
)

// These tests have what is slow or not at hand in the scripts of cmd/mcp: apps with an empty
// framework, a program that never ends, and programs that listen at the app's address.

func TestMain(m *testing.M) { os.Exit(machinetest.Machine{}.Run(m)) }

const goMod = "module demo\n\ngo 1.26\n\nrequire github.com/bowline-mcp/bowline v0.0.0\n\nreplace github.com/bowline-mcp/bowline => ./bowline\n"

// newDoctor returns the doctor of an app with an empty framework and the given files. Its log
// has the messages of builds.
func newDoctor(t *testing.T, main string, files map[string]string) *Doctor {
	t.Helper()
	root := t.TempDir()
	all := map[string]string{
		"go.mod": goMod, "bowline/go.mod": "module github.com/bowline-mcp/bowline\n", "bowline/framework/mcp/mcp.go": "package mcp\n",
		"main.go": "package main\n\nimport (\n\t. \"fmt\"\n\t\"os\"\n\t\"time\"\n\n\t_ \"github.com/bowline-mcp/bowline/framework/mcp\"\n)\n\n" +
			"var _, _, _ = Println, os.Exit, time.Sleep\n\nfunc main() {\n" + main + "\n}\n",
	}
	for name, content := range files {
		all[name] = content
	}
	for name, content := range all {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	app, err := scaffold.FindApp(root)
	if err != nil {
		t.Fatal(err)
	}
	return &Doctor{App: app, Version: "v0.2.0", Log: io.Discard}
}

// about returns the finding about a subject.
func about(t *testing.T, findings []finding.Finding, subject string) finding.Finding {
	t.Helper()
	i := slices.IndexFunc(findings, func(f finding.Finding) bool { return f.Subject == subject })
	if i < 0 {
		t.Fatalf("nothing is found about %s: %+v", subject, findings)
	}
	return findings[i]
}

func TestEveryFindingThatMattersIsOneLineWithAFix(t *testing.T) {
	const entry = `{"mcpServers": {"a": {"command": "/nowhere/mcp", "args": ["start", "demo"]}, "b": {"command": "mcp", "args": ["dev", "demo", "--dir", "/nowhere/app"]}}}`
	for name, test := range map[string]struct {
		main    string
		files   map[string]string
		examine func(*Doctor, context.Context) []finding.Finding // or all that the doctor does
		want    []string
	}{
		"it does not compile":      {main: "missing()", examine: (*Doctor).program, want: []string{"✗ app       the app does not build; correct what the go command says above\n"}},
		"it has no framework":      {files: map[string]string{"main.go": "package main\n\nfunc main() {}\n"}, examine: (*Doctor).program, want: []string{"✗ app       the program never runs an app: "}},
		"it does not start":        {main: `_, _ = Fprintln(os.Stderr, "mcp: one; mend it\nmcp: two"); os.Exit(1)`, examine: (*Doctor).program, want: []string{"✗ app       the app doesn't start: one; mend it; mcp list shows all mistakes\n"}},
		"it prints something else": {main: `Println("hello")`, examine: (*Doctor).program, want: []string{"✗ app       the app prints no list: "}},
		"go.mod is wrong": {files: map[string]string{"go.mod": "module demo\n\ngo 1.26\n\nrequire x\nrequire y\n"}, want: []string{
			"✗ Go        errors parsing go.mod: go.mod:5: usage: require module/path v1.2.3: go.mod:6: usage: require module/path v1.2.3; correct that file\n",
			"✗ app       the app does not build"}},
		"go.mod needs a newer Go": {files: map[string]string{"go.mod": "module demo\n\ngo 1.999\n"}, examine: (*Doctor).golang, want: []string{"✗ Go        go.mod requires go >= 1.999 (running go 1."}},
		"the folder vendor is out of date": {files: map[string]string{"vendor/modules.txt": "# github.com/bowline-mcp/bowline v0.0.0 => ./elsewhere\n"}, want: []string{
			"✗ Go        the folder vendor lacks a package that the app imports, or doesn't fit go.mod; run: go mod vendor\n",
			"✗ app       the folder vendor lacks a package that the app imports, or doesn't fit go.mod; run: go mod vendor\n"}},
		"the folder vendor lacks a package": {
			files: map[string]string{"vendor/modules.txt": "# github.com/bowline-mcp/bowline v0.0.0 => ./bowline\n## explicit\n# github.com/bowline-mcp/bowline => ./bowline\n"}, examine: (*Doctor).program,
			want: []string{"✗ app       the folder vendor lacks a package that the app imports, or doesn't fit go.mod; run: go mod vendor\n"}},
		"it is below a go.work": {files: map[string]string{"go.work": "go 1.26\n\nuse ./bowline\n"}, examine: (*Doctor).golang, want: []string{
			"✗ Go        ROOT/go.work applies to the app and doesn't list it; run: go work use .\n"}},
		"it does not start, with a question": {main: `_, _ = Fprintln(os.Stderr, "mcp: one; did you mean two?"); os.Exit(1)`, examine: (*Doctor).program, want: []string{
			"✗ app       the app doesn't start: one; did you mean two? mcp list shows all mistakes\n"}},
		"the framework is not in go.mod": {files: map[string]string{"go.mod": "module demo\n\ngo 1.26\n"}, examine: (*Doctor).versions, want: []string{"✗ versions  go.mod doesn't require github.com/bowline-mcp/bowline; run: go get "}},
		".env is wrong": {files: map[string]string{".env": "A=1\nB", ".env.example": "AA=1\n"}, examine: (*Doctor).settings, want: []string{
			"✗ .env      .env:2: a line must be NAME=value; correct the line\n"}},
		".env has a mistake": {files: map[string]string{".env": "APP_NAEM=1\nAPP_KEY=short\n", ".env.example": "APP_NAME=1\nAPP_KEY=\n"}, examine: (*Doctor).settings, want: []string{
			"! .env      line 1 sets APP_NAEM, which .env.example doesn't have; did you mean APP_NAME? Otherwise remove it, or add it to .env.example\n",
			"✗ APP_KEY   a key has less than 16 characters; set it in .env to what this prints: openssl rand -hex 32\n"}},
		"there is no .env": {files: map[string]string{".env.example": "APP_KEY=\n"}, examine: (*Doctor).settings, want: []string{
			"! .env      there is none, so the app uses the environment and the defaults; copy .env.example to .env\n",
			"! APP_KEY   it is empty, so cursors, calls that wait for an answer and sessions of older clients end with the process; set it in .env"}},
		"entries of clients": {files: map[string]string{".mcp.json": entry}, examine: (*Doctor).entries, want: []string{
			"✗ clients   Claude Code can't start a, since the program /nowhere/mcp doesn't exist", "✗ clients   Claude Code can't start b, since the folder /nowhere/app doesn't exist"}},
		"open routes": {main: `Println("{\"web\": [{\"url\": \"https://kb.example.com/mcp/kb\", \"access\": \"open\"}, {\"url\": \"https://kb.example.com/mcp/a\", \"access\": \"guarded\"}, {\"url\": \"https://kb.example.com/mcp/b\", \"access\": \"public\"}]}")`, examine: (*Doctor).program,
			want: []string{"✓ app       builds, with 3 web and 0 local routes\n! routes    https://kb.example.com/mcp/kb is open: everybody who can reach the app can use the server; add a guard to the route, or Public() if that is meant\n"}},
		"open routes on a loopback address": {main: `Println("{\"loopback\": true, \"web\": [{\"url\": \"http://127.0.0.1:8080/mcp/kb\", \"access\": \"open\"}]}")`, examine: (*Doctor).program,
			want: []string{"✓ app       builds, with 1 web and 0 local routes\n✓ address"}},
		"a type in no server": {main: `_, _ = Fprintln(os.Stderr, "mcp: a.go: the tool A is in no server; add it"); Println("{}")`, examine: (*Doctor).program, want: []string{"! types     a.go: the tool A is in no server; add it\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doctor := newDoctor(t, test.main, test.files)
			var lines bytes.Buffer
			findings := doctor.Findings(t.Context())
			if test.examine != nil {
				findings = slices.Values(test.examine(doctor, t.Context()))
			}
			for found := range findings {
				line := found.Line(false)
				lines.WriteString(line)
				if strings.Count(line, "\n") != 1 || found.Level != finding.LevelOK && (found.Fix == "" || !strings.HasSuffix(line, "; "+found.Fix+"\n") && !strings.HasSuffix(line, "? "+found.Fix+"\n")) {
					t.Errorf("%q isn't one line that ends with what to do", line)
				}
			}
			for _, want := range test.want {
				want = strings.ReplaceAll(want, "ROOT", doctor.App.Root)
				if !strings.Contains("\n"+lines.String(), "\n"+want) {
					t.Errorf("the findings are\n%s\nwant %s", &lines, want)
				}
			}
		})
	}
}

func TestTheGoCommandThatTheLauncherFindsIsEnough(t *testing.T) {
	doctor := newDoctor(t, `Println("{}")`, nil)
	if _, err := launcher.Program(t.Context(), doctor.App.Root, io.Discard); err != nil { // the cache then knows the go command
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	findings := slices.Concat(doctor.golang(t.Context()), doctor.versions(t.Context()), doctor.program(t.Context()))
	found := about(t, findings, "Go")
	if found.Level != finding.LevelHint || !strings.Contains(found.What, ", which mcp uses, is not on the PATH") || !strings.HasSuffix(found.Fix, " to it") {
		t.Errorf("found %+v", found)
	}
	if app, versions := about(t, findings, "app"), about(t, findings, "versions"); app.Level != finding.LevelOK || versions.Level != finding.LevelOK {
		t.Errorf("found %+v, %+v", versions, app)
	}
}

func TestAnAppThatNeverEndsIsBroken(t *testing.T) {
	doctor := newDoctor(t, "time.Sleep(10*time.Minute)", nil)
	if _, err := launcher.Program(t.Context(), doctor.App.Root, io.Discard); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	want := finding.Broken("app", "the app doesn't print its list in time", "its main must return App.Main's exit code, and print nothing to stdout")
	if found := doctor.program(ctx); !slices.Equal(found, []finding.Finding{want}) {
		t.Errorf("found %+v", found)
	}
}

func TestAProgramAtTheAddressIsFound(t *testing.T) {
	t.Parallel()
	answers := func(status int) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	for _, test := range []struct {
		address string
		level   finding.Level
		what    string
	}{
		{answers(http.StatusOK), finding.LevelHint, " serves at "},
		{answers(http.StatusNotFound), finding.LevelBroken, " listens at "},
		{silent.Addr().String(), finding.LevelBroken, " listens at "},
	} {
		found := listening(t.Context(), test.address)
		if found.Level != test.level || !strings.Contains(found.What, test.what+test.address+" already") || !strings.Contains(found.Fix, "set APP_ADDR to another address") {
			t.Errorf("%s: found %+v", test.address, found)
		}
		if runtime.GOOS == "linux" && !strings.Contains(found.What, fmt.Sprintf("(process %d)", os.Getpid())) {
			t.Errorf("%q doesn't name this program", found.What)
		}
	}
	if found := listening(t.Context(), "127.0.0.1:70000"); found.Level != finding.LevelBroken || found.Fix == "" {
		t.Errorf("an invalid port: found %+v", found)
	}
	if found := listening(t.Context(), "127.0.0.1:0"); found.Level != finding.LevelOK {
		t.Errorf("a free port: found %+v", found)
	}
}

func TestAnotherVersionOfTheFrameworkIsAHint(t *testing.T) {
	proxy := t.TempDir()
	folder := filepath.Join(proxy, "github.com", "bowline-mcp", "bowline", "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"v0.1.3.mod": "module github.com/bowline-mcp/bowline\n", "v0.1.3.info": `{"Version":"v0.1.3"}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	doctor := newDoctor(t, "", map[string]string{"go.mod": "module demo\n\ngo 1.26\n\nrequire github.com/bowline-mcp/bowline v0.1.3\n"})
	for name, value := range map[string]string{
		"GOPROXY": "file://" + filepath.ToSlash(proxy), "GOSUMDB": "off", "GOFLAGS": "-mod=mod -modcacherw", "GOMODCACHE": t.TempDir(), "GOWORK": "off",
	} {
		t.Setenv(name, value)
	}
	want := finding.Hint("versions", "mcp is v0.2.0, but go.mod has the framework at v0.1.3", "use the same: go install github.com/bowline-mcp/bowline/cmd/mcp@v0.1.3")
	if found := doctor.versions(t.Context()); !slices.Equal(found, []finding.Finding{want}) {
		t.Errorf("found %+v", found)
	}
	doctor.Version = "v0.1.0"
	if found := about(t, doctor.versions(t.Context()), "versions"); found.Level != finding.LevelOK {
		t.Errorf("another patch: found %+v", found)
	}
}

func TestWhatClientsRefuseIsAHintForEachServer(t *testing.T) {
	t.Parallel()
	doctor := newDoctor(t, `Println(`+"`"+`{"address":"127.0.0.1:0","local":[{"handle":"demo","refusals":[
		{"rule":"array-without-items","tool":"a","at":"/x","problem":"an array has no items","fix":"say what they are","refusedBy":[{"client":"Gemini API","loses":"list"},{"client":"VS Code","loses":"tool"}]},
		{"rule":"tools-over-80","problem":"there are 81 tools","fix":"split","refusedBy":[{"client":"Cursor","loses":"tool"}]},
		{"rule":"array-without-items","tool":"b","at":"/y","problem":"an array has no items","fix":"say what they are","refusedBy":[{"client":"Gemini API","loses":"list"},{"client":"VS Code","loses":"tool"}]}]}],
		"web":[{"path":"/mcp/demo","refusals":[{"rule":"tools-over-80","problem":"there are 81 tools","fix":"split","refusedBy":[{"client":"Cursor","loses":"tool"}]}]},
		{"path":"/mcp/other","refusals":[{"rule":"x","tool":"c","problem":"p","fix":"f","refusedBy":[{"client":"New","loses":"everything"}]}]}]}`+"`"+`)`, nil)
	want := []finding.Finding{
		finding.Hint("tools", "demo: a, b: an array has no items, refused by Gemini API (the whole list), VS Code (the tool)", "say what they are"),
		finding.Hint("tools", "demo: there are 81 tools, refused by Cursor (the tool)", "split"),
		finding.Hint("tools", "/mcp/other: c: p, refused by New (quality)", "f"),
	}
	found := slices.DeleteFunc(doctor.program(t.Context()), func(f finding.Finding) bool { return f.Subject != "tools" })
	if !slices.Equal(found, want) {
		t.Errorf("found %+v", found)
	}
}
