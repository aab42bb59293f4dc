package measure

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/internal/eventstream"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// ListenersCommand is the argument that makes this program open streams and read them, in a
// separate process.
const ListenersCommand = "listeners"

// Listeners are streams that another process has open.
type Listeners struct{ child *Child }

// StartListeners opens n streams with a request, in a new process, and waits for the first event of
// each.
func StartListeners(address, path string, request wire.Request, n int) (*Listeners, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	child, err := StartChild(program, ListenersCommand, address, strconv.Itoa(n), string(encodeRequest(address, path, request)))
	if err != nil {
		return nil, err
	}
	l := &Listeners{child}
	if _, err := l.Heard(); err != nil {
		l.Stop()
		return nil, fmt.Errorf("open %d streams: %w", n, err)
	}
	return l, nil
}

// Heard waits for the next event of every stream, and returns the time of the last one.
func (l *Listeners) Heard() (time.Time, error) {
	line, err := l.child.Receive()
	if err != nil {
		return time.Time{}, err
	}
	at, err := strconv.ParseInt(string(line), 10, 64)
	if err != nil {
		return time.Time{}, errors.New(string(line))
	}
	return time.Unix(0, at), nil
}

// Stop closes the streams.
func (l *Listeners) Stop() { l.child.Stop() }

// ServeListeners runs in the other process. When all streams have received an event, it writes the
// time of the last one, in Unix nanoseconds. A line that isn't a number is an error. It ends with
// its stdin.
func ServeListeners(address, count, request string, in io.Reader, out io.Writer) error {
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		return fmt.Errorf("the number of streams: %w", err)
	}
	var events atomic.Int64
	for range n {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			fmt.Fprintln(out, err) //nolint:errcheck // fails only if the parent has exited
			return err
		}
		if _, err := io.WriteString(conn, request); err != nil {
			return fmt.Errorf("ask for a stream: %w", err)
		}
		go func() {
			// The lines of headers and the sizes of chunks are fields without a meaning.
			stream := eventstream.NewReader(bufio.NewReaderSize(conn, 1024), 1<<20)
			for range stream.Messages() {
				if events.Add(1)%n == 0 {
					fmt.Fprintln(out, time.Now().UnixNano()) //nolint:errcheck // likewise
				}
			}
		}()
	}
	_, err = io.Copy(io.Discard, in)
	return err
}
