package eventstream_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/dev/eventstream"
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

func TestTheLimitIsTheLengthOfTheLongestEventThatIsReadWhole(t *testing.T) {
	t.Parallel()
	const event = "id: 7\ndata: a\n"
	for limit, want := range map[int]bool{len(event): true, len(event) - 1: false} {
		read, complete, err := eventstream.NewReader(strings.NewReader(event+"\n"), limit).Next()
		if err != nil || complete != want || strings.TrimRight(string(read), "\n") != strings.TrimRight(event, "\n") {
			t.Errorf("with a limit of %d bytes the event is %q, complete %v, %v", limit, read, complete, err)
		}
	}
}

// The reader has a buffer of its own, where the end of a line may fall anywhere.
func TestALongLineIsNoBlankLine(t *testing.T) {
	t.Parallel()
	for n := 4080; n <= 4100; n++ {
		events := []string{"data: " + strings.Repeat("x", n) + "\nid: 7\n\n", "data: y\r\n\r\n"}
		stream := eventstream.NewReader(strings.NewReader(events[0]+events[1]), 1<<20)
		for _, want := range events {
			if event, complete, err := stream.Next(); err != nil || !complete || string(event) != want {
				t.Errorf("with a line of %d bytes an event is %d bytes, complete %v, %v; want %d bytes", n, len(event), complete, err, len(want))
			}
		}
	}
}

func TestTheFieldsOfAnEventAreReplacedWhole(t *testing.T) {
	t.Parallel()
	event := eventstream.Event("id: 1\ndata: a\ndata: b\ndatabase: c\n\n")
	if got, want := string(event.With("data", []byte("d"))), "data: d\nid: 1\ndatabase: c\n\n"; got != want {
		t.Errorf("with other data it is %q, want %q", got, want)
	}
	if got, want := string(event.With("id", []byte("2:1"))), "id: 2:1\ndata: a\ndata: b\ndatabase: c\n\n"; got != want {
		t.Errorf("with another id it is %q, want %q", got, want)
	}
}
