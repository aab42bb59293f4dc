package authcheck_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/cli/authcheck"
	"github.com/bowline-mcp/bowline/internal/cli/finding"
)

func TestAServerThatCannotBeReachedIsNamed(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	for _, test := range []struct{ url, want string }{
		{closed.URL, strings.TrimPrefix(closed.URL, "http://") + " refuses the connection"},
		{secure.URL, "The TLS certificate of " + strings.TrimPrefix(secure.URL, "https://") + " comes from an authority that this machine doesn't trust."},
		{strings.Replace(secure.URL, "https", "http", 1), "The server uses TLS on this port."},
		{strings.Replace(plain.URL, "http", "https", 1), strings.TrimPrefix(plain.URL, "http://") + " doesn't use TLS on this port."},
		{"http://" + silent.Addr().String(), `"http://` + silent.Addr().String() + `" doesn't answer within 100ms.`},
	} {
		c, err := authcheck.New(test.url, "")
		if err != nil {
			t.Fatal(err)
		}
		if test.url == "http://"+silent.Addr().String() {
			c.SetPatience(100 * time.Millisecond)
		}
		var steps []*authcheck.Step
		for step := range c.Steps(context.Background()) {
			steps = append(steps, step)
		}
		if len(steps) != 1 || len(steps[0].Findings) != 1 || !strings.HasPrefix(steps[0].Findings[0].What, test.want) {
			t.Errorf("%s: %+v, want %q", test.url, steps[0].Findings, test.want)
		}
	}
}

func TestAnAuthorizationServerThatHangsIsNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.pages[oauthWellKnown+"/login"] = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	c, err := authcheck.New(s.url, "")
	if err != nil {
		t.Fatal(err)
	}
	c.SetPatience(2 * time.Second)
	var last *authcheck.Step
	for step := range c.Steps(context.Background()) {
		last = step
	}
	if last.Count(finding.LevelBroken) != 1 || !strings.Contains(last.Findings[0].What, oauthWellKnown+`/login" doesn't answer within 2s.`) {
		t.Errorf("the last step is %+v", last)
	}
}

func TestACheckEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c, err := authcheck.New(s.url, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	steps := 0
	for range c.Steps(ctx) {
		steps++
		cancel()
	}
	if steps != 1 {
		t.Errorf("it yields %d steps, want 1", steps)
	}
}

func TestATokenIsRefusedWithoutTLS(t *testing.T) {
	t.Parallel()
	s, transport := newPublicSite(t, "http://example.com")
	const want = "the access token isn't sent to example.com over http://, where others can read it; use https://"
	if _, err := authcheck.New(s.url, "secret"); err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	report, faults, _ := checkOver(t, transport, s.url, "")
	if len(faults) < 1 || !strings.HasPrefix(faults[0], "The URL begins with http://") {
		t.Errorf("without a token, the report is\n%s", report)
	}
}

// A wrong APP_URL is in the challenge, the resource and the issuer.
func TestAWrongPublicURLIsOneFault(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ said, want string }{
		"a proxy with TLS":        {"http://example.com", "resource_metadata is http://example.com/.well-known/oauth-protected-resource/mcp. Clients refuse http://."},
		"the address of loopback": {"http://127.0.0.1:8080", "http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp answers 400 Bad Request."},
		"another name":            {"https://www.example.com", `resource is "https://www.example.com/mcp", but you used "https://example.com/mcp": the host differs`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, transport := newPublicSite(t, "https://example.com")
			said := func(text string) string { return strings.ReplaceAll(text, s.origin, test.said) }
			s.challenge = said(s.challenge)
			s.metadata["resource"], s.metadata["authorization_servers"] = said(s.url), []string{said(s.issuer)}
			for name, value := range s.server {
				if text, is := value.(string); is {
					s.server[name] = said(text)
				}
			}
			report, faults, _ := checkOver(t, transport, s.url, "")
			if len(faults) != 1 || !strings.HasPrefix(faults[0], test.want) || !strings.Contains(faults[0], "APP_URL=https://example.com)") {
				t.Errorf("the faults are %q, want only %q\n%s", faults, test.want, report)
			}
		})
	}
}

func TestAPublicServerWithATokenHasNoFault(t *testing.T) {
	t.Parallel()
	s, transport := newPublicSite(t, "https://example.com")
	s.useToken(nil)
	if report, faults, notes := checkOver(t, transport, s.url, s.token); len(faults)+len(notes) > 0 {
		t.Errorf("the report is\n%s", report)
	}
}

func TestAnIssuerOnLoopbackIsAFaultOfAPublicServer(t *testing.T) {
	t.Parallel()
	s, transport := newPublicSite(t, "https://example.com")
	s.metadata["authorization_servers"] = []string{"http://localhost:9000"}
	report, faults, _ := checkOver(t, transport, s.url, "")
	if len(faults) != 1 || !strings.HasPrefix(faults[0], `authorization_servers has "http://localhost:9000", a loopback address. Clients on other machines can't reach it.`) {
		t.Errorf("the report is\n%s", report)
	}
}

func TestTheReportIsSafeAndReadable(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.metadata["resource"] = "https://\x1b[2J\u202e.ex\u0430mple/" + strings.Repeat("a", 1000)
	s.metadata["authorization_servers"] = []string{"\x1b]0;x\a", "http://\u009b.example/ \n  ok     x"}
	s.metadata["scopes_supported"] = "\x1b[2J"
	s.challenge = strings.Replace(s.challenge, "mcp:use", "\u202e\u009b2J", 1)
	s.challenge = strings.Replace(s.challenge, "oauth-protected", "\u202e\u009b2J", 1)
	s.unknown = func(w http.ResponseWriter, _ *http.Request) { serveJSON(w, 200, s.metadata) }
	report, _, _ := check(t, s.url, "")
	if control := regexp.MustCompile(`[^\n\x20-\x7e…]`).FindString(report); control != "" {
		t.Errorf("the report has %q:\n%s", control, report)
	}
	if n := strings.Count(report, "\n"); n < 10 {
		t.Errorf("the report has only %d lines:\n%s", n, report)
	}
	for line := range strings.Lines(report) {
		words := strings.Fields(line)
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 && len(words) > 2 {
			t.Errorf("a line is too long: %q", line)
		}
	}
}

func TestMistakesInTheURLAreNamed(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                      `"" must begin with https://`,
		"mcp.example.com/mcp":   `"mcp.example.com/mcp" must begin with https://`,
		"localhost:8080/mcp":    `"localhost:8080/mcp" must begin with https://`,
		"ftp://h/mcp":           `"ftp://h/mcp" must begin with https://`,
		"https://":              `"https://" has no host`,
		"https://:80/mcp":       `"https://:80/mcp" has no host`,
		"https://u:secret@h/":   "the URL has a user name or password",
		"https://h/mcp#":        `"https://h/mcp#" has a fragment`,
		"https://h/mcp#a":       `"https://h/mcp#a" has a fragment`,
		"https://h/%zz":         `"https://h/%zz" is not a URL`,
		"https://h/mcp ":        `"https://h/mcp " is not a URL`,
		"https://h.example/a b": `"https://h.example/a b" is not a URL`,
	} {
		if _, err := authcheck.New(url, ""); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", url, err, want)
		}
	}
}
