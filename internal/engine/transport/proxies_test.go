package transport_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/limits"
)

func TestTheAddressOfAClient(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		proxies []string
		remote  string
		header  http.Header
		want    string // "" if there is none
	}{
		{"of the connection", nil, "192.0.2.7:1234", nil, "192.0.2.7"},
		{"in the form of IPv6", nil, "[::ffff:192.0.2.7]:1234", nil, "192.0.2.7"},
		{"of a link", nil, "[fe80::1%eth0]:1234", nil, "fe80::1"},
		{"of a socket file", []string{"10.0.0.0/8"}, "@", http.Header{"X-Forwarded-For": {"192.0.2.7"}}, ""},
		{"a client's claim", nil, "192.0.2.7:1234", http.Header{"X-Forwarded-For": {"203.0.113.9"}, "Forwarded": {"for=203.0.113.9"}}, "192.0.2.7"},
		{"a claim of another network", []string{"10.0.0.0/8"}, "192.0.2.7:1234", http.Header{"X-Forwarded-For": {"203.0.113.9"}}, "192.0.2.7"},
		{"of a proxy's client", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"192.0.2.7"}}, "192.0.2.7"},
		{"of one proxy", []string{"10.0.0.1"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"192.0.2.7"}}, "192.0.2.7"},
		{"of its neighbour", []string{"10.0.0.1"}, "10.0.0.2:80", http.Header{"X-Forwarded-For": {"192.0.2.7"}}, "10.0.0.2"},
		{"a proxy that names nobody", []string{"10.0.0.0/8"}, "10.0.0.1:80", nil, "10.0.0.1"},
		{"a claim before the truth", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"203.0.113.9, 192.0.2.7"}}, "192.0.2.7"},
		{"the same in two headers", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"203.0.113.9", "192.0.2.7"}}, "192.0.2.7"},
		{"two proxies", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"203.0.113.9, 192.0.2.7, 10.0.0.2"}}, "192.0.2.7"},
		{"only proxies", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"10.0.0.3, 10.0.0.2"}}, "10.0.0.3"},
		{"nonsense", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"192.0.2.7, nonsense"}}, "10.0.0.1"},
		{"nothing", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"192.0.2.7, "}}, "10.0.0.1"},
		{"with a port", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"192.0.2.7:4711"}}, "192.0.2.7"},
		{"of IPv6", []string{"2001:db8:1::/48"}, "[2001:db8:1::1]:80", http.Header{"X-Forwarded-For": {"2001:db8::17"}}, "2001:db8::17"},
		{"of IPv6 with a port", []string{"::1"}, "[::1]:80", http.Header{"X-Forwarded-For": {"[2001:db8::17]:4711"}}, "2001:db8::17"},
		{"a client's Forwarded", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"192.0.2.7"}, "Forwarded": {"for=203.0.113.9"}}, "192.0.2.7"},
		{"Forwarded alone", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"Forwarded": {"for=203.0.113.9"}}, "10.0.0.1"},
	} {
		proxies, err := transport.ParseProxies(test.proxies, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		got := proxies.Client(&http.Request{RemoteAddr: test.remote, Header: test.header})
		if want, _ := netip.ParseAddr(test.want); got != want {
			t.Errorf("%s: got %v, want %v", test.name, got, want)
		}
	}
}

func TestInvalidProxiesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "*", "localhost", "10.0.0", "10.0.0.0/33", "0.0.0.0/0", "::/0", "10.0.0.1:80", "::ffff:10.0.0.0/104"} {
		if proxies, err := transport.ParseProxies([]string{"10.0.0.0/8", text}, nil); err == nil {
			t.Errorf("%q is %v", text, proxies)
		}
	}
}

