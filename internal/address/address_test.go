package address_test

import (
	"net"
	"net/url"
	"testing"

	"github.com/bowline-mcp/bowline/internal/address"
)

func TestAnAddressWithAListenerIsInUse(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	if _, err := net.Listen("tcp", listener.Addr().String()); !address.IsInUse(err) {
		t.Errorf("a second listener: %v, which is another error", err)
	}
	if _, err := net.Listen("tcp", "127.0.0.1:70000"); err == nil || address.IsInUse(err) {
		t.Errorf("an invalid port: %v, which says that it is in use", err)
	}
}

func TestSomeHostsMeanEveryAddress(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{"": true, "0.0.0.0": true, "::": true, "127.0.0.1": false, "::1": false, "localhost": false, "10.0.0.0": false} {
		if got := address.IsUnspecified(host); got != want {
			t.Errorf("%q means every address: %t, want %t", host, got, want)
		}
	}
}

func TestTheOriginOfAURLIsWrittenAsBrowsersDo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://H.example:443/a":  "https://h.example",
		"HTTP://h.example:80":      "http://h.example",
		"https://h.example:80/":    "https://h.example:80",
		"http://[::1]:8080/mcp":    "http://[::1]:8080",
		"https://u@h.example:8443": "https://h.example:8443",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := address.Origin(u); got != want {
			t.Errorf("the origin of %s is %s, want %s", text, got, want)
		}
	}
}
