package contenders

import (
	"io"
	"net/http"
	"strconv"
)

// NoOp reads the request body and writes a fixed reply. It measures the cost of net/http alone.
func NoOp(reply []byte) http.Handler {
	length := strconv.Itoa(len(reply))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header()["Content-Type"] = []string{"application/json"}
		w.Header()["Content-Length"] = []string{length}
		w.Write(reply) //nolint:errcheck // the client notices
	})
}

// ByHand writes the frames as an SSE stream and flushes each one.
func ByHand(frames [][]byte) http.Handler {
	events := make([][]byte, len(frames))
	for i, frame := range frames {
		events[i] = append(append([]byte("data: "), frame...), "\n\n"...)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header()["Content-Type"] = []string{"text/event-stream"}
		w.Header()["Cache-Control"] = []string{"no-cache"}
		w.Header()["X-Accel-Buffering"] = []string{"no"}
		flusher := w.(http.Flusher)
		for _, event := range events {
			if _, err := w.Write(event); err != nil {
				return
			}
			flusher.Flush()
		}
	})
}
