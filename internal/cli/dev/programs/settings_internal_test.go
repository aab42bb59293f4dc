package programs

import (
	"os"
	"path/filepath"
	"slices"
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
		set     Settings
		want    string
	}{
		{address: "127.0.0.1:8080"},
		{address: "localhost:8080"},
		{address: "[::1]:8080"},
		{address: ":8080", want: "the address :8080 " + refused},
		{address: "0.0.0.0:8080", want: "the address 0.0.0.0:8080 " + refused},
		{address: "[::]:8080", want: "the address [::]:8080 " + refused},
		{address: "192.168.1.5:8080", want: "the address 192.168.1.5:8080 " + refused},
		{address: ":8080", set: Settings{"APP_URL": "http://mcp.example.com"}},
		{address: ":8080", set: Settings{"APP_ALLOWED_HOSTS": "mcp.example.com"}},
	} {
		for name := range c.set {
			_ = os.Unsetenv(name) // t.Setenv restores it
		}
		if got := c.set.CheckAddress(c.address); (got != nil || c.want != "") && (got == nil || got.Error() != c.want) {
			t.Errorf("%s with %v gets %v, want %q", c.address, c.set, got, c.want)
		}
	}
}

// An editor may write .env within the resolution of the clock, or restore its time.
func TestAnotherSizeOfEnvIsAChange(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, ".env")
	states := map[string]bool{StateOfEnv(root): true}
	for _, content := range []string{"A=1\n", "A=10\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		states[StateOfEnv(root)] = true
	}
	if len(states) != 3 {
		t.Errorf("the states are %v, want three", states)
	}
}

// Clients carry what an app sealed, so a key of its own stays.
func TestOnlyAnAppWithoutAKeyGetsOne(t *testing.T) {
	t.Setenv("APP_KEY", "")
	_ = os.Unsetenv("APP_KEY")
	if got := (Settings{"APP_KEY": "its own"}).Sealed("another"); got != nil {
		t.Errorf("an app with a key gets %q", got)
	}
	if got := (Settings{}).Sealed("one"); !slices.Equal(got, []string{"APP_KEY=one"}) {
		t.Errorf("an app without a key gets %q", got)
	}
	if a, b := NewKey(), NewKey(); len(a) != 64 || a == b {
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
	if got := ReadSettings(root).Get("APP_URL"); got != "" {
		t.Errorf("with an empty variable the URL is %q", got)
	}
	_ = os.Unsetenv("APP_URL")
	if got := ReadSettings(root).Get("APP_URL"); got != "first" {
		t.Errorf("without a variable the URL is %q", got)
	}
}

func TestThePublicURLNamesThisMachine(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "[::1]:80": "http://[::1]:80", ":8080": "http://localhost:8080", "0.0.0.0:8080": "http://localhost:8080",
	} {
		if got := PublicURL(addr); got != want {
			t.Errorf("the URL of %s is %s, want %s", addr, got, want)
		}
	}
}

// mcp dev shows all calls, which programs log at level info.
func TestProgramsLogAsTextAtLevelInfoOrBelow(t *testing.T) {
	t.Setenv("APP_LOG_LEVEL", "")
	_ = os.Unsetenv("APP_LOG_LEVEL") // t.Setenv restores it
	for level, want := range map[string][]string{
		"": {"APP_LOG_FORMAT=text"}, "debug": {"APP_LOG_FORMAT=text"}, "info": {"APP_LOG_FORMAT=text"}, "loud": {"APP_LOG_FORMAT=text"},
		"warn": {"APP_LOG_FORMAT=text", "APP_LOG_LEVEL=info"}, "ERROR": {"APP_LOG_FORMAT=text", "APP_LOG_LEVEL=info"},
	} {
		if got := (Settings{"APP_LOG_LEVEL": level, "APP_LOG_FORMAT": "json"}).LogVariables(); !slices.Equal(got, want) {
			t.Errorf("at level %q the variables are %q, want %q", level, got, want)
		}
	}
}
