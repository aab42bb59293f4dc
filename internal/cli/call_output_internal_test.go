package cli

import (
	"io"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
)

// A log collects what each Write gets.
type log []string

func (l *log) Write(p []byte) (int, error) {
	*l = append(*l, string(p))
	return len(p), nil
}

// The server may write to the same stderr meanwhile, and a line of its log must not come into the middle of the message.
func TestTheReasonOfAToolThatFailsIsWrittenWithTheMessage(t *testing.T) {
	t.Parallel()
	var stderr log
	o := &callOutput{stdout: io.Discard, stderr: &stderr}
	code, err := o.tool("divide", []byte(`{"isError":true,"content":[{"type":"text","text":"b is 0."},{"type":"text","text":"Give another b."}]}`))
	if want := []string{"mcp: divide failed: b is 0.\n", "Give another b.\n"}; err != nil || code != invocation.ExitFailure || !slices.Equal(stderr, want) {
		t.Errorf("%d, %v: it writes %q, want %q", code, err, stderr, want)
	}
}
