package jsonrpc_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
)

func TestLinesSkipsBlankLinesAndWhatIsTooLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200_000)
	in := jsonrpc.NewLines(strings.NewReader("one\n\n \r\n"+long+"\ntwo\r\n"+long+"\n"+"last"), 10)
	var got []string
	for {
		line, err := in.Next()
		if line != nil {
			got = append(got, string(line))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			got = append(got, err.Error())
		}
	}
	if want := []string{"one\n", "the line is too long", "two\r\n", "the line is too long", "last"}; !slices.Equal(got, want) {
		t.Errorf("the lines are %q, want %q", got, want)
	}
}

func TestALineMayBeAsLongAsTheLimit(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n", "\r\n", ""} {
		line, err := jsonrpc.NewLines(strings.NewReader("0123456789"+end), 10).Next()
		if string(line) != "0123456789"+end || err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("with the end %q, Next returns %q, %v", end, line, err)
		}
	}
	if line, err := jsonrpc.NewLines(strings.NewReader("0123456789abc"), 10).Next(); line != nil || !errors.Is(err, jsonrpc.ErrTooLong) {
		t.Errorf("Next returns %q, %v", line, err)
	}
}
