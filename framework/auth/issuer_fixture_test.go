package auth_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// resource is the URL of the route in these tests.
const resource = "https://files.test/mcp/files"

// An issuer is an issuer whose requests need no network, with the log of its verifier.
type issuer struct {
	*authtest.Issuer
	t      *testing.T
	log    *buffer
	tokens *[]string // of which no part may be in the log
}

func newIssuer(t *testing.T, shape authtest.Shape) issuer {
	t.Helper()
	return newIssuerAt(t, "https://login.test", shape)
}

func newIssuerAt(t *testing.T, base string, shape authtest.Shape) issuer {
	t.Helper()
	imitation, err := authtest.NewAt(base, shape)
	if err != nil {
		t.Fatal(err)
	}
	imitation.SetAlgorithm(jose.ES256)
	i := issuer{Issuer: imitation, t: t, log: &buffer{}, tokens: &[]string{}}
	t.Cleanup(func() {
		for _, token := range *i.tokens {
			checkSecret(t, "the log", i.log.String(), token)
		}
	})
	return i
}

// config returns the configuration that fits the product.
func (i issuer) config() auth.Issuer {
	config := auth.Issuer{URL: i.URL(), Client: &http.Client{Transport: inMemory{i.Handler()}}, Logger: slog.New(slog.NewTextHandler(i.log, nil))}
	if audience := i.Audience(resource); audience != resource {
		config.Audiences = []string{audience}
		if audience == authtest.DefaultClient {
			config.Claims.Audience = "client_id"
		}
	}
	return config
}

// jwt returns a verifier without mistakes.
func (i issuer) jwt() auth.Verifier { return checked(i.t, auth.JWT(i.config())) }

func checked(t *testing.T, verifier auth.Verifier) auth.Verifier {
	t.Helper()
	if _, err := verifier.Issuers(); err != nil {
		t.Fatal(err)
	}
	return verifier
}

// token returns a token, which must not be logged.
func (i issuer) token(options ...authtest.TokenOption) string {
	token := i.Token(resource, options...)
	*i.tokens = append(*i.tokens, token)
	return token
}

// inMemory is a transport whose requests are served by a handler.
type inMemory struct{ http.Handler }

func (h inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	received := r.Clone(r.Context())
	if received.Body == nil {
		received.Body = http.NoBody // as for a server
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.ServeHTTP(recorder, received)
	}()
	select {
	case <-done:
		return recorder.Result(), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// A buffer is a log whose lines a test counts.
type buffer struct{ buffertest.Buffer }

// lines returns the lines of the log that have the text.
func (b *buffer) lines(text string) (n int) {
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// checkSecret fails if a text has a part of a token.
func checkSecret(t *testing.T, what, text, token string) {
	t.Helper()
	for _, part := range strings.Split(token, ".") {
		if len(part) > 8 && strings.Contains(text, part) {
			t.Errorf("%s has a part of the token: %s", what, text)
		}
	}
}

func accepts(t *testing.T, verifier auth.Verifier, token string) exchange.Principal {
	t.Helper()
	principal, err := verifier.Verify(t.Context(), token, resource)
	if err != nil {
		t.Fatalf("%v, want a principal", err)
	}
	return principal
}

// refuses checks that a token is refused with a reason.
func refuses(t *testing.T, verifier auth.Verifier, token, reason string) {
	t.Helper()
	_ = refusal(t, verifier, token, reason)
}

// refusal returns the error for a token that is refused with a reason.
func refusal(t *testing.T, verifier auth.Verifier, token, reason string) *auth.TokenError {
	t.Helper()
	principal, err := verifier.Verify(t.Context(), token, resource)
	refused, ok := errors.AsType[*auth.TokenError](err)
	if !ok || !strings.Contains(refused.Reason, reason) {
		t.Fatalf("%v, %v, want a refusal with %q", principal, err, reason)
	}
	if strings.ContainsAny(refused.Reason, "\"\\") {
		t.Errorf("the reason %q can't be in a header", refused.Reason)
	}
	checkSecret(t, "the error", err.Error(), token)
	return refused
}

// unavailable checks that a token can't be verified at the moment. It returns the
// Retry-After.
func unavailable(t *testing.T, verifier auth.Verifier, token string) time.Duration {
	t.Helper()
	_, err := verifier.Verify(t.Context(), token, resource)
	refused, ok := errors.AsType[*exchange.Error](err)
	if !ok || refused.Status != http.StatusServiceUnavailable {
		t.Fatalf("%v, want status 503", err)
	}
	for _, secret := range []string{"login.test", "127.0.0.1", "http", "dial", token} {
		if strings.Contains(fmt.Sprint(err), secret) {
			t.Errorf("the client reads %q in %q", secret, err)
		}
	}
	seconds, err := strconv.Atoi(refused.Header.Get("Retry-After"))
	if err != nil || seconds < 1 {
		t.Errorf("Retry-After is %q", refused.Header.Get("Retry-After"))
	}
	return time.Duration(seconds) * time.Second
}

// after returns a handler that waits before another handler answers.
func after(delay time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(delay):
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

// answering returns a handler with a fixed answer.
func answering(status int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}
