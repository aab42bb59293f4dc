package docs_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"

	"github.com/bowline-mcp/bowline/config"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/routes"
)

func TestThePageOnTestingShowsWhatTheAppAnswers(t *testing.T) {
	t.Parallel()
	const page = "docs/guide/testing.md"
	var call, answer string
	for _, b := range blocks(page, read(t, page)) {
		switch {
		case b.language == "sh" && strings.HasPrefix(b.text, "curl "):
			call = b.text
		case b.language == "json" && call != "" && answer == "":
			answer = strings.TrimSpace(b.text)
		}
	}
	parts := regexp.MustCompile(`(?s)^curl http://127\.0\.0\.1:8080(\S+) (.*)-d '(.*)'\n$`).FindStringSubmatch(call)
	if parts == nil || answer == "" {
		t.Fatalf("%s has no call by curl with an answer:\n%s", page, call)
	}
	request := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+parts[1], strings.NewReader(parts[3]))
	for _, header := range regexp.MustCompile(`-H '([^:]+): ([^']*)'`).FindAllStringSubmatch(parts[2], -1) {
		request.Header.Set(header[1], header[2])
	}
	authorization := config.OAuth()
	authorization.Store, authorization.Keys = "sqlite:"+filepath.Join(t.TempDir(), "oauth.db"), filepath.Join(t.TempDir(), "oauth.keys")
	app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
	routes.AI(app.Router, oauth.New(authorization))
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(app.Close)
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	if got := recorder.Body.String(); recorder.Code != http.StatusOK || got != answer {
		t.Errorf("the app answers %d\n%s\nbut %s says\n%s", recorder.Code, got, page, answer)
	}
}

// The figures of the README's comparison are those of a table of the page on performance, which
// the benchmarks print.
func TestTheReadmeHasTheFiguresOfThePageOnPerformance(t *testing.T) {
	t.Parallel()
	_, table, found := strings.Cut(read(t, "docs/performance.md"), "\n### tools/call 2026-07-28, over TCP\n")
	table, _, _ = strings.Cut(table, "\n### ")
	readme := read(t, "README.md")
	var times, allocations []string
	for _, variant := range []string{"bowline", "go-sdk", "mcp-go validated"} { // the order of the README
		row := regexp.MustCompile(`(?m)^\| ` + variant + ` \|.* \| ([\d.]+) \| \d+ \| (\d+) \|$`).FindStringSubmatch(table)
		if !found || row == nil {
			t.Fatalf("docs/performance.md has no row of %s in its table of calls over TCP:\n%s", variant, table)
		}
		times, allocations = append(times, row[1]), append(allocations, row[2])
	}
	for name, figures := range map[string][]string{"Time of a `tools/call` over TCP (2026-07-28), Bowline = 1": times, "Allocations of that call": allocations} {
		if row := "\n| " + name + " | " + strings.Join(figures, " | ") + " | "; !strings.Contains(readme, row) {
			t.Errorf("README.md lacks the row%s", row)
		}
	}
	for _, version := range []string{"go-sdk v1.8.0", "mcp-go v1.2.1"} {
		name, number, _ := strings.Cut(version, " v")
		if !strings.Contains(read(t, "docs/performance.md"), version) || !regexp.MustCompile(`\[`+name+`\]\([^)]*\) `+regexp.QuoteMeta(number)+` `).MatchString(readme) {
			t.Errorf("README.md and docs/performance.md don't compare with %s both", version)
		}
	}
}

// TestTheReadmeBeginsAnApp does what the section on an app of one's own says, in an empty
// folder. Without a shell it is skipped; with BOWLINE_CI=1 that
// is a failure.
func TestTheReadmeBeginsAnApp(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		gatetest.Missing(t, "the README's commands are for sh, and there is none: apt-get install dash, or put one on the PATH")
	}
	clone, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(read(t, "README.md"), "\n## Your own app\n")
	section, _, _ = strings.Cut(section, "\n## ")
	script := "set -e\n"
	for _, b := range blocks("README.md", section) {
		if b.language == "sh" {
			script += b.text
		}
	}
	for _, replacement := range [][2]string{
		{"git clone https://github.com/bowline-mcp/bowline ~/bowline", ":"}, // the test has a clone, and the command
		{"go install -C ~/bowline ./cmd/mcp", ":"},
		{"~/bowline", filepath.ToSlash(clone)},
		{"mcp dev", "mcp list"},
	} {
		command, instead := replacement[0], replacement[1]
		if !strings.Contains(script, command) {
			t.Fatalf("README.md does not say %q:\n%s", command, script)
		}
		script = strings.ReplaceAll(script, command, instead)
	}
	// The tests are the command too; see TestMain.
	bin, folder := t.TempDir(), t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(bin, "mcp")); err != nil {
		t.Fatal(err)
	}
	begin := exec.CommandContext(t.Context(), sh, "-c", script)
	begin.Dir = folder
	begin.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath", "GOWORK=off")
	out, err := begin.CombinedOutput()
	if err != nil || !regexp.MustCompile(`(?s)POST /mcp/shop +ShopServer +open\n.*\nShopServer +tool +echo\n +tool +weather\b`).Match(out) {
		t.Errorf("%v: the app does not list its tool:\n%s", err, out)
	}
}

