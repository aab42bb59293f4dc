package resumption_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/internal/engine/resumption"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

var errGone = errors.New("the client has disconnected")

// A connection is a connection to the test, which acts as the client.
type connection struct {
	stays bool // whether it can't end before its call

	lock    sync.Mutex
	got     []string // messages; an empty one carried only its id
	ids     []string
	hangs   chan struct{} // nil if the client reads; closed when the connection ends
	broken  bool
	ended   bool
	apart   []string // the event before each call of Apart
	retry   time.Duration
	between func() // called after each event
}

func (c *connection) Event(id []byte, message ...[]byte) error {
	c.lock.Lock()
	hangs := c.hangs
	c.lock.Unlock()
	if hangs != nil {
		<-hangs
	}
	c.lock.Lock()
	if c.broken || c.ended {
		c.lock.Unlock()
		return errGone
	}
	text := ""
	for _, piece := range message {
		text += string(piece)
	}
	if len(message) > 0 && text == "" {
		text = "(no JSON)"
	}
	c.got, c.ids = append(c.got, text), append(c.ids, string(id))
	between := c.between
	c.lock.Unlock()
	if between != nil {
		between()
	}
	return nil
}

func (c *connection) Apart() {
	c.lock.Lock()
	defer c.lock.Unlock()
	before := ""
	if len(c.got) > 0 {
		before = c.got[len(c.got)-1]
	}
	c.apart = append(c.apart, before)
}

func (c *connection) Disconnect(retry time.Duration) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.stays {
		return false
	}
	if c.ended {
		return true
	}
	c.ended, c.retry = true, retry
	if c.hangs != nil {
		close(c.hangs)
		c.hangs = nil
	}
	return true
}

// breaks makes each write fail from now on.
func (c *connection) breaks() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.broken = true
}

// stopsReading makes each write wait until the connection ends.
func (c *connection) stopsReading() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.hangs = make(chan struct{})
}

func (c *connection) hasEnded() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.ended
}

// last returns the id of the last event.
func (c *connection) last() string {
	c.lock.Lock()
	defer c.lock.Unlock()
	if len(c.ids) == 0 {
		return ""
	}
	return c.ids[len(c.ids)-1]
}

// gets checks the messages since the last time, without those that carried only an id.
func (c *connection) gets(t *testing.T, want ...string) {
	t.Helper()
	c.lock.Lock()
	defer c.lock.Unlock()
	got := slices.DeleteFunc(slices.Clone(c.got), func(text string) bool { return text == "" })
	c.got = nil
	if !slices.Equal(got, want) {
		t.Errorf("the client gets %.300q, want %.300q", got, want)
	}
}

// send sends messages on a stream.
func send(t *testing.T, stream *resumption.Stream, messages ...string) {
	t.Helper()
	for _, message := range messages {
		if err := stream.Send([]byte(message)); err != nil {
			t.Errorf("Send(%.20q) = %v", message, err)
		}
	}
}

// open opens a stream and connects the client to it. The id of the last event may be "".
func open(t *testing.T, session *resumption.Session, last string) (*resumption.Stream, *connection) {
	t.Helper()
	stream, after, err := session.Open(t.Context(), last)
	if err != nil {
		t.Fatalf("Open(%q) = %v", last, err)
	}
	c := &connection{}
	stream.Connect(t.Context(), c, after)
	return stream, c
}

// refuses checks that a stream can't be opened.
func refuses(t *testing.T, session *resumption.Session, last string, want error) {
	t.Helper()
	if stream, _, err := session.Open(t.Context(), last); !errors.Is(err, want) || stream != nil {
		t.Errorf("Open(%.60q) = %v, %v, want %v", last, stream, err, want)
	}
}

// modern returns a session of a client whose version can resume streams.
func modern() *resumption.Session {
	return resumption.NewSession(&resumption.Memory{}, "session", throttle.Key{}, true)
}

// bubble runs a test in a synctest bubble.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// numbers returns the part of an id with the numbers of the stream and the event.
func numbers(id string) string {
	_, rest, _ := strings.Cut(id, "-")
	return rest
}
