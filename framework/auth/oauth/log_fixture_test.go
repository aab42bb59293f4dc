package oauth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/memory"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
	"github.com/bowline-mcp/bowline/internal/test/pipetest"
)

// A watched program has an authorization server whose log lines and events a test reads.
type watched struct {
	app     *mcp.App
	client  *http.Client
	store   *failing
	log     *buffertest.Buffer // JSON
	heard   []heard            // since the last step
	golden  bytes.Buffer
	masks   []mask
	secrets []string
}

// heard is an event.
type heard struct{ text, request string }

const watchedURL = "http://127.0.0.1:8080"

// A failing store fails while it is down. Close doesn't close it, so that commands share it.
type failing struct {
	store.Store
	down bool
}

func (f *failing) Close() error { return nil }

func (f *failing) Client(ctx context.Context, id string) (store.Client, error) {
	if f.down {
		return store.Client{}, errors.New("the disk is full")
	}
	return f.Store.Client(ctx, id)
}

// watch serves a program in a bubble of testing/synctest.
func watch(t *testing.T, authenticator oauth.Authenticator) *watched {
	t.Helper()
	w := &watched{store: &failing{Store: memory.New()}, log: &buffertest.Buffer{}}
	shared := store.Driver{Schemes: []string{"shared"}, Open: func(context.Context, string) (store.Store, error) { return w.store, nil }}
	server := oauth.New(oauth.Config{
		Authenticator: authenticator, Store: "shared:", Drivers: []store.Driver{shared}, Keys: filepath.Join(t.TempDir(), "oauth.keys"),
		Scopes: map[string]string{"mcp:use": "Use the tools", "files:write": "Change files"},
	})
	options := &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	w.app = mcp.New(mcp.Config{Addr: "127.0.0.1:8080", Logger: slog.New(slog.NewJSONHandler(w.log, options))})
	w.app.Router.Component(server)
	w.app.Router.Web("office", &office{}).Guard(server.Guard("mcp:use"))
	listen(w, func(e events.LoggedIn) string { return e.RequestID })
	listen(w, func(e events.LoginFailed) string { return e.RequestID })
	listen(w, func(e events.LockedOut) string { return e.RequestID })
	listen(w, func(e events.LoggedOut) string { return e.RequestID })
	listen(w, func(e events.Consented) string { return e.RequestID })
	listen(w, func(e events.ConsentDenied) string { return e.RequestID })
	listen(w, func(e events.GrantIssued) string { return e.RequestID })
	listen(w, func(e events.GrantRevoked) string { return e.RequestID })
	listen(w, func(e events.RefreshTokenReused) string { return e.RequestID })
	listen(w, func(e events.CodeReused) string { return e.RequestID })
	listen(w, func(e events.UserChanged) string { return e.RequestID })
	handler, err := w.app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.app.Close)
	w.client = pipetest.Serve(t, &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}).Client(t)
	return w
}

// listen records the events of a type.
func listen[E events.Event](w *watched, request func(E) string) {
	events.Listen(w.app.Events, func(_ context.Context, event E) {
		w.heard = append(w.heard, heard{fmt.Sprintf("%T %+v", event, event), request(event)})
	})
}

// A mask replaces a value that differs between two runs.
type mask struct {
	pattern *regexp.Regexp
	with    string
}

var masks = []mask{
	{regexp.MustCompile(`"request":"[0-9a-f]{8}"`), `"request":"8f3a12c7"`},
	{regexp.MustCompile(`RequestID:[0-9a-f]{8}`), `RequestID:8f3a12c7`},
	{regexp.MustCompile(`"grant":"[\w-]{22}"`), `"grant":"GRANT"`},
	{regexp.MustCompile(`Grant:[\w-]{22}`), `Grant:GRANT`},
	{regexp.MustCompile(`dcr_[A-Z2-7]{52}`), `dcr_ID`},
	{regexp.MustCompile(`User:[A-Z2-7]{26}`), `User:USER`},
}

