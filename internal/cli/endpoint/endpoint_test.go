package endpoint_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/endpoint"
)

func TestAProblemSaysWhatAndWhere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err   error
		limit time.Duration
		want  string
	}{
		{context.DeadlineExceeded, 2 * time.Second, `"https://example.com/mcp" doesn't answer within 2s.`},
		{&url.Error{Op: "Post", Err: syscall.ETIMEDOUT}, 0, `"https://example.com/mcp" doesn't answer in time.`},
		{fmt.Errorf("dial: %w", syscall.ECONNREFUSED), 0, "example.com refuses the connection: no program listens there."},
	} {
		got := endpoint.Explain("https://example.com/mcp?token=secret", test.err, test.limit)
		if got.What.Error() != test.want || got.Fix == "" || got.Error() != test.want+" "+got.Fix || strings.Contains(got.Error(), "secret") {
			t.Errorf("%v: the problem is %+v, want %s", test.err, got, test.want)
		}
	}
}
