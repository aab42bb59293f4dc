package transport

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// An Admission admits requests that carry no message, such as those for the pages of an
// authorization server, within the shares of a client that messages have too.
type Admission struct {
	Shares   *throttle.Shares
	BodyTime time.Duration // to read a body
	Logger   *slog.Logger
}

// Handler returns a handler that counts a request as a running call of its client, and reads
// its body of at most size bytes before it passes the request on, when few others of the client
// run. A request counts as much as its weight. If it exceeds a limit, refuse writes the
// answer. A size of 0 means that no body is read.
func (a Admission) Handler(size, weight int64, refuse func(http.ResponseWriter, *http.Request, *exchange.Error), next http.Handler) http.Handler {
	bodies := bodies{size: size, time: a.BodyTime, memory: &a.Shares.Memory}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var running, held throttle.Holding
		defer a.Shares.Calls.Return(&running)
		defer a.Shares.Memory.Return(&held)
		refusal := a.Shares.Calls.Take(&running, 1, r)
		switch {
		case refusal != nil || r.ContentLength == 0:
		case size == 0:
			LeaveBody(w, r)
		default:
			body, _, err := bodies.read(w, r, &held)
			if err != nil {
				refusal = unreadable(err)
				break
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		if refusal == nil {
			a.serve(w, r, weight, next)
			return
		}
		logRefusal(a.Logger, r, refusal.Status, refusal.Message)
		for name, values := range refusal.Header {
			w.Header()[name] = values
		}
		if refusal.Status == http.StatusRequestTimeout { // the read deadline has passed, and a new one would keep the connection open
			w.Header().Set("Connection", "close")
		} else {
			LeaveBody(w, r)
			defer Drain(w, r)
		}
		refuse(w, r, refusal)
	})
}

// serve passes a request on when few others of its client run.
func (a Admission) serve(w http.ResponseWriter, r *http.Request, weight int64, next http.Handler) {
	leave, err := a.Shares.Requests.Enter(r.Context(), a.Shares.Client(r), weight)
	if err != nil {
		return // the client is gone
	}
	defer leave()
	next.ServeHTTP(w, r)
}
