package client

import (
	"errors"
	"strings"
	"testing"
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
		{"lines", "data: " + half + "\ndata: " + half + "\n\n", errTooLong},
		{"no more than the limit", "data: " + half + "\ndata: " + half[1:] + "\n\n", nil},
	} {
		events := newEvents(strings.NewReader(c.stream), limit)
		if found := events.next(); found != (c.want == nil) || !errors.Is(events.err, c.want) || found && len(events.data) != limit {
			t.Errorf("%s: the event is %t with %d bytes, and the error %v", c.name, found, len(events.data), events.err)
		}
	}
}
