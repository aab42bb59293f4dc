package measure

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// Conn is one keep-alive connection that sends the same encoded request repeatedly, without
// allocations.
type Conn struct {
	conn    net.Conn
	reader  *bufio.Reader
	request []byte
	body    []byte
}

// Dial connects to the address and encodes the request for the path.
func Dial(address, path string, request wire.Request) (*Conn, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("dial the server under test: %w", err)
	}
	return &Conn{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10), request: encodeRequest(address, path, request), body: make([]byte, 0, 256<<10)}, nil
}

// encodeRequest returns the bytes of the request on the connection.
func encodeRequest(address, path string, request wire.Request) []byte {
	var encoded bytes.Buffer
	fmt.Fprintf(&encoded, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n", path, address, len(request.Body))
	request.Header.Write(&encoded) //nolint:errcheck // writing to a buffer can't fail
	encoded.WriteString("\r\n")
	encoded.Write(request.Body)
	return encoded.Bytes()
}

// Close closes the connection.
func (c *Conn) Close() error { return c.conn.Close() }

// Run makes n exchanges, one after another.
func (c *Conn) Run(n int) error {
	for range n {
		if _, err := c.Do(); err != nil {
			return err
		}
	}
	return nil
}

// Do sends the request, reads the whole reply, and returns its body, which is valid until the next
// call. It returns an error if the status isn't 200.
func (c *Conn) Do() ([]byte, error) {
	if _, err := c.conn.Write(c.request); err != nil {
		return nil, fmt.Errorf("send the request: %w", err)
	}
	line, err := c.line()
	if err != nil {
		return nil, err
	}
	ok := bytes.HasPrefix(line, []byte("HTTP/1.1 200 "))
	length := int64(-1)
	for {
		if line, err = c.line(); err != nil {
			return nil, err
		}
		if len(line) == 0 {
			break
		}
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			if length, err = number(value, 10); err != nil {
				return nil, err
			}
		}
	}
	c.body = c.body[:0]
	if length >= 0 {
		err = c.take(length)
	} else {
		err = c.chunks()
	}
	if err == nil && !ok {
		err = fmt.Errorf("the status is not 200: %.300s", c.body)
	}
	return c.body, err
}

func (c *Conn) chunks() error {
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		size, err := number(line, 16)
		if err != nil {
			return err
		}
		if err := c.take(size); err != nil {
			return err
		}
		if _, err := c.line(); err != nil { // the line end behind each chunk, and the empty trailer
			return err
		}
		if size == 0 {
			return nil
		}
	}
}

func (c *Conn) take(n int64) error {
	start := len(c.body)
	if need := start + int(n); need <= cap(c.body) {
		c.body = c.body[:need]
	} else {
		c.body = append(c.body, make([]byte, n)...)
	}
	if _, err := io.ReadFull(c.reader, c.body[start:]); err != nil {
		return fmt.Errorf("read the reply body: %w", err)
	}
	return nil
}

func (c *Conn) line() ([]byte, error) {
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("read the reply: %w", err)
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// number parses an integer without allocating a string.
func number(digits []byte, base int) (int64, error) {
	n, err := strconv.ParseInt(string(digits), base, 64)
	if err != nil {
		return 0, fmt.Errorf("read a length: %w", err)
	}
	return n, nil
}

// Listen serves the handler on a free port of the loopback interface until the returned function is called.
func Listen(server *http.Server) (address string, stop func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen on loopback: %w", err)
	}
	go server.Serve(listener) //nolint:errcheck // ends with ErrServerClosed when stop is called
	return listener.Addr().String(), server.Close, nil
}

// FreeAddress returns the address of a port of the loopback interface that is free now.
func FreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}
