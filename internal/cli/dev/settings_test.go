package dev_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/dev"
	"github.com/bowline-mcp/bowline/internal/cli/dev/applog"
	"github.com/bowline-mcp/bowline/internal/cli/dev/proxy"
)

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
	if err := dev.Serve(t.Context(), root, "", io.Discard, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the error is %v, want %s", err, want)
	}
	if err := dev.Serve(t.Context(), root, "[::]:0", io.Discard, nil); err == nil || !strings.HasPrefix(err.Error(), "the address [::]:0 is not") {
		t.Errorf("with an address of its own the error is %v", err)
	}
	// A change of .env may remove the name.
	if err := proxy.New(root, "[::]:8080", applog.New(io.Discard, root), nil).Replace(t.Context(), "nowhere"); err == nil || !strings.Contains(err.Error(), "is not a loopback address") {
		t.Errorf("a program without a public name gets %v", err)
	}
}
