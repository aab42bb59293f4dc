package mcptest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Transcript returns a client whose messages, and the messages of clients made from it, are
// compared with a golden file at the end of the test. The file has each request and its
// answer as a client and a server exchange them, so that a change of what models read is
// visible in a review. With the flag -update the file is written instead; the test package
// declares the flag:
//
//	var _ = flag.Bool("update", false, "write the golden files")
//
// Cursors and the states of questions differ from run to run; the file has "…" for them.
// The messages of a test must come one after another.
func (c *Client) Transcript(file string) *Client {
	c.t.Helper()
	recorded := &transcript{next: c.handler}
	changed := *c
	changed.handler, changed.session = recorded, "" // the transcript has the handshake too
	c.t.Cleanup(func() {
		if c.t.Failed() {
			return // the messages of a failed test may be incomplete
		}
		if problem := recorded.check(file); problem != nil {
			c.t.Errorf("%v", problem)
		}
	})
	return &changed
}

// A transcript records the messages of a handler.
type transcript struct {
	next http.Handler

	lock      sync.Mutex
	exchanges []*recording
}

// A recording has the body of a request and of its answer.
type recording struct {
	http.ResponseWriter
	method  string
	request []byte
	answer  bytes.Buffer
}

// Write records a part of the answer.
func (r *recording) Write(data []byte) (int, error) {
	r.answer.Write(data)
	return r.ResponseWriter.Write(data)
}

// Unwrap returns the writer that the handler would have without the recording.
func (r *recording) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Flush flushes the answer.
func (r *recording) Flush() { _ = http.NewResponseController(r.ResponseWriter).Flush() }

// ServeHTTP records a request and its answer. The request takes its place in the transcript
// before it is answered, since a subscription is answered until the test ends.
func (t *transcript) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	recorded := &recording{ResponseWriter: w, method: r.Method, request: body}
	t.lock.Lock()
	t.exchanges = append(t.exchanges, recorded)
	t.lock.Unlock()
	t.next.ServeHTTP(recorded, r)
}

// check compares the transcript with a file, or writes the file.
func (t *transcript) check(file string) error {
	got, err := t.text()
	if err != nil {
		return err
	}
	flagged := flag.Lookup("update")
	if flagged != nil && flagged.Value.String() == "true" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(got), 0o644)
	}
	update := "run the test with -update to write it"
	if flagged == nil {
		update += `; for that, the test package declares the flag: var _ = flag.Bool("update", false, "write the golden files")`
	}
	want, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no transcript %s; %s", file, update)
	}
	if err != nil {
		return err
	}
	if line, is, was := difference(got, strings.ReplaceAll(string(want), "\r\n", "\n")); line > 0 {
		return fmt.Errorf("%s:%d: the messages differ from the transcript; if the change is right, %s\nthe transcript has\n%s\nand the messages have\n%s",
			file, line, update, was, is)
	}
	return nil
}

// difference returns the first line in which two texts differ, or 0.
func difference(got, want string) (line int, is, was string) {
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for line < min(len(gotLines), len(wantLines)) && gotLines[line] == wantLines[line] {
		line++
	}
	if line == len(gotLines) && line == len(wantLines) {
		return 0, "", ""
	}
	at := func(lines []string) string {
		if line < len(lines) {
			return lines[line]
		}
		return ""
	}
	return line + 1, at(gotLines), at(wantLines)
}

// text returns all messages, each in indented JSON below the name of its sender.
func (t *transcript) text() (string, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	var out bytes.Buffer
	// Cursors, states of questions and the ids of requests in the log differ from run to run. The
	// first two are members of params or of a result.
	logID := regexp.MustCompile(`\(request [0-9a-f]{8}\)`)
	sealed := regexp.MustCompile(`(?m)^(\t\t"(?:cursor|nextCursor|requestState)": )"(?:[^"\\]|\\.)+"`)
	add := func(sender string, message []byte) error {
		value := codec.Value(bytes.Clone(message))
		if err := value.Indent(); err != nil {
			return fmt.Errorf("a message of the %s is not JSON: %w", sender, err)
		}
		fmt.Fprintf(&out, "%s:\n%s\n\n", sender, logID.ReplaceAll(sealed.ReplaceAll(value, []byte(`$1"…"`)), []byte("(request …)")))
		return nil
	}
	for _, exchange := range t.exchanges {
		if len(exchange.request) == 0 {
			fmt.Fprintf(&out, "client: %s\n\n", exchange.method)
		} else if err := add("client", exchange.request); err != nil {
			return "", err
		}
		for _, message := range messages(exchange.Header(), exchange.answer.Bytes()) {
			if message = bytes.TrimSpace(message); len(message) == 0 || message[0] != '{' && message[0] != '[' {
				continue // the text of a status
			}
			if err := add("server", message); err != nil {
				return "", err
			}
		}
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}
