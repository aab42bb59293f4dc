package logging_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/logging"
)

// text is a format without times.
func text(w io.Writer) slog.Handler {
	return slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
}

// A pipe is a writer that blocks while nobody reads.
type pipe struct {
	lock   sync.Mutex
	reads  chan struct{} // closed when somebody reads
	text   bytes.Buffer
	writes int
}

func (p *pipe) Write(data []byte) (int, error) {
	<-p.reads
	p.lock.Lock()
	defer p.lock.Unlock()
	p.writes++
	return p.text.Write(data)
}

func (p *pipe) String() string {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.text.String()
}

// newPipe returns a pipe that somebody reads, or nobody.
func newPipe(read bool) *pipe {
	p := &pipe{reads: make(chan struct{})}
	if read {
		close(p.reads)
	}
	return p
}

func TestLinesAreWrittenTogetherAndInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipe(true)
		handler := logging.NewHandler(p, text)
		logger := slog.New(handler).With("server", "demo").WithGroup("call")
		for i := range 3 {
			logger.Info("called", "n", i)
		}
		synctest.Wait()
		if p.String() != "" {
			t.Errorf("a line is written at once: %s", p)
		}
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		const want = "level=INFO msg=called server=demo call.n=0\nlevel=INFO msg=called server=demo call.n=1\nlevel=INFO msg=called server=demo call.n=2\n"
		if p.String() != want || p.writes != 1 {
			t.Errorf("%d writes of\n%s", p.writes, p)
		}
		logger.Info("called", "n", 3)
		if !handler.Flush(time.Second) || !strings.HasSuffix(p.String(), "call.n=3\n") {
			t.Errorf("after Flush the log is\n%s", p)
		}
	})
}

func TestALogThatNobodyReadsMakesNobodyWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipe(false)
		handler := logging.NewHandler(p, text)
		logger, begun := slog.New(handler), time.Now()
		const n = 40_000
		for i := range n {
			if logger.Info("called", "n", i, "argument", strings.Repeat("x", 100)); i == 100 {
				time.Sleep(time.Second) // the first lines are being written
			}
		}
		if handler.Flush(3 * time.Second) {
			t.Error("Flush says that all is written")
		}
		if waited := time.Since(begun); waited > 5*time.Second {
			t.Errorf("it took %v", waited)
		}
		close(p.reads)
		if !handler.Flush(time.Second) {
			t.Error("Flush says that not all is written")
		}
		lines := strings.Split(strings.TrimSpace(p.String()), "\n")
		var dropped int
		if _, err := fmt.Sscanf(lines[len(lines)-1], `level=WARN msg="the log dropped lines, since nobody read it" lines=%d`, &dropped); err != nil {
			t.Fatalf("the last line is %s: %v", lines[len(lines)-1], err)
		}
		if len(lines)-1+dropped != n || dropped == 0 || p.text.Len() > 2<<20 {
			t.Errorf("%d lines with %d bytes are written and %d dropped", len(lines)-1, p.text.Len(), dropped)
		}
	})
}

// The line about dropped ones is written between others.
func TestALogGoesOnAfterItWasBlocked(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	handler := logging.NewHandler(write, func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) })
	logger := slog.New(handler)
	for range 20_000 {
		logger.Info("called", "argument", strings.Repeat("x", 100))
	}
	got := make(chan int)
	go func() {
		text, _ := io.ReadAll(read)
		n := 0
		for line := range bytes.Lines(text) {
			var entry struct {
				Msg   string
				Lines int
			}
			if err := json.Unmarshal(line, &entry); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			if n++; entry.Lines > 0 {
				n += entry.Lines - 1
			}
		}
		got <- n
	}()
	for !handler.Flush(time.Second) { //nolint:revive // until all is written
	}
	logger.Info("more")
	handler.Flush(10 * time.Second)
	_ = write.Close()
	if n := <-got; n != 20_001 {
		t.Errorf("%d lines were written or counted", n)
	}
}

func TestManyLogAtOnce(t *testing.T) {
	t.Parallel()
	p := newPipe(true)
	handler := logging.NewHandler(p, text)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 500 {
				slog.New(handler).Info("called")
			}
		})
	}
	all.Wait()
	if !handler.Flush(10*time.Second) || strings.Count(p.String(), "level=INFO msg=called\n") != 4000 {
		t.Errorf("%d lines are written", strings.Count(p.String(), "\n"))
	}
}

// A slowReader reads what is written once a second.
type slowReader struct{ lines, dropped int }

func (r *slowReader) Write(data []byte) (int, error) {
	time.Sleep(time.Second)
	for line := range strings.Lines(string(data)) {
		var dropped int
		if _, err := fmt.Sscanf(line, `level=WARN msg="the log dropped lines, since nobody read it" lines=%d`, &dropped); err == nil {
			r.dropped += dropped
			continue
		}
		r.lines++
	}
	return len(data), nil
}

func TestEachLineIsWrittenOrCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reader := &slowReader{}
		handler := logging.NewHandler(reader, text)
		for range 12 {
			for range 60_000 {
				slog.New(handler).Info("called")
			}
			time.Sleep(100 * time.Millisecond)
		}
		if !handler.Flush(time.Minute) || reader.lines+reader.dropped != 12*60_000 {
			t.Errorf("of %d lines, %d are written and %d counted", 12*60_000, reader.lines, reader.dropped)
		}
	})
}

func TestALineThatIsTooLongIsCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipe(true)
		handler := logging.NewHandler(p, text)
		slog.New(handler).Info(strings.Repeat("x", 2<<20))
		if !handler.Flush(time.Second) || !strings.Contains(p.String(), "lines=1") {
			t.Errorf("the log is %.200s", p)
		}
	})
}
