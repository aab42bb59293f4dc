package contenders

import (
	"io"
	"net/http"
)

// BareSSE is the least that a stream can be: it reads the request, begins the stream with an event, and waits until the
// client is gone.
func BareSSE() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // what doesn't come isn't needed
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {}\n\n")     //nolint:errcheck // a client that is gone ends the context
		http.NewResponseController(w).Flush() //nolint:errcheck // likewise
		<-r.Context().Done()
	})
}
