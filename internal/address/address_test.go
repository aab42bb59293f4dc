package address_test

import (
	"net"
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
