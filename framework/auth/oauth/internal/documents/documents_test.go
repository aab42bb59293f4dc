package documents

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/fetch"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/test/pipetest"
)

const id = "https://client.example/oauth/client.json"

// newFetcher returns a fetcher with the default limit.
func newFetcher(t *testing.T) *Fetcher {
	t.Helper()
	starts, err := throttle.New(limits.Documents, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return New(NewClient(), nil, starts)
}

// somebody names the URLs.
var somebody = caller(1)

func caller(n byte) throttle.Key {
	return throttle.KeyOf("", netip.AddrFrom4([4]byte{192, 0, 2, n}))
}

// fetcher returns a fetcher whose names all lead to a server, and the number of requests.
func fetcher(t *testing.T, handler http.HandlerFunc) (*Fetcher, *atomic.Int64) {
	t.Helper()
	var requests atomic.Int64
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	f := newFetcher(t)
	transport := f.client.Transport.(*http.Transport) //nolint:forcetypeassert // New makes it
	transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // a test
	return f, &requests
}

func document(more string) string {
	return `{"client_id":"` + id + `","client_name":"Client","redirect_uris":["https://client.example/cb"]` + more + `}`
}

func answer(text string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		_, _ = fmt.Fprint(w, text)
	}
}

func TestADocumentIsFetchedOnce(t *testing.T) {
	t.Parallel()
	f, requests := fetcher(t, answer(document(`,"token_endpoint_auth_method":"none","jwks_uri":"https://client.example/keys"`), "Content-Type", "application/client+json; charset=utf-8"))
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			found, err := f.Get(t.Context(), id, somebody)
			if err != nil || found.Name != "Client" || found.KeysURI != "https://client.example/keys" {
				t.Errorf("the document is %+v, %v", found, err)
			}
		})
	}
	all.Wait()
	if n := requests.Load(); n != 1 {
		t.Errorf("100 requests at once cause %d fetches", n)
	}
}

func TestADocumentThatIsWrongIsRefusedForAWhile(t *testing.T) {
	t.Parallel()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_, _ = fmt.Fprint(w, document(""))
		}
	}
	for want, handler := range map[string]http.HandlerFunc{
		"the status is 404":           status(404),
		"the status is 201":           status(201),
		"the status is 302":           func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, id+"2", http.StatusFound) },
		"it is not JSON":              answer(document(""), "Content-Type", "text/html"),
		" is not JSON":                answer(document(""), "Content-Type", "image/svg+json"),
		"it is compressed":            answer(document(""), "Content-Encoding", "gzip"),
		"response headers exceeded":   answer(document(""), "X-Long", strings.Repeat("a", 20<<10)),
		"is longer than 5120 bytes":   answer(document(`,"x":"` + strings.Repeat("a", 5<<10) + `"`)),
		"not the metadata":            answer("[]"),
		"its client_id is not":        answer(strings.Replace(document(""), "client.json", "other.json", 1)),
		"it has a client_secret":      answer(document(`,"client_secret":"x"`)),
		"client_secret, which is":     answer(document(`,"client_secret_expires_at":0`)),
		"needs a secret":              answer(document(`,"token_endpoint_auth_method":"client_secret_post"`)),
		`"client_secret_jwt" needs`:   answer(document(`,"token_endpoint_auth_methods_supported":["none","client_secret_jwt"]`)),
		"it lacks client_name":        answer(`{"client_id":"` + id + `","redirect_uris":["https://client.example/cb"]}`),
		"it lacks client_name or red": answer(`{"client_id":"` + id + `","client_name":"Client"}`),
	} {
		f, requests := fetcher(t, handler)
		for range 2 {
			if _, err := f.Get(t.Context(), id, somebody); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %q in it", err, want)
			}
		}
		if n := requests.Load(); n != 1 {
			t.Errorf("%s: %d fetches for two requests", want, n)
		}
		now := time.Now()
		if _, kept := f.failed.Get(id, now.Add(limits.FailureTime)); kept || !f.failed.Has(id) {
			t.Errorf("%s: the failure is kept for longer than %v, or not at all", want, limits.FailureTime)
		}
		f.failed.Put(id, fetched{}, now, now) // has ended
		if _, err := f.Get(t.Context(), id, somebody); err == nil || requests.Load() != 2 {
			t.Errorf("%s: later there are %d fetches, and the error is %v", want, requests.Load(), err)
		}
	}
}

func TestURLsThatNoDocumentHasAreNotFetched(t *testing.T) {
	t.Parallel()
	f, requests := fetcher(t, answer(document("")))
	for _, wrong := range []string{
		"http://client.example/a", "https://client.example", "https://client.example/", "https:///a", "https://client.example/a?x", "https://client.example/a#", "https://u@client.example/a",
		"https://client.example:8443/a", "https://client.example/../a", "https://client.example/./a", "https://client.example/%2e%2e/a", "https://client.example/a/%2E", "HTTPS://client.example/a",
		"https://client.example/" + strings.Repeat("a", 512), "client.example/a", "", "https://%D0%BAlient.example/a", "https://\u043alient.example/a",
	} {
		if _, err := f.Get(t.Context(), wrong, somebody); err == nil || CheckURL(wrong) == nil {
			t.Errorf("%s is fetched", wrong)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("there were %d fetches", n)
	}
}

func TestPrivateAddressesAreNotConnectedTo(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // a test
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Error("there was a connection to the loopback interface")
			_ = conn.Close()
		}
	}()
	f := newFetcher(t)
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		if w, err := f.client.Get("https://" + host + ":" + port + "/client.json"); !errors.Is(err, fetch.ErrNotPublic) {
			t.Errorf("%s: the error is %v", host, err)
			if err == nil {
				_ = w.Body.Close()
			}
		}
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "10.0.0.1", "169.254.169.254", "192.168.1.1", "[fe80::1]", "[fc00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "0.0.0.0", "[::]"} {
		if _, err := f.Get(t.Context(), "https://"+host+"/client.json", somebody); !errors.Is(err, fetch.ErrNotPublic) {
			t.Errorf("%s: the error is %v", host, err)
		}
	}
	for _, host := range []string{"127.1", "0x7f000001", "2130706433", "0177.0.0.1"} {
		if _, err := f.Get(t.Context(), "https://"+host+"/client.json", somebody); err == nil {
			t.Errorf("%s is fetched", host)
		}
	}
}

