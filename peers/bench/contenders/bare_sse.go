package contenders

import (
	"io"
	"net/http"
)

// BareSSE is the minimal stream: it reads the request, begins the stream with an event, and waits
// until the client disconnects.
func BareSSE() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // the body isn't needed
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {}\n\n")     //nolint:errcheck // the context ends when the client disconnects
		http.NewResponseController(w).Flush() //nolint:errcheck // likewise
		<-r.Context().Done()
	})
}
