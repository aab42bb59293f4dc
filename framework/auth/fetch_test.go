package auth_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

// recorded records the URLs of requests before it sends them.
type recorded struct {
	http.RoundTripper
	urls *[]string
}

func (r recorded) RoundTrip(request *http.Request) (*http.Response, error) {
	*r.urls = append(*r.urls, request.URL.String())
	return r.RoundTripper.RoundTrip(request)
}

func TestMetadataIsFoundWhereClientsLookForIt(t *testing.T) {
	for url, want := range map[string][]string{
		"https://login.test":         {"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"},
		"https://login.test/":        {"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"},
		"https://login.test/tenant1": {"/.well-known/oauth-authorization-server/tenant1", "/.well-known/openid-configuration/tenant1", "/tenant1/.well-known/openid-configuration"},
		"https://login.test/a/b%20/": {"/.well-known/oauth-authorization-server/a/b%20", "/.well-known/openid-configuration/a/b%20", "/a/b%20/.well-known/openid-configuration"},
	} {
		for found := range want {
			t.Run(fmt.Sprint(url, found), func(t *testing.T) {
				inBubble(t, authtest.Okta, func(t *testing.T, issuer issuer) {
					var urls []string
					handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						switch r.URL.EscapedPath() {
						case want[found]:
							_, _ = fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":"https://keys.test/keys"}`, url)
						case "/keys":
							_, _ = fmt.Fprintf(w, `{"keys":[%s]}`, issuer.published())
						default:
							http.NotFound(w, r)
						}
					})
					verifier := checked(t, auth.JWT(auth.Issuer{URL: url, Client: &http.Client{Transport: recorded{inMemory{handler}, &urls}}}))
					accepts(t, verifier, issuer.token(authtest.Claim("iss", url)))
					expected := []string{}
					for _, path := range want[:found+1] {
						expected = append(expected, "https://login.test"+path)
					}
					if expected = append(expected, "https://keys.test/keys"); !slices.Equal(urls, expected) {
						t.Errorf("requests to %q, want %q", urls, expected)
					}
				})
			})
		}
	}
}

// published returns the JSON of the key that signs.
func (i issuer) published() string {
	data, err := i.Key().Public().MarshalJSON()
	if err != nil {
		i.t.Fatal(err)
	}
	return string(data)
}