func TestAHostIsAskedForFewDocumentsAtOnce(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	f, requests := fetcher(t, func(w http.ResponseWriter, r *http.Request) {
		<-release
		http.NotFound(w, r)
	})
	var busy atomic.Int64
	var all sync.WaitGroup
	for n := range 100 {
		all.Go(func() {
			host := []string{"client.example", "CLIENT.example"}[n%2]
			if _, err := f.Get(t.Context(), fmt.Sprint("https://", host, "/", n), caller(byte(n))); errors.Is(err, errBusy) {
				busy.Add(1)
			}
		})
	}
	for requests.Load()+busy.Load() < 100 {
		time.Sleep(time.Millisecond)
	}
	close(release)
	all.Wait()
	if n := requests.Load(); n != 2 || busy.Load() != 98 {
		t.Errorf("100 documents cause %d fetches, and %d are refused", n, busy.Load())
	}
	if _, err := f.Get(t.Context(), id, somebody); err == nil || errors.Is(err, errBusy) {
		t.Errorf("after the fetches the error is %v", err)
	}
}

func isTooMany(err error) bool {
	_, ok := errors.AsType[*tooMany](err)
	return ok
}

func TestACallerCausesFewFetches(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	f, requests := fetcher(t, func(w http.ResponseWriter, r *http.Request) {
		<-release
		http.NotFound(w, r)
	})
	var err error
	if f.starts, err = throttle.New(limits.Documents, 24*time.Hour); err != nil { // a minute is short on a busy machine
		t.Fatal(err)
	}
	get := func(n int, by throttle.Key) error {
		_, err := f.Get(t.Context(), fmt.Sprintf("https://client%d.example/client.json", n), by)
		return err
	}
	var all sync.WaitGroup
	var refused atomic.Int64
	for n := range 50 {
		all.Go(func() {
			if isTooMany(get(n, somebody)) {
				refused.Add(1)
			}
		})
	}
	for requests.Load()+refused.Load() < 50 {
		time.Sleep(time.Millisecond)
	}
	if n := requests.Load(); n != 4 {
		t.Errorf("a caller causes %d fetches at once", n)
	}
	close(release)
	all.Wait()
	if len(f.callers) != 0 || len(f.hosts) != 0 {
		t.Errorf("after the fetches, callers are %v and hosts %v", f.callers, f.hosts)
	}
	for n := 100; n < 126; n++ { // 30 with those before
		if err := get(n, somebody); err == nil || isTooMany(err) {
			t.Errorf("the fetch %d: %v", n, err)
		}
	}
	if err := get(126, somebody); !isTooMany(err) {
		t.Errorf("the next one: %v", err)
	}
	if err := get(126, caller(2)); err == nil || isTooMany(err) {
		t.Errorf("another caller: %v", err)
	}
}

func TestADocumentIsFetchedAgainAfterItsLifetime(t *testing.T) {
	t.Parallel()
	f, requests := fetcher(t, answer(document("")))
	for _, kept := range []struct {
		until time.Time
		want  string
	}{{time.Now().Add(time.Minute), "Kept"}, {time.Now(), "Client"}} {
		f.kept.Put(id, fetched{document: Document{Name: "Kept"}}, time.Now(), kept.until)
		if found, err := f.Get(t.Context(), id, somebody); err != nil || found.Name != kept.want {
			t.Errorf("the document is %+v, %v; want that of %s", found, err, kept.want)
		}
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("there were %d fetches, want one", n)
	}
}

func TestTheLifetimeOfADocumentIsBounded(t *testing.T) {
	t.Parallel()
	f, _ := fetcher(t, answer(document(""), "Cache-Control", "no-store"))
	if _, err := f.Get(t.Context(), id, somebody); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if _, kept := f.kept.Get(id, now.Add(limits.MinDocumentTime)); kept || !f.kept.Has(id) {
		t.Error("a document that must not be stored is kept for more than a minute, or not at all")
	}
}

func TestASlowDocumentIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := pipetest.Serve(t, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { //nolint:gosec // a test
			w.Header().Set("Content-Type", "application/json")
			for {
				_, _ = fmt.Fprint(w, " ")
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-time.After(100 * time.Millisecond):
				}
			}
		})})
		f := newFetcher(t)
		f.client.Transport.(*http.Transport).DialTLSContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) }
		start := time.Now()
		if _, err := f.Get(t.Context(), id, somebody); err == nil || time.Since(start) != limits.DocumentTimeout {
			t.Errorf("after %v the error is %v", time.Since(start), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := f.Get(ctx, id+"2", somebody); !errors.Is(err, context.Canceled) {
			t.Errorf("a request that ends: %v", err)
		}
	})
}
