package mcp_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/eventstream"
)

// A remoteStream is a stream of subscriptions/listen over TCP.
type remoteStream struct {
	conn   net.Conn
	events *eventstream.Reader
}

// openStream opens a stream and reads its acknowledgment.
func openStream(addr, id, filter string) (*remoteStream, error) {
	conn, err := net.DialTimeout("tcp", addr, 10*time.Second)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	s := &remoteStream{conn, eventstream.NewReader(bufio.NewReaderSize(conn, 512), 1<<20)}
	message := listenMessage(id, filter)
	var request bytes.Buffer
	fmt.Fprintf(&request, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n", len(message))
	header := listenHeader()
	header.Set("Accept", "text/event-stream")
	_ = header.Write(&request)
	request.WriteString("\r\n" + message)
	if _, err := conn.Write(request.Bytes()); err != nil {
		return nil, err
	}
	if got := s.next(); !strings.Contains(got, "notifications/subscriptions/acknowledged") {
		return nil, fmt.Errorf("a stream begins with %q", got)
	}
	return s, nil
}

// next returns the next message, or the headers if the answer is not a stream, or the error that
// ends the stream. The lines of headers and the sizes of chunks are fields that mean nothing.
func (s *remoteStream) next() string {
	for {
		event, _, err := s.events.Next()
		if err != nil {
			return err.Error()
		}
		if text := string(event); strings.HasPrefix(text, "HTTP/1.1") && !strings.Contains(text, " 200 ") {
			return text
		}
		if data := event.Fields().Message(); len(data) > 0 {
			return string(data)
		}
	}
}

// manyStreams opens streams on the list of tools.
func manyStreams(t *testing.T, addr string, n int) []*remoteStream {
	t.Helper()
	streams := make([]*remoteStream, n)
	for i := range streams {
		var err error
		if streams[i], err = openStream(addr, fmt.Sprint(i), `{"toolsListChanged":true}`); err != nil {
			t.Fatalf("stream %d: %v", i, err)
		}
	}
	t.Cleanup(func() {
		for _, s := range streams {
			if s != nil {
				_ = s.conn.Close()
			}
		}
	})
	return streams
}

// serveOn serves a handler with an HTTP server of the test.
func serveOn(t *testing.T, server *http.Server) (addr string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}