func TestAnIssuerThatMisbehavesIsNamedWithTheCause(t *testing.T) {
	redirect := http.RedirectHandler("https://elsewhere.test/keys", http.StatusFound)
	long := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"keys":[`+strings.Repeat(" ", 10<<20)+`]}`)
	})
	for name, tt := range map[string]struct {
		endpoint authtest.Endpoint
		handler  http.Handler
		cause    string
	}{
		"metadata that redirects":           {authtest.DiscoveryEndpoint, redirect, "redirects to \\\"https://elsewhere.test/keys\\\""},
		"metadata of 10 MiB":                {authtest.DiscoveryEndpoint, long, "is longer than 524288 bytes"},
		"metadata that hangs":               {authtest.DiscoveryEndpoint, after(time.Hour, redirect), "deadline exceeded"},
		"metadata of HTML":                  {authtest.DiscoveryEndpoint, answering(200, "<html>"), "not a document of JSON"},
		"metadata with duplicates":          {authtest.DiscoveryEndpoint, answering(200, `{"issuer":"a","issuer":"b"}`), "not a document of JSON"},
		"metadata of another issuer":        {authtest.DiscoveryEndpoint, answering(200, `{"issuer":"https://evil.test","jwks_uri":"https://evil.test"}`), "names the issuer \\\"https://evil.test\\\""},
		"metadata of the issuer with slash": {authtest.DiscoveryEndpoint, answering(200, `{"issuer":"https://login.test/realms/test/","jwks_uri":"https://login.test"}`), "set the URL of the issuer to the exact text"},
		"metadata without keys":             {authtest.DiscoveryEndpoint, answering(200, `{"issuer":"https://login.test/realms/test"}`), "has no jwks_uri"},
		"no metadata":                       {authtest.DiscoveryEndpoint, answering(404, ""), "status 404"},
		"keys that redirect":                {authtest.KeysEndpoint, redirect, "redirects are not followed"},
		"keys of 10 MiB":                    {authtest.KeysEndpoint, long, "is longer than 524288 bytes"},
		"keys that hang":                    {authtest.KeysEndpoint, after(time.Hour, redirect), "deadline exceeded"},
		"keys of HTML":                      {authtest.KeysEndpoint, answering(200, "<html>"), "not a JSON Web Key Set"},
		"101 keys":                          {authtest.KeysEndpoint, answering(200, `{"keys":[1`+strings.Repeat(",1", 100)+`]}`), "101 keys"},
		"keys with a status":                {authtest.KeysEndpoint, answering(503, ""), "status 503"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
				var urls []string
				config := issuer.config()
				config.Client.Transport = recorded{config.Client.Transport, &urls}
				verifier := checked(t, auth.JWT(config))
				issuer.Replace(tt.endpoint, tt.handler)
				start := time.Now()
				unavailable(t, verifier, issuer.token())
				if waited := time.Since(start); waited > 5*time.Second {
					t.Errorf("the request waited %v", waited)
				}
				synctest.Wait() // the request doesn't wait for the log
				if log := issuer.log.String(); !strings.Contains(log, tt.cause) || !strings.Contains(log, issuer.URL()) {
					t.Errorf("the log lacks %q: %s", tt.cause, log)
				}
				for _, address := range urls {
					if !strings.HasPrefix(address, "https://login.test/") {
						t.Errorf("a request to %s", address)
					}
				}
			})
		})
	}
}

func TestKeysAtAnInternalAddressAreNotFetched(t *testing.T) {
	for _, address := range []string{
		"https://127.0.0.1", "https://127.8.8.8:8443", "https://localhost", "https://LOCALHOST", "https://[::1]", "https://[::ffff:127.0.0.1]", "https://[::ffff:0.0.0.0]", "https://0.0.0.0",
		"https://[::]", "https://169.254.169.254", "https://[fe80::1]", "https://224.0.0.1", "http://keys.test", "ftp://keys.test", "file:///etc", "keys", "https://", "https://%zz",
	} {
		t.Run(address, func(t *testing.T) {
			inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
				var urls []string
				config := issuer.config()
				config.Client.Transport = recorded{config.Client.Transport, &urls}
				path := strings.TrimPrefix(issuer.EndpointURL(authtest.KeysEndpoint), "https://login.test")
				issuer.SetMetadata("jwks_uri", address+path)
				unavailable(t, checked(t, auth.JWT(config)), issuer.token())
				if len(urls) != 1 || !strings.HasPrefix(urls[0], "https://login.test/") {
					t.Errorf("requests to %q, want one for the metadata", urls)
				}
				if log := issuer.log.String(); !strings.Contains(log, path) || !strings.Contains(log, issuer.URL()) {
					t.Errorf("the log doesn't name the address: %s", log)
				}
			})
		})
	}
}

// Issuers of companies are in private networks.
func TestKeysAtAPrivateAddressAreFetched(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		_, path, _ := strings.Cut(strings.TrimPrefix(issuer.EndpointURL(authtest.KeysEndpoint), "https://"), "/")
		issuer.SetMetadata("jwks_uri", "https://10.1.2.3:8443/"+path)
		accepts(t, issuer.jwt(), issuer.token())
	})
}

// resolving makes every name resolve to an address. The test must not be parallel.
func resolving(t *testing.T, address netip.Addr) {
	t.Helper()
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go answerDNS(server, address)
		return client, nil
	}}
}

// answerDNS answers one query, as over TCP (RFC 1035): with the address if it asks for its
// type, else with nothing.
func answerDNS(connection net.Conn, address netip.Addr) {
	defer func() { _ = connection.Close() }()
	var size [2]byte
	if _, err := io.ReadFull(connection, size[:]); err != nil {
		return
	}
	query := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(connection, query); err != nil {
		return
	}
	end := 12 + bytes.IndexByte(query[12:], 0) + 5 // of the question
	kind := query[end-4 : end-2]
	answer := append(slices.Clone(query[:2]), 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0)
	answer = append(answer, query[12:end]...)
	if raw := address.AsSlice(); kind[1] == 1 && len(raw) == 4 || kind[1] == 28 && len(raw) == 16 {
		answer[7] = 1
		answer = append(answer, 0xc0, 12, 0, kind[1], 0, 1, 0, 0, 0, 60, 0, byte(len(raw)))
		answer = append(answer, raw...)
	}
	_, _ = connection.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
}

// It is not parallel, since it changes the resolver of the process.
func TestANameThatResolvesToThisMachineIsRefusedWhenConnecting(t *testing.T) {
	for _, address := range []string{"127.0.0.1", "169.254.169.254", "0.0.0.0", "::1", "fe80::1", "::ffff:127.0.0.1"} {
		resolving(t, netip.MustParseAddr(address))
		issuer := newIssuerAt(t, "https://login.test:1", authtest.Okta)
		config := issuer.config()
		config.Client = nil
		unavailable(t, checked(t, auth.JWT(config)), issuer.token())
		if log := issuer.log.String(); !strings.Contains(log, "the address is loopback, link-local or unspecified") || !strings.Contains(log, issuer.URL()) {
			t.Errorf("%s: the log is %s", address, log)
		}
	}
}

func TestAnIssuerOnLoopbackIsReachedByTheDefaultClient(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.Keycloak)
	issuer.SetAlgorithm(jose.ES256)
	accepts(t, checked(t, auth.JWT(auth.Issuer{URL: issuer.URL()})), issuer.Token(resource))
}

func TestACompressedAnswerIsBoundedToo(t *testing.T) {
	t.Parallel()
	issuer := authtest.For(t, authtest.Keycloak)
	issuer.SetAlgorithm(jose.ES256)
	issuer.Replace(authtest.KeysEndpoint, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		zeros := make([]byte, 1<<20)
		for range 4 {
			_, _ = packed.Write(zeros)
		}
		_ = packed.Close()
	}))
	log := &buffer{}
	unavailable(t, checked(t, auth.JWT(auth.Issuer{URL: issuer.URL(), Logger: slog.New(slog.NewTextHandler(log, nil))})), issuer.Token(resource))
	if log.lines("longer than 524288 bytes") != 1 {
		t.Errorf("the log is %s", log)
	}
}

// A slowBody sends one byte a second, until its request ends.
type slowBody struct{ ctx context.Context }

func (b slowBody) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		return copy(p, " "), nil
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (slowBody) Close() error { return nil }

type slow struct{}

func (slow) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: slowBody{r.Context()}}, nil
}

func TestABodyThatComesSlowlyIsCutOff(t *testing.T) {
	inBubble(t, authtest.Keycloak, func(t *testing.T, issuer issuer) {
		config := issuer.config()
		config.Client.Transport = slow{}
		start := time.Now()
		unavailable(t, checked(t, auth.JWT(config)), issuer.token())
		if waited := time.Since(start); waited != 5*time.Second {
			t.Errorf("the request waited %v", waited)
		}
		synctest.Wait()
		if issuer.log.lines("reading the answer of https://login.test/") != 1 {
			t.Errorf("the log is %s", issuer.log)
		}
	})
}
