package throttle

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// A Share bounds how many units of a resource, such as bytes or streams, the requests of a
// program hold at a time: for all clients together, and for each client. It is safe for
// concurrent use.
type Share struct {
	// Limit is how many units all clients may hold. Beyond it they are refused with 503.
	Limit int64

	// Client is how many units one client may hold. Beyond it the client is refused with
	// 429.
	Client int64

	// Spare is how many units may be held in all before units count towards clients.
	Spare int64

	// Unit names the units in errors, such as "bytes in running requests".
	Unit string

	// Setting is the name of the setting for Client, for the log. Key identifies the client
	// of a request.
	Setting string
	Key     func(*http.Request) Key
	Logger  *slog.Logger

	held atomic.Int64

	lock    sync.Mutex
	clients map[Key]int64 // units that count towards each client
	logged  time.Time     // when a refusal was last logged
	refused int           // refusals since then
}

// A Holding is the units that a request, a stream or a session holds of a share. The zero
// value holds none. One goroutine at a time may use it.
type Holding struct {
	// Counted are the units that count towards Client. Client is nil until the holder sets
	// it, or units count towards the client of a request. A pointer keeps the holding small:
	// it is part of every call.
	Counted int64
	Client  *Key

	units int64 // including Counted
}

// Take adds units to a holding, or returns why they are refused. Without a request and a
// client, units don't count towards a client. The caller must hold no lock that other clients
// need: if the client of a request is refused, Take returns after a delay.
func (s *Share) Take(h *Holding, units int64, r *http.Request) *exchange.Error {
	if held := s.held.Add(units); held > s.Spare { // the rest costs 15 % of a call in process
		return s.takeFor(h, units, held, r)
	}
	h.units += units
	return nil
}

// takeFor takes units that were added to held, and counts them towards the client.
func (s *Share) takeFor(h *Holding, units, held int64, r *http.Request) *exchange.Error {
	if held > s.Limit {
		s.held.Add(-units)
		return fault.TryAgain(limits.RetryBusy, http.StatusServiceUnavailable,
			"The server is busy: its clients have %d %s, the maximum; try again later", s.Limit, s.Unit)
	}
	if r != nil && h.Client == nil {
		h.Client = new(s.Key(r))
	}
	if h.Client != nil {
		if !s.count(*h.Client, units) {
			s.held.Add(-units)
			if r != nil {
				Delay(r.Context())
			}
			return s.Refuse(*h.Client)
		}
		h.Counted += units
	}
	h.units += units
	return nil
}

// count counts units towards a client, unless it would have too many.
func (s *Share) count(client Key, units int64) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.clients[client]+units > s.Client {
		return false
	}
	if s.clients == nil {
		s.clients = map[Key]int64{}
	}
	s.clients[client] += units
	return true
}

// Return returns all units of a holding.
func (s *Share) Return(h *Holding) {
	if h.units > 0 {
		s.held.Add(-h.units)
		if h.Counted > 0 {
			s.uncount(h, h.Counted)
		}
		*h = Holding{}
	}
}

// GiveBack returns some units of a holding.
func (s *Share) GiveBack(h *Holding, units int64) {
	s.held.Add(-units)
	h.units -= units
	if counted := min(units, h.Counted); counted > 0 {
		s.uncount(h, counted)
	}
}

// uncount no longer counts units towards a holding's client.
func (s *Share) uncount(h *Holding, units int64) {
	s.lock.Lock()
	defer s.lock.Unlock()
	h.Counted -= units
	if s.clients[*h.Client] -= units; s.clients[*h.Client] == 0 {
		delete(s.clients, *h.Client)
	}
	if len(s.clients) == 0 {
		s.clients = nil // a map doesn't shrink
	}
}

// Held returns how many units are held.
func (s *Share) Held() int64 { return s.held.Load() }

// Delay delays the answer to a client that is refused, unless its context ends. Without it,
// a client with many connections that retries at once would take the processor time of
// others: refusing a call costs as much as answering a small one.
func Delay(ctx context.Context) {
	timer := time.NewTimer(limits.RefusalDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Refuse returns the error for a client that exceeds its share. It logs refusals, at most
// one line a second.
func (s *Share) Refuse(client Key) *exchange.Error {
	s.lock.Lock()
	s.refused++
	refused := s.refused
	due := time.Since(s.logged) >= time.Second
	if due {
		s.logged, s.refused = time.Now(), 0
	}
	s.lock.Unlock()
	if due {
		s.Logger.Warn("a client exceeds its share and is refused", "client", client.String(),
			"setting", s.Setting, "limit", s.Client, "of", s.Unit, "refused", refused)
	}
	return fault.TryAgain(limits.RetryBusy, http.StatusTooManyRequests, "A client may have %d %s at once; try again when some are free", s.Client, s.Unit)
}
