package eventstream_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/bowline-mcp/bowline/internal/eventstream"
)

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
		events := []string{"data: " + strings.Repeat("x", n) + "\nid: 7\n\n", "data: y\n\n"}
		stream := eventstream.NewReader(strings.NewReader(events[0]+events[1]), 1<<20)
		for _, want := range events {
			if event, complete, err := stream.Next(); err != nil || !complete || string(event) != want {
				t.Errorf("with a line of %d bytes an event is %d bytes, complete %v, %v; want %d bytes", n, len(event), complete, err, len(want))
			}
		}
	}
}

// A reader that waits for the LF of a CRLF would hold back an answer.
func TestAnEventThatEndsInCRIsReadBeforeTheNextByte(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	go func() {
		_, _ = io.WriteString(out, "data: a\r\r")
		_, _ = io.WriteString(out, "\ndata: b\r\n\r")
		_, _ = io.WriteString(out, "\n\ndata: c\n\r\n")
	}()
	stream := eventstream.NewReader(in, 1<<10)
	for _, want := range []string{"data: a\n\n", "data: b\n\n", "\n", "data: c\n\n"} {
		if event, complete, err := stream.Next(); err != nil || !complete || string(event) != want {
			t.Errorf("the event is %q, complete %v, %v; want %q", event, complete, err, want)
		}
	}
}

func TestAStreamGoesOnAfterItsEnd(t *testing.T) {
	t.Parallel()
	var in bytes.Buffer
	stream := eventstream.NewReader(&in, 1<<10)
	for _, part := range []string{"\ufeffda", "ta: ", "a\n"} {
		in.WriteString(part)
		if event, _, err := stream.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("after %q, the event is %q, %v", part, event, err)
		}
	}
	in.WriteString("\ndata: b\n\n")
	for _, want := range []string{"data: a\n\n", "data: b\n\n"} {
		if event, complete, err := stream.Next(); err != nil || !complete || string(event) != want {
			t.Errorf("the event is %q, complete %v, %v; want %q", event, complete, err, want)
		}
	}
}

func TestAStreamThatBreaksOffHasItsError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	stream := eventstream.NewReader(io.MultiReader(strings.NewReader("data: a\n"), iotest.ErrReader(broken)), 1<<10)
	if event, complete, err := stream.Next(); !errors.Is(err, broken) {
		t.Errorf("the event is %q, complete %v, %v", event, complete, err)
	}
}

func TestMessagesSkipsWhatIsNone(t *testing.T) {
	t.Parallel()
	const text = ": a\n\nid: 1\ndata: \n\ndata: b\ndata: c\n\nevent: d\ndata: e\n\ndata: 0123456789\n\ndata: f\n\ndata: g\n"
	var got []string
	for message := range eventstream.NewReader(strings.NewReader(text), 16).Messages() {
		got = append(got, string(message))
	}
	if want := []string{"b\nc", "f"}; !slices.Equal(got, want) {
		t.Errorf("the messages are %q, want %q", got, want)
	}
}

// The bytes of a stream may arrive one by one.
func FuzzReaderFindsWhatABrowserFinds(f *testing.F) {
	for _, seed := range []string{
		"data: a\n\n", "data: a\r\rdata: b\r\n\r\ndata: c\n\n", "\ufeffdata: a\n\n", "\ufeff\ufeffdata: a\n\n", "\ufeff\n\ndata: a\n\n", "data\ndata\n\n",
		"id: 1\ndata: a\n\nid\ndata: b\n\n", "id: \x00\ndata: a\n\n", "event: a\n\ndata: b\n\n", "data: a\n\r\n", "data: a\r\n\r", "data:a\n\ndata: b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := dispatch(text)
		for _, in := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			var got []dispatched
			last := ""
			for stream := eventstream.NewReader(in, len(text)); ; {
				event, complete, err := stream.Next()
				if err != nil {
					break
				}
				if !complete {
					t.Fatalf("%q isn't complete", event)
				}
				fields := event.Fields()
				if fields.ID != nil {
					last = string(fields.ID)
				}
				if fields.Data != nil {
					got = append(got, dispatched{Type: fields.Name, Data: string(fields.Data), LastEventID: last})
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q has the events %q, want %q", text, got, want)
			}
		}
	})
}
