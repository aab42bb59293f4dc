package dev

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Programs listen on a loopback address, so they can't tell that mcp dev is open to other machines.
func TestAnAddressForOtherMachinesNeedsAPublicName(t *testing.T) {
	t.Setenv("APP_URL", "")
	t.Setenv("APP_ALLOWED_HOSTS", "")
	const refused = "is not a loopback address, so the program needs its public name: set APP_URL or APP_ALLOWED_HOSTS, or serve on 127.0.0.1"
	for _, c := range []struct {
		address string
		set     settings
		want    string
	}{
		{address: "127.0.0.1:8080"},
		{address: "localhost:8080"},
		{address: "[::1]:8080"},
		{address: ":8080", want: "the address :8080 " + refused},
		{address: "0.0.0.0:8080", want: "the address 0.0.0.0:8080 " + refused},
		{address: "[::]:8080", want: "the address [::]:8080 " + refused},
		{address: "192.168.1.5:8080", want: "the address 192.168.1.5:8080 " + refused},
		{address: ":8080", set: settings{"APP_URL": "http://mcp.example.com"}},
		{address: ":8080", set: settings{"APP_ALLOWED_HOSTS": "mcp.example.com"}},
	} {
		for name := range c.set {
			_ = os.Unsetenv(name) // t.Setenv restores it
		}
		if got := c.set.checkAddress(c.address); (got != nil || c.want != "") && (got == nil || got.Error() != c.want) {
			t.Errorf("%s with %v gets %v, want %q", c.address, c.set, got, c.want)
		}
	}
}

func TestServeRefusesAnAddressForOtherMachines(t *testing.T) {
	for _, name := range []string{"APP_ADDR", "APP_URL", "APP_ALLOWED_HOSTS"} {
		t.Setenv(name, "")
		_ = os.Unsetenv(name)
	}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, ".env"), []byte("APP_ADDR=0.0.0.0:0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "the address 0.0.0.0:0 is not a loopback address"
	if err := Serve(t.Context(), root, "", io.Discard); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the error is %v, want %s", err, want)
	}
	if err := Serve(t.Context(), root, "[::]:0", io.Discard); err == nil || !strings.HasPrefix(err.Error(), "the address [::]:0 is not") {
		t.Errorf("with an address of its own the error is %v", err)
	}
	// A change of .env may remove the name.
	if _, err := newProxy(root, "[::]:8080", io.Discard, log{io.Discard}).replace(t.Context(), "nowhere"); err == nil || !strings.Contains(err.Error(), "is not a loopback address") {
		t.Errorf("a program without a public name gets %v", err)
	}
}

// An editor may write .env within the resolution of the clock, or restore its time.
func TestAnotherSizeOfEnvIsAChange(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, ".env")
	states := map[string]bool{stateOfEnv(root): true}
	for _, content := range []string{"A=1\n", "A=10\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		states[stateOfEnv(root)] = true
	}
	if len(states) != 3 {
		t.Errorf("the states are %v, want three", states)
	}
}

// Clients carry what an app sealed, so a key of its own stays.
func TestOnlyAnAppWithoutAKeyGetsOne(t *testing.T) {
	t.Setenv("APP_KEY", "")
	_ = os.Unsetenv("APP_KEY")
	if got := (settings{"APP_KEY": "its own"}).sealed("another"); got != nil {
		t.Errorf("an app with a key gets %q", got)
	}
	if got := (settings{}).sealed("one"); !slices.Equal(got, []string{"APP_KEY=one"}) {
		t.Errorf("an app without a key gets %q", got)
	}
	if a, b := newKey(), newKey(); len(a) != 64 || a == b {
		t.Errorf("two keys are %q and %q", a, b)
	}
}

// mcp dev reads .env as the app does.
func TestAVariableOfTheEnvironmentWinsOverThatOfEnv(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, ".env"), []byte("APP_URL=first\nAPP_URL=second\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("APP_URL", "")
	if got := readSettings(root).get("APP_URL"); got != "" {
		t.Errorf("with an empty variable the URL is %q", got)
	}
	_ = os.Unsetenv("APP_URL")
	if got := readSettings(root).get("APP_URL"); got != "first" {
		t.Errorf("without a variable the URL is %q", got)
	}
}

func TestThePublicURLNamesThisMachine(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "[::1]:80": "http://[::1]:80", ":8080": "http://localhost:8080", "0.0.0.0:8080": "http://localhost:8080",
	} {
		if got := publicURL(addr); got != want {
			t.Errorf("the URL of %s is %s, want %s", addr, got, want)
		}
	}
}
