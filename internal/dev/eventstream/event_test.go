package eventstream_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/dev/eventstream"
)

func TestAnEventHasItsFields(t *testing.T) {
	t.Parallel()
	event := eventstream.Event("id: 7\r\ndata: a\r\ndata:b\r\nretry: 5\r\n\r\n")
	if string(event.Data()) != "a\nb" || string(event.ID()) != "7" {
		t.Errorf("the data is %q, the id %q", event.Data(), event.ID())
	}
	if comment := eventstream.Event(": still here\n\n"); len(comment.Data()) > 0 || comment.ID() != nil {
		t.Errorf("a comment has the data %q and the id %q", comment.Data(), comment.ID())
	}
	if got, want := string(event.With("data", []byte("c"))), "data: c\nid: 7\r\nretry: 5\r\n\n"; got != want {
		t.Errorf("with other data it is %q, want %q", got, want)
	}
}

func TestAStreamIsReadEventByEvent(t *testing.T) {
	t.Parallel()
	long := "data: " + strings.Repeat("x", 100) + "\n"
	stream := eventstream.NewReader(strings.NewReader("data: a\n\n"+long+long+"\n: c\n\ndata: not complete\n"), 150)
	var got []string
	for {
		event, complete, err := stream.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if complete {
			event = append(event, '.')
		}
		got = append(got, string(event))
	}
	if want := []string{"data: a\n\n.", long + long, "\n", ": c\n\n."}; !slices.Equal(got, want) {
		t.Errorf("the events are %q, want %q", got, want)
	}
}
