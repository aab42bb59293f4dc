package client

import (
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/eventstream"
)

// The limit is that of a message. The tests of the whole client don't send as much.

func TestTheErrorOfAMessageBeyondTheLimitNamesIt(t *testing.T) {
	t.Parallel()
	if want := "the server sent a message of more than 64 MiB, the limit of this client; let the server return less at once"; errTooLong.Error() != want {
		t.Errorf("the error is %v", errTooLong)
	}
}

func TestAnAnswerBeyondTheLimitIsAnError(t *testing.T) {
	t.Parallel()
	const answer = `{"jsonrpc":"2.0","id":1,"result":{}}`
	for limit, want := range map[int]error{len(answer) - 1: errTooLong, len(answer): nil} {
		if _, err := readResponse(strings.NewReader(answer), limit); !errors.Is(err, want) {
			t.Errorf("with a limit of %d bytes, the error is %v", limit, err)
		}
	}
}

func TestAnEventBeyondTheLimitIsAnError(t *testing.T) {
	t.Parallel()
	const limit = 64
	half := strings.Repeat("x", limit/2)
	for _, c := range []struct {
		name, stream string
		want         error
	}{
		{"a line", "data: " + half + half + "\n\n", errTooLong},
		{"lines", "data:" + half + "\ndata:" + half + "\n\n", errTooLong},
		{"no more than the limit", "data:" + half + "\ndata:" + half[12:] + "\n\n", nil},
	} {
		event, err := nextEvent(eventstream.NewReader(strings.NewReader(c.stream), limit))
		if !errors.Is(err, c.want) || err == nil && len(event.Fields().Data) != limit-len("data:\ndata:") {
			t.Errorf("%s: the event has %d bytes, and the error is %v", c.name, len(event.Fields().Data), err)
		}
	}
}
