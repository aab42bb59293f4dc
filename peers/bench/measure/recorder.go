package measure

import (
	"net/http"
	"time"
)

// Recorder is an http.ResponseWriter that copies what is written into a buffer that it keeps. It has the deadlines
// and the flush of net/http's own writer, so that no handler takes a detour that it would not take when served.
type Recorder struct {
	Status int
	Body   []byte
	header http.Header
}

// NewRecorder returns a recorder. Its buffer grows with the first replies and is no larger than they are: a heap that the benchmark fills
// makes collections rare, and garbage look cheap that a server pays for.
func NewRecorder() *Recorder { return &Recorder{header: make(http.Header, 8)} }

// Reset makes the recorder ready for the next reply.
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

// FlushError is the flush that http.ResponseController looks for.
func (r *Recorder) FlushError() error { r.Flush(); return nil }

// SetReadDeadline is looked for by http.ResponseController.
func (r *Recorder) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is looked for by http.ResponseController.
func (r *Recorder) SetWriteDeadline(time.Time) error { return nil }

// EnableFullDuplex is looked for by http.ResponseController.
func (r *Recorder) EnableFullDuplex() error { return nil }
