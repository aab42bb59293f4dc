package transport_test

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/transport"
)

// pair returns the two ends of a connection, the first with lazy deadlines.
func pair(t *testing.T) (lazy, other net.Conn) {
	t.Helper()
	bare, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := transport.Lazy(bare)
	t.Cleanup(func() { _ = listener.Close() })
	if other, err = net.Dial("tcp", bare.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if lazy, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = lazy.Close(), other.Close() })
	return lazy, other
}

func set(t *testing.T, conn net.Conn, times ...time.Duration) {
	t.Helper()
	for _, d := range times {
		at := time.Time{}
		if d != 0 {
			at = time.Now().Add(d)
		}
		if err := conn.SetDeadline(at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALazyDeadlinePasses(t *testing.T) {
	t.Parallel()
	for name, times := range map[string][]time.Duration{
		"set once":            {20 * time.Millisecond},
		"put off":             {time.Millisecond, 30 * time.Millisecond},
		"taken off and set":   {time.Millisecond, 0, 30 * time.Millisecond},
		"brought forward":     {time.Hour, 20 * time.Millisecond},
		"in the past already": {time.Hour, -time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, _ := pair(t)
			begun := time.Now()
			set(t, conn, times...)
			_, err := conn.Read(make([]byte, 1))
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("Read = %v, want the deadline's error", err)
			}
			if took, want := time.Since(begun), times[len(times)-1]; took < want || took > want+2*time.Second {
				t.Errorf("Read ended after %v, want %v", took, want)
			}
		})
	}
}

func TestALazyDeadlineThatWasPutOffDoesNotPass(t *testing.T) {
	t.Parallel()
	for name, times := range map[string][]time.Duration{
		"put off":             {5 * time.Millisecond, time.Hour},
		"taken off":           {5 * time.Millisecond, 0},
		"taken off when past": {-time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, other := pair(t)
			set(t, conn, times...)
			time.AfterFunc(30*time.Millisecond, func() { _, _ = other.Write([]byte("a")) })
			if n, err := conn.Read(make([]byte, 1)); n != 1 || err != nil {
				t.Errorf("Read = %d, %v, want what was written", n, err)
			}
		})
	}
}

func TestAReadThatIsUnderWayIsEnded(t *testing.T) {
	t.Parallel()
	conn, _ := pair(t)
	set(t, conn, time.Hour)
	time.AfterFunc(20*time.Millisecond, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Read = %v, want the deadline's error", err)
	}
}

func TestAWriteGoesOnWhenItsDeadlineWasPutOff(t *testing.T) {
	t.Parallel()
	conn, other := pair(t)
	set(t, conn, 5*time.Millisecond, time.Hour)
	data := make([]byte, 16<<20) // more than the buffers of a connection take
	read := make(chan int)
	go func() {
		time.Sleep(50 * time.Millisecond)
		total := 0
		for buffer := make([]byte, 1<<20); total < len(data); {
			n, err := other.Read(buffer)
			if total += n; err != nil {
				break
			}
		}
		read <- total
	}()
	if n, err := conn.Write(data); n != len(data) || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
	if got := <-read; got != len(data) {
		t.Errorf("%d bytes arrived, want %d", got, len(data))
	}
}
