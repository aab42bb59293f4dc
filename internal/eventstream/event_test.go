package eventstream_test

import (
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/eventstream"
)

func TestAnEventHasItsFields(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		name, data, message string
		retry               time.Duration
	}{
		"id: 7\ndata: a\ndata:b\nretry: 5\n\n":     {"message", "a\nb", "a\nb", 5 * time.Millisecond},
		"event: endpoint\ndata: /messages\n\n":     {"endpoint", "/messages", "", 0},
		"event:x\nevent: message\ndata: a\n\n":     {"message", "a", "a", 0},
		"event: x\nevent\ndata:  a\n\n":            {"message", " a", " a", 0},
		"data\ndata\n\n":                           {"message", "\n", "\n", 0},
		"data: a: b\n\n":                           {"message", "a: b", "a: b", 0},
		" data: a\ndatabase: a\nData: a\n\n":       {"message", "", "", 0},
		": data: a\n\n":                            {"message", "", "", 0},
		"retry: 1\nretry: 20\n\n":                  {"message", "", "", 20 * time.Millisecond},
		"retry: +5\n\n":                            {"message", "", "", 0},
		"retry: 99999999999999999999\ndata: a\n\n": {"message", "a", "a", 0},
	} {
		f := eventstream.Event(text).Fields()
		if f.Name != want.name || string(f.Data) != want.data || string(f.Message()) != want.message || f.Retry != want.retry {
			t.Errorf("%q is an event %q with the data %q, the message %q and retry %s", text, f.Name, f.Data, f.Message(), f.Retry)
		}
	}
}

func TestAnIDWithANULIsIgnored(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"id: 1\nid:2\n\n": "2", "id: 1\nid: a\x00b\n\n": "1", "id\n\n": "", "id:\n\n": ""} {
		if id := eventstream.Event(text).Fields().ID; id == nil || string(id) != want {
			t.Errorf("the id of %q is %q, want %q", text, id, want)
		}
	}
	for _, text := range []string{": id: 1\n\n", "data: a\n\n", "id: \x00\n\n"} {
		if id := eventstream.Event(text).Fields().ID; id != nil {
			t.Errorf("%q has the id %q", text, id)
		}
	}
}

// Reading the data must not change the event, which a proxy passes on.
func TestDataOfSeveralLinesLeavesTheEventAsItIs(t *testing.T) {
	t.Parallel()
	const text = "data: a\ndata: b\nid: 1\n\n"
	e := eventstream.Event(text)
	if data := e.Fields().Data; string(data) != "a\nb" || string(e) != text {
		t.Errorf("after reading the data %q, the event is %q", data, e)
	}
}

func TestTheFieldsOfAnEventAreReplacedWhole(t *testing.T) {
	t.Parallel()
	e := eventstream.Event("id: 1\ndata: a\ndata: b\ndatabase: c\ndata\n: d\n\n")
	for want, changed := range map[string]eventstream.Event{
		"data: d\nid: 1\ndatabase: c\n: d\n\n":                          e.With("data", []byte("d")),
		"data: d\ndata: e\nid: 1\ndatabase: c\n: d\n\n":                 e.With("data", []byte("d\ne")),
		"id: 2:1\ndata: a\ndata: b\ndatabase: c\ndata\n: d\n\n":         e.With("id", []byte("2:1")),
		"event: x\nid: 1\ndata: a\ndata: b\ndatabase: c\ndata\n: d\n\n": e.With("event", []byte("x")),
		"data: a\n\n": eventstream.Event(nil).With("data", []byte("a")),
	} {
		if string(changed) != want {
			t.Errorf("the event is %q, want %q", changed, want)
		}
	}
}

func TestAFieldOfSeveralLinesIsWrittenInAsMany(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"": "data: \n", "a": "data: a\n", "a\n": "data: a\ndata: \n", "a\n b": "data: a\ndata:  b\n"} {
		if got := string(eventstream.AppendField(nil, "data", []byte(value))); got != want {
			t.Errorf("%q is written as %q, want %q", value, got, want)
		}
	}
}
