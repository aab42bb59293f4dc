package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/events"
)

// start runs the program until the test ends, and returns its address.
func start(t *testing.T, issuer *authtest.Issuer) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // the URL of a route needs a port that is known before
	if err != nil {
		t.Fatal(err)
	}
	address = listener.Addr().String()
	_ = listener.Close()
	app := newApp(address, issuer, slog.New(slog.NewTextHandler(t.Output(), nil)))
	started := make(chan struct{})
	events.Listen(app.Events, func(context.Context, events.Started) { close(started) })
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() { ended <- app.Run(ctx, []string{"serve"}, strings.NewReader(""), io.Discard, t.Output()) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	select {
	case <-started:
	case code := <-ended:
		ended <- code
		t.Fatalf("the program ends with %d", code)
	}
	return address
}

// The commands that the program prints list the notes, fail to add one without the scope,
// and add one with it.
func TestThePrintedCommandsWork(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"sh", "curl", "sed"} {
		if _, err := exec.LookPath(command); err != nil {
			t.Skipf("the test needs the command %s", command)
		}
	}
	issuer := authtest.For(t, authtest.Keycloak)
	var script bytes.Buffer
	explain(&script, "http://"+start(t, issuer)+"/mcp/notes", issuer)
	out, err := exec.Command("sh", "-c", "set -e; "+script.String()).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rest := string(out)
	for _, want := range []string{
		`{"notes":[]}`,
		"Insufficient scope: the operation needs notes:write; the token has notes:read",
		" added the note.",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("the commands don't print %q:\n%s", want, out)
		}
		rest = after
	}
}

func TestATokenForAnotherResourceIsRefused(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.Keycloak)
	address := start(t, issuer)
	for resource, want := range map[string]int{
		"http://" + address + "/mcp/notes":   http.StatusBadRequest, // the body is no message
		"http://" + address + "/mcp/notes/2": http.StatusUnauthorized,
		"http://" + address + "/mcp":         http.StatusUnauthorized,
		"https://example.com/mcp/notes":      http.StatusUnauthorized,
	} {
		request, err := http.NewRequest(http.MethodPost, "http://"+address+"/mcp/notes", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+issuer.Token(resource, authtest.Scopes("notes:read")))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("a token for %s: status %d, not %d", resource, response.StatusCode, want)
		}
	}
}

func TestAClientFindsTheIssuerByTheRoute(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.Keycloak)
	address := start(t, issuer)
	response, err := http.Get("http://" + address + "/mcp/notes")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	challenge := response.Header.Get("WWW-Authenticate")
	_, rest, _ := strings.Cut(challenge, `resource_metadata="`)
	metadata, _, _ := strings.Cut(rest, `"`)
	if _, err := url.Parse(metadata); err != nil || response.StatusCode != http.StatusUnauthorized || !strings.Contains(challenge, `scope="notes:read"`) {
		t.Fatalf("status %d, challenge %s", response.StatusCode, challenge)
	}
	response, err = http.Get(metadata)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	document, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"authorization_servers":["` + issuer.URL() + `"]`; !strings.Contains(string(document), want) {
		t.Errorf("the metadata is %s; it has no %s", document, want)
	}
}
