package measure

import (
	"net/http"
	"time"
)

// Recorder is an http.ResponseWriter that writes to a buffer, which it reuses. It has the methods
// of net/http's own writer for flushing and deadlines, so that handlers run the same code as when
// they are served.
type Recorder struct {
	Status int
	Body   []byte
	header http.Header
}

// NewRecorder returns a recorder. Its buffer grows only as large as the replies need: with a large
// heap in the benchmark, garbage collections would be rarer than in a real server.
func NewRecorder() *Recorder { return &Recorder{header: make(http.Header, 8)} }

// Reset prepares the recorder for the next reply.
func (r *Recorder) Reset() {
	clear(r.header)
	r.Status, r.Body = 0, r.Body[:0]
}

// Header implements http.ResponseWriter.
func (r *Recorder) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *Recorder) WriteHeader(status int) {
	if r.Status == 0 {
		r.Status = status
	}
}

// Write implements http.ResponseWriter.
func (r *Recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.Body = append(r.Body, p...)
	return len(p), nil
}

// WriteString implements io.StringWriter.
func (r *Recorder) WriteString(s string) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.Body = append(r.Body, s...)
	return len(s), nil
}

// Flush implements http.Flusher.
func (r *Recorder) Flush() { r.WriteHeader(http.StatusOK) }

// FlushError is called by http.ResponseController.
func (r *Recorder) FlushError() error { r.Flush(); return nil }

// SetReadDeadline is called by http.ResponseController.
func (r *Recorder) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is called by http.ResponseController.
func (r *Recorder) SetWriteDeadline(time.Time) error { return nil }

// EnableFullDuplex is called by http.ResponseController.
func (r *Recorder) EnableFullDuplex() error { return nil }