// TestTheExampleOfSettingsHasEveryDefault can't run beside others: it sets the environment.
func TestTheExampleOfSettingsHasEveryDefault(t *testing.T) {
	source := read(t, "config/app.go") + read(t, "config/oauth.go")
	var names []string
	for _, match := range regexp.MustCompile(`env\.\w+\("(\w+)"`).FindAllStringSubmatch(source, -1) {
		names = append(names, match[1])
		t.Setenv(match[1], "") // to be restored after the test
		if err := os.Unsetenv(match[1]); err != nil {
			t.Fatal(err)
		}
	}
	settings := regexp.MustCompile(`(?m)^(\w+)=`).FindAllStringSubmatch(read(t, ".env.example"), -1)
	if len(names) < 20 || len(settings) < 20 {
		t.Fatalf("config reads only %d variables, or .env.example has only %d", len(names), len(settings))
	}
	want, wantOAuth := config.App(), config.OAuth()
	if err := env.Load(filepath.Join(root, ".env.example")); err != nil {
		t.Fatal(err)
	}
	got, gotOAuth := config.App(), config.OAuth()
	want.Logger, got.Logger, want.Validator, got.Validator = nil, nil, nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("with .env.example the configuration is\n%+v\nbut the defaults of config/app.go are\n%+v", got, want)
	}
	if got, want := gotOAuth, wantOAuth; got.Store != want.Store || got.Keys != want.Keys || got.PrivateKey != want.PrivateKey ||
		got.NoRegistration != want.NoRegistration || got.NoPublicClients != want.NoPublicClients ||
		!slices.Equal(got.RedirectSchemes, want.RedirectSchemes) || got.PublicAccessTime != want.PublicAccessTime {
		t.Errorf("with .env.example the authorization server has\n%+v\nbut the defaults of config/oauth.go are\n%+v", got, want)
	}
	for _, name := range names {
		if _, set := os.LookupEnv(name); !set {
			t.Errorf(".env.example lacks %s of config", name)
		}
	}
	for _, match := range settings {
		if !strings.Contains(source, `"`+match[1]+`"`) {
			t.Errorf(".env.example has %s, which config does not read", match[1])
		}
	}
}

// TestTheAuthorizationServerOfTheAppHasItsSettings can't run beside others: it sets the environment.
func TestTheAuthorizationServerOfTheAppHasItsSettings(t *testing.T) {
	for name, value := range map[string]string{
		"OAUTH_STORE": "sqlite:other.db", "OAUTH_KEYS": "other.keys", "OAUTH_REGISTRATION": "false", "OAUTH_PUBLIC_CLIENTS": "false",
		"OAUTH_REDIRECT_SCHEMES": "acme, claude", "OAUTH_PUBLIC_ACCESS_TIME": "2h",
	} {
		t.Setenv(name, value)
	}
	got := config.OAuth()
	if got.Store != "sqlite:other.db" || got.Keys != "other.keys" || !got.NoRegistration || !got.NoPublicClients ||
		!slices.Equal(got.RedirectSchemes, []string{"acme", "claude"}) || got.PublicAccessTime != 2*time.Hour {
		t.Errorf("the authorization server has\n%+v", got)
	}
	if _, err := oauth.New(got).Endpoints(""); err != nil {
		t.Error(err)
	}
	t.Setenv("OAUTH_PUBLIC_ACCESS_TIME", "48h")
	if _, err := oauth.New(config.OAuth()).Endpoints(""); err == nil || !strings.Contains(err.Error(), "Config.PublicAccessTime is 48h0m0s; set it to a time from 1m0s to 24h0m0s") {
		t.Errorf("with two days the error is %v", err)
	}
}

func TestEveryDependencyHasAReason(t *testing.T) {
	t.Parallel()
	reasons := read(t, "docs/adr/0005-dependencies.md")
	direct, _, _ := strings.Cut(read(t, "go.mod"), "// indirect")
	required := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(direct, -1)
	if len(required) < 10 {
		t.Fatalf("go.mod requires only %d modules", len(required))
	}
	for _, match := range required {
		if !strings.Contains(reasons, "| `"+match[1]+"` |") {
			t.Errorf("docs/adr/0005-dependencies.md does not say why go.mod requires %s", match[1])
		}
	}
	if listed := strings.Count(reasons, "\n| `"); listed != len(required) {
		t.Errorf("docs/adr/0005-dependencies.md has %d dependencies, go.mod %d", listed, len(required))
	}
}

func TestTheGateKnowsEveryNestedModule(t *testing.T) {
	t.Parallel()
	modules := files(t, "go.mod")
	if len(modules) < 4 {
		t.Fatalf("the walk finds only the modules %q", modules)
	}
	for _, file := range modules {
		module := regexp.MustCompile(`\b` + regexp.QuoteMeta(path.Dir(file)) + `\b`)
		for _, script := range []string{".ci/run", ".ci/lint"} {
			if file != "go.mod" && !module.MatchString(read(t, script)) {
				t.Errorf("%s does not know the module %s", script, path.Dir(file))
			}
		}
	}
}