// step does something, and adds its lines and events to the golden file. Each line has the ID of
// the request and the principal, and no member twice; each event of a request has the ID of a line.
func (w *watched) step(t *testing.T, title string, do func()) {
	t.Helper()
	w.log.Reset()
	w.heard = nil
	do()
	log := w.log.String()
	text := "# " + title + "\n" + log
	for line := range strings.Lines(log) {
		members := membersOf(t, line)
		if !regexp.MustCompile(`^"[0-9a-f]{8}"$`).MatchString(members["request"]) || len(members["principal"]) < 3 {
			t.Errorf("%s: the line has no request or no principal: %s", title, line)
		}
	}
	for _, event := range w.heard {
		if event.request != "" && !strings.Contains(log, `"request":"`+event.request+`"`) {
			t.Errorf("%s: no line belongs to the event %s", title, event.text)
		}
		text += event.text + "\n"
	}
	for _, secret := range w.secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s: the log or an event has the secret %q:\n%s", title, secret, text)
		}
	}
	for _, mask := range append(masks, w.masks...) {
		text = mask.pattern.ReplaceAllString(text, mask.with)
	}
	w.golden.WriteString(text + "\n")
}

// membersOf returns the members of a line, each of which may occur once.
func membersOf(t *testing.T, line string) map[string]string {
	t.Helper()
	members, decoder := map[string]string{}, json.NewDecoder(strings.NewReader(line))
	if _, err := decoder.Token(); err != nil {
		t.Fatal(err)
	}
	for decoder.More() {
		var value json.RawMessage
		name, err := decoder.Token()
		if err == nil {
			err = decoder.Decode(&value)
		}
		if err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		key, _ := name.(string)
		if _, twice := members[key]; twice {
			t.Errorf("the line has %q twice: %s", key, line)
		}
		members[key] = string(value)
	}
	return members
}

// browser returns a new browser.
func (w *watched) browser() *webBrowser {
	return newWebBrowser(watchedURL, func() *http.Client { return w.client })
}

// request returns the URL of an authorization request.
func (w *watched) request(client, redirectURI string) string {
	return watchedURL + "/oauth/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {redirectURI}, "state": {"s"}, "scope": {"mcp:use files:write"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}.Encode()
}

// code returns a code for a client, to which a user gives access.
func (w *watched) code(t *testing.T, b *webBrowser, client, user string) string {
	t.Helper()
	answer, err := b.authorize(t.Context(), w.request(client, callback), user, "mcp:use")
	if err != nil || answer.Get("code") == "" {
		t.Fatalf("the client is answered with %v, %v", answer, err)
	}
	w.secrets = append(w.secrets, answer.Get("code"))
	program, _ := url.Parse(watchedURL) // is valid
	for _, cookie := range b.jar.Cookies(program) {
		w.secrets = append(w.secrets, cookie.Value)
	}
	return answer.Get("code")
}

// post sends a form to an endpoint, and returns the tokens of the answer.
func (w *watched) post(t *testing.T, path string, form url.Values) (status int, found tokens, body string) {
	t.Helper()
	answer, text := do(t, w.client, http.MethodPost, watchedURL+path, "application/x-www-form-urlencoded", form.Encode())
	_ = json.Unmarshal([]byte(text), &found)
	for _, token := range []string{found.Access, found.Refresh} {
		if token != "" {
			w.secrets = append(w.secrets, token)
		}
	}
	return answer.StatusCode, found, text
}

// redeem exchanges a code of a public client.
func (w *watched) redeem(t *testing.T, client, code, verifier string) (status int, found tokens) {
	t.Helper()
	status, found, _ = w.post(t, "/oauth/token", url.Values{"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code}, "code_verifier": {verifier}})
	return status, found
}

// refresh exchanges a refresh token of a public client.
func (w *watched) refresh(t *testing.T, client, token string) (status int) {
	t.Helper()
	status, _, _ = w.post(t, "/oauth/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token}})
	return status
}

// runs runs a command of the program.
func (w *watched) runs(t *testing.T, args ...string) string {
	t.Helper()
	var out, problems bytes.Buffer
	if code := w.app.Run(t.Context(), args, strings.NewReader("correct horse battery\n"), &out, &problems); code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, code, problems.String())
	}
	return out.String()
}
