package throttle

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Semaphores let few requests of each client run at once. Further ones wait, and run in their
// order. One that has waited for long runs too: those before it wait for something else, such
// as another server. They are safe for concurrent use.
type Semaphores struct {
	Capacity int64         // for the weights of the requests of one client that run
	Patience time.Duration // of one that waits

	lock    sync.Mutex
	clients map[Key]*clientSemaphore
}

type clientSemaphore struct {
	*semaphore.Weighted
	requests int // that run or wait
}

// Enter waits until a request of a client with a weight may run, and returns a function that ends
// it. It returns the context's error if the context ends first.
func (s *Semaphores) Enter(ctx context.Context, client Key, weight int64) (leave func(), err error) {
	own := s.client(client)
	waiting, stop := context.WithTimeout(ctx, s.Patience)
	defer stop()
	if own.TryAcquire(weight) || own.Acquire(waiting, weight) == nil {
		return func() { own.Release(weight); s.forget(client, own) }, nil
	}
	if err := ctx.Err(); err != nil {
		s.forget(client, own)
		return nil, err
	}
	return func() { s.forget(client, own) }, nil
}

// client returns the semaphore of a client for one more request.
func (s *Semaphores) client(client Key) *clientSemaphore {
	s.lock.Lock()
	defer s.lock.Unlock()
	own := s.clients[client]
	if own == nil {
		if s.clients == nil {
			s.clients = map[Key]*clientSemaphore{}
		}
		own = &clientSemaphore{Weighted: semaphore.NewWeighted(s.Capacity)}
		s.clients[client] = own
	}
	own.requests++
	return own
}

// forget ends a request, and forgets a client without requests.
func (s *Semaphores) forget(client Key, own *clientSemaphore) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if own.requests--; own.requests > 0 {
		return
	}
	if delete(s.clients, client); len(s.clients) == 0 {
		s.clients = nil // a map doesn't shrink
	}
}
