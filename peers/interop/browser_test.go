package interop_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// browserPath returns the program that clients run as a browser.
func browserPath(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node", "browser.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// browse opens an authorization URL in that browser, and returns the parameters that the
// authorization server sends to the client's redirect URL.
func browse(ctx context.Context, authorization string) (url.Values, error) {
	cmd := exec.CommandContext(ctx, "node", "browser.mjs", "--print", authorization)
	cmd.Dir = "node"
	text, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("the browser failed: %w\n%s", err, exit.Stderr)
	}
	if err != nil {
		return nil, err
	}
	to, err := url.Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, err
	}
	return to.Query(), nil
}
