package docs_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// operated is a program whose users the commands of a page manage.
type operated struct {
	app    *mcp.App
	route  string            // the URL of its guarded route
	actual map[string]string // the IDs that the program made, by those that the page shows
}

// TestThePageOnUsersShowsWhatItsCommandsPrint runs the commands of the page in their order.
func TestThePageOnUsersShowsWhatItsCommandsPrint(t *testing.T) {
	t.Parallel()
	program, ran := newOperated(t), 0
	for _, b := range blocks("docs/guide/users.md", read(t, "docs/guide/users.md")) {
		for _, session := range strings.Split("\n"+b.text, "\n$ mcp ")[1:] {
			command, want, _ := strings.Cut(session, "\n")
			if strings.HasPrefix(command, "user:list") {
				program.logIn(t)
				program.logIn(t)
			}
			program.shows(t, strings.Fields(command), strings.TrimPrefix(want, "Password:\nAgain:\n"))
			ran++
		}
	}
	if ran < 12 {
		t.Errorf("the page has only %d commands", ran)
	}
}

func newOperated(t *testing.T) *operated {
	t.Helper()
	web, folder := httptest.NewUnstartedServer(nil), t.TempDir()
	users := oauth.New(oauth.Config{
		Authenticator: login.Password(), Store: "sqlite:" + filepath.Join(folder, "oauth.db"),
		Drivers: []store.Driver{sqlite.Driver()}, Keys: filepath.Join(folder, "oauth.keys"),
	})
	app := mcp.New(mcp.Config{Addr: web.Listener.Addr().String(), Logger: slog.New(slog.DiscardHandler)})
	app.Router.Component(users)
	app.Router.Web("/mcp", servers.New(servers.Definition{Name: "team", Version: "1.0.0"})).Guard(users.Guard("mcp:use"))
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = handler
	web.Start()
	t.Cleanup(func() { web.Close(); app.Close() })
	return &operated{app: app, route: web.URL + "/mcp", actual: map[string]string{}}
}

const usersPassword = "correct horse"

// logIn lets Ana log in from another client.
func (o *operated) logIn(t *testing.T) {
	t.Helper()
	authtest.Login(t, o.route, url.Values{"name": {"ana@example.com"}, "password": {usersPassword}}, url.Values{"decision": {"approve"}, "scope": {"mcp:use"}})
}

// shows runs a command, and compares its output with the page's.
func (o *operated) shows(t *testing.T, command []string, want string) {
	t.Helper()
	for i, word := range command {
		if id, ok := o.actual[word]; ok {
			command[i] = id
		}
	}
	if strings.HasSuffix(command[0], ":revoke") {
		command = slices.Insert(command, 1, "--") // the ID may begin with a hyphen
	}
	stdin := io.Reader(strings.NewReader(""))
	if command[0] == "user:create" || command[0] == "user:password" { // the page shows them on a terminal
		command, stdin = append(command, "--password-stdin"), strings.NewReader(usersPassword+"\n")
	}
	var stdout, stderr bytes.Buffer
	if code := o.app.Run(t.Context(), command, stdin, &stdout, &stderr); code != 0 {
		t.Fatalf("%q ends with %d: %s", command, code, stderr.String())
	}
	got := strings.ReplaceAll(stdout.String(), "authtest", "Claude Code") // the name of the client
	wanted, words := strings.Fields(want), strings.Fields(got)
	if len(wanted) != len(words) {
		t.Fatalf("%q prints\n%s\nbut the page shows\n%s", command, got, want)
	}
	for i, word := range words {
		shown := strings.TrimRight(wanted[i], ".")
		word = strings.TrimRight(word, ".")
		if kindOf(shown) != kindOf(word) || kindOf(shown) == "" && shown != word {
			t.Errorf("%q prints %q where the page shows %q:\n%s", command, word, shown, got)
		}
		if _, known := o.actual[shown]; kindOf(shown) == "id" && !known {
			o.actual[shown] = word
		}
	}
}

// kindOf returns which kind of changing text a word is, or "" if it is always the same.
func kindOf(word string) string {
	for kind, pattern := range map[string]string{
		"date": `^\d{4}-\d\d-\d\d$`, "time": `^\d\d:\d\d$`, "token": `^bowline_pat_[\w-]{43}$`, "id": `^[A-Z2-7]{26}$|^[\w-]{22}$|^dcr_[A-Z2-7]{52}$`,
	} {
		if regexp.MustCompile(pattern).MatchString(word) {
			return kind
		}
	}
	return ""
}
