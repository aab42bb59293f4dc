package mcp_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// loggedVault serves the vault behind a verifier, with a log of all levels.
func loggedVault(t *testing.T, verifier auth.Verifier) (http.Handler, *logBuffer) {
	t.Helper()
	log := &logBuffer{}
	config := mcp.Config{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	return guardedRoutes(t, config, func(router *mcp.Router) { router.Web("/mcp", &vault{}).Guard(auth.Bearer(verifier)) }), log
}

// A wrong audience is the most frequent mistake, and only its cause tells how to mend it.
func TestTheCauseOfARefusalIsLoggedButNotSent(t *testing.T) {
	t.Parallel()
	verifier := &toggle{}
	handler, log := loggedVault(t, verifier)
	for name, test := range map[string]struct {
		cause error
		want  []string
		most  int // bytes of the log
	}{
		"a cause":      {errors.New(`its claim aud is "other"`), []string{`cause="its claim aud is \"other\""`}, 1000},
		"no cause":     {nil, nil, 1000},
		"a long cause": {errors.New("its claim aud is " + strings.Repeat("other", 2000)), []string{`cause="its claim aud is otherother`}, 3000},
	} {
		log.Reset()
		verifier.fail(&auth.TokenError{Reason: "The access token is not meant for this resource", Err: test.cause})
		w := knock{token: "ana-token", body: modernCall(`1`, "read", `{}`)}.send(t, handler)
		want := append(test.want, "level=WARN", `reason="Unauthorized: The access token is not meant for this resource"`, "status=401 http=POST path=/mcp")
		if got := log.String(); log.count(want...) != 1 || strings.Contains(got, "cause=") != (test.cause != nil) || strings.Contains(got, "ana-token") || len(got) > test.most {
			t.Errorf("%s: the log has %d bytes\n%swant one line with %q", name, len(got), got, want)
		}
		if answer := w.Body.String() + w.Header().Get("WWW-Authenticate"); strings.Contains(answer, "claim") {
			t.Errorf("%s: the client reads %s", name, answer)
		}
	}
}

// A client begins without a token, so this says nothing about the server.
func TestARequestWithoutATokenIsLoggedForDebugging(t *testing.T) {
	t.Parallel()
	handler, log := loggedVault(t, tokens())
	knock{}.send(t, handler)
	if log.count("level=DEBUG", "status=401", "send an access token") != 1 || log.count("level=WARN") != 0 {
		t.Errorf("without a token the log has\n%s", log)
	}
	log.Reset()
	knock{token: "nobody"}.send(t, handler)
	if log.count("level=WARN", "status=401", "The access token is not known") != 1 || strings.Contains(log.String(), "nobody") {
		t.Errorf("with an unknown token the log has\n%s", log)
	}
}

func TestAGuardThatIsAddedTooLateIsAWarning(t *testing.T) {
	t.Parallel()
	var log logbook
	app := mcp.New(mcp.Config{Logger: log.logger()})
	route, group := app.Router.Web("/mcp", &gateServer{}), app.Router.Group("/v1")
	if _, err := app.Handler(); err != nil {
		t.Fatal(err)
	}
	route.Guard(auth.Bearer(tokens()))
	group.Guard(auth.Bearer(tokens()))
	const late = "a web route, guard, middleware or component was added after the handler was built, so it has no effect; add it before App.Handler or serve"
	for _, want := range []string{late + `" path=/mcp`, late + `" of="the group \"/v1\""`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log.String())
		}
	}
}

// Clients look for the metadata of a server at several paths, whether it needs a login or not.
func TestAProbeOfMetadataIsLoggedForDebugging(t *testing.T) {
	t.Parallel()
	log := &logBuffer{}
	handler := wireHandler(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, newWireServer())
	for path, level := range map[string]string{
		"/.well-known/oauth-protected-resource/mcp": "DEBUG", "/.well-known/oauth-authorization-server": "DEBUG", "/.well-known/openid-configuration": "DEBUG",
		"/mcpp": "WARN",
	} {
		log.Reset()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+path, nil))
		if w.Code != http.StatusNotFound || log.count("level="+level, "status=404", "path="+path) != 1 || log.count("level=") != 1 {
			t.Errorf("%s: %d, the log has\n%s", path, w.Code, log)
		}
	}
}
