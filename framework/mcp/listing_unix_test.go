//go:build unix

package mcp_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// The reader of mcp list | head has what it wanted.
func TestAListThatNobodyReadsToItsEndIsNoError(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = read.Close()
	defer func() { _ = write.Close() }()
	var stderr bytes.Buffer
	code := mcp.New(mcp.Config{Name: "x"}).Run(t.Context(), []string{"list"}, strings.NewReader(""), write, &stderr)
	if code != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, &stderr)
	}
}
