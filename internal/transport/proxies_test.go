package transport_test

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/bowline-mcp/bowline/internal/transport"
)

func TestTheAddressOfAClient(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		proxies []string
		remote  string
		header  http.Header
		want    string // "" if it has none
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
		{"by RFC 7239", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"Forwarded": {`for=203.0.113.9, proto=https;For="192.0.2.7:47";by=10.0.0.1`}}, "192.0.2.7"},
		{"of IPv6 by RFC 7239", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"Forwarded": {`for="[2001:db8::17]:4711"`}}, "2001:db8::17"},
		{"hidden", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"Forwarded": {`for=192.0.2.7, for=_hidden`}}, "10.0.0.1"},
		{"a comma in quotes", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"Forwarded": {`for=192.0.2.7;ext="a, for=203.0.113.9"`}}, "192.0.2.7"},
		{"quotes that do not end", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"Forwarded": {`for="203.0.113.9, for=192.0.2.7`}}, "10.0.0.1"},
		{"what a proxy adds, in a client's quotes", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"Forwarded": {`for=203.0.113.9;ext=", for=192.0.2.7`}}, "10.0.0.1"},
		{"both, alike", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"192.0.2.7"}, "Forwarded": {"for=192.0.2.7"}}, "192.0.2.7"},
		{"both, and one is the client's own", []string{"10.0.0.0/8"}, "10.0.0.1:80", http.Header{"X-Forwarded-For": {"192.0.2.7"}, "Forwarded": {"for=203.0.113.9"}}, "10.0.0.1"},
	} {
		proxies, err := transport.ParseProxies(test.proxies)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		got := proxies.Client(&http.Request{RemoteAddr: test.remote, Header: test.header})
		if want, _ := netip.ParseAddr(test.want); got != want {
			t.Errorf("%s: got %v, want %v", test.name, got, want)
		}
	}
}

func TestProxiesThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "*", "localhost", "10.0.0", "10.0.0.0/33", "0.0.0.0/0", "::/0", "10.0.0.1:80", "::ffff:10.0.0.0/104"} {
		if proxies, err := transport.ParseProxies([]string{"10.0.0.0/8", text}); err == nil {
			t.Errorf("%q is %v", text, proxies)
		}
	}
}

// Whatever a client sends along, its address is what the proxy adds to that; or the
// proxy's own, if it can't be told what the proxy has added.
func FuzzAClientCannotMakeUpItsAddress(f *testing.F) {
	for _, claim := range []string{"", "203.0.113.9", "for=203.0.113.9", `for=203.0.113.9;x="`, `for="[2001:db8::1]:80", "`, `for=203.0.113.9;x="\""`, "10.0.0.9", "for=10.0.0.9;", ",,;;"} {
		f.Add(claim, claim)
	}
	proxies, err := transport.ParseProxies([]string{"10.0.0.0/8"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, list, elements string) {
		for name, header := range map[string]http.Header{
			"X-Forwarded-For alone":              {"X-Forwarded-For": {list + ", 192.0.2.7"}},
			"X-Forwarded-For in a line":          {"X-Forwarded-For": {list, "192.0.2.7"}},
			"Forwarded alone":                    {"Forwarded": {elements + ", for=192.0.2.7"}},
			"Forwarded with quotes":              {"Forwarded": {elements + `, proto=https;for="192.0.2.7:47"`}},
			"Forwarded in a line":                {"Forwarded": {elements, "for=192.0.2.7"}},
			"X-Forwarded-For beside the other's": {"X-Forwarded-For": {list + ", 192.0.2.7"}, "Forwarded": {elements}},
			"Forwarded beside the other's":       {"X-Forwarded-For": {list}, "Forwarded": {elements + ", for=192.0.2.7"}},
		} {
			got := proxies.Client(&http.Request{RemoteAddr: "10.0.0.1:80", Header: header}).String()
			if got != "192.0.2.7" && got != "10.0.0.1" {
				t.Errorf("%s: the client is at %s: %v", name, got, header)
			}
		}
	})
}