// Any client may send the header, and as often as it wants.
func TestAProxyThatIsNotTrustedIsLoggedOnce(t *testing.T) {
	t.Parallel()
	const line = `level=WARN msg="a proxy that isn't trusted names clients in X-Forwarded-For, so the program counts all its clients as one and limits them together; ` +
		`if it is your proxy, let it set the header (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for), since the client chooses it otherwise, ` +
		`and add its address to Config.TrustedProxies (APP_TRUSTED_PROXIES)" `
	for _, test := range []struct {
		name    string
		trusted []string
		remote  string
		header  http.Header
		want    string // what the line ends with, "" for none
	}{
		{"on this machine", nil, "127.0.0.1:1234", http.Header{"X-Forwarded-For": {"203.0.113.9"}}, "proxy=127.0.0.1 setting=\"APP_TRUSTED_PROXIES=127.0.0.1\""},
		{"of IPv6", nil, "[::1]:1234", http.Header{"X-Forwarded-For": {"spoofed, 203.0.113.9"}}, "proxy=::1 setting=\"APP_TRUSTED_PROXIES=::1\""},
		{"beside others", []string{"10.0.0.0/8", "::1"}, "172.17.0.1:1234", http.Header{"X-Forwarded-For": {"x", "203.0.113.9"}}, "proxy=172.17.0.1 setting=\"APP_TRUSTED_PROXIES=10.0.0.0/8,::1,172.17.0.1\""},
		{"of a carrier or a cloud", nil, "100.64.0.9:1234", http.Header{"X-Forwarded-For": {"203.0.113.9"}}, "proxy=100.64.0.9 setting=\"APP_TRUSTED_PROXIES=100.64.0.9\""},
		{"that is trusted", []string{"10.0.0.0/8"}, "10.0.0.1:1234", http.Header{"X-Forwarded-For": {"203.0.113.9"}}, ""},
		{"without the header", nil, "127.0.0.1:1234", nil, ""},
		{"with Forwarded, which nobody trusts", nil, "127.0.0.1:1234", http.Header{"Forwarded": {"for=203.0.113.9"}}, ""},
		{"for a client on the same machine", nil, "127.0.0.1:1234", http.Header{"X-Forwarded-For": {"127.0.0.1"}}, ""},
		{"that names no address", nil, "127.0.0.1:1234", http.Header{"X-Forwarded-For": {"203.0.113.9, unknown"}}, ""},
		{"a client on the Internet", nil, "192.0.2.7:1234", http.Header{"X-Forwarded-For": {"203.0.113.9"}}, ""},
	} {
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		proxies, err := transport.ParseProxies(test.trusted, logger)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			proxies.Client(&http.Request{RemoteAddr: test.remote, Header: test.header})
		}
		want := ""
		if test.want != "" {
			want = line + test.want + "\n"
		}
		if log.String() != want {
			t.Errorf("%s: the log is\n%s want\n%s", test.name, log.String(), want)
		}
	}
}

// A neighbour that sends the header first doesn't hide the proxy, and many don't fill the log.
func TestEachProxyThatIsNotTrustedIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	proxies, err := transport.ParseProxies(nil, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	addr := netip.MustParseAddr("10.0.0.1")
	for range 2 * limits.ReportedProxies {
		for range 2 {
			proxies.Client(&http.Request{RemoteAddr: addr.String() + ":1234", Header: http.Header{"X-Forwarded-For": {"203.0.113.9"}}})
		}
		addr = addr.Next()
	}
	if got := strings.Count(log.String(), "proxy=10.0.0."); got != limits.ReportedProxies || !strings.Contains(log.String(), "proxy=10.0.0.2 ") {
		t.Errorf("%d lines, want %d:\n%s", got, limits.ReportedProxies, log.String())
	}
}

// The address of a client is the one that the proxy adds, whatever the client sends.
func FuzzAClientCannotForgeItsAddress(f *testing.F) {
	for _, claim := range []string{"", "203.0.113.9", "for=203.0.113.9", `"`, "10.0.0.9", ",,;;"} {
		f.Add(claim, claim)
	}
	proxies, err := transport.ParseProxies([]string{"10.0.0.0/8"}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, list, elements string) {
		for name, lines := range map[string][]string{
			"in the same line": {list + ", 192.0.2.7"},
			"in another line":  {list, "192.0.2.7"},
		} {
			header := http.Header{"X-Forwarded-For": lines, "Forwarded": {elements}}
			if got := proxies.Client(&http.Request{RemoteAddr: "10.0.0.1:80", Header: header}).String(); got != "192.0.2.7" {
				t.Errorf("%s: the client is at %s: %v", name, got, header)
			}
		}
	})
}
