package fetch

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
)

func TestOnlyPublicAddressesArePublic(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1.1.1.1", "::ffff:1.1.1.1", "160.79.104.10", "8.8.8.8", "2606:4700::1111", "2a00:1450:4001::1"} {
		if err := Public.check(netip.MustParseAddr(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
		"192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1", "192.175.48.1", "198.18.0.1", "198.19.255.255",
		"198.51.100.1", "203.0.113.1", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "64:ff9b::1", "100::1", "2001::1", "2001:db8::1", "2002::1", "3fff::1", "fc00::1", "fd00::1", "fe80::1", "ff02::1",
		"fe80::1%eth0", "2606:4700::1111%eth0",
	} {
		if err := Public.check(netip.MustParseAddr(text)); !errors.Is(err, ErrNotPublic) {
			t.Errorf("%s is public: %v", text, err)
		}
	}
	if Public.check(netip.Addr{}) == nil {
		t.Error("no address is public")
	}
}

func TestSecretsGoOnlyToURLsWithinTheReach(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from, to, want string
	}{
		{"https://login.example.com", "https://10.1.2.3/keys", ""},
		{"https://login.example.com", "http://keys.example.com", "it must be an https URL"},
		{"https://login.example.com", "http://127.0.0.1", "it must be an https URL"},
		{"https://login.example.com", "https://127.0.0.1", "the address is loopback"},
		{"https://login.example.com", "https://LOCALHOST/keys", "the address is loopback"},
		{"https://login.example.com", "https://169.254.169.254", "the address is loopback"},
		{"https://login.example.com", "https://[::ffff:0.0.0.0]", "the address is loopback"},
		{"https://login.example.com", "https://a:b@keys.example.com", "it must not have a user"},
		{"https://login.example.com", "https://keys.example.com#a", "it must not have a user"},
		{"https://login.example.com", "ftp://keys.example.com", "it is not an https URL"},
		{"http://localhost:8080", "http://127.0.0.1:9000/keys", ""},
		{"http://localhost:8080", "https://keys.example.com", ""},
		{"http://localhost:8080", "http://keys.example.com", "it must be an https URL"},
	} {
		if err := ReachFrom(test.from).CheckURL(test.to); (err == nil) != (test.want == "") || err != nil && !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s names %s: the error is %v, want %q", test.from, test.to, err, test.want)
		}
	}
}
