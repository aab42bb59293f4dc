package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// stopUnderLoad stops a server while 100 clients call it, several times, and fails if a call that ran was not answered.
func stopUnderLoad(ctx context.Context, program string, stops int, out io.Writer) error {
	ran, lost, unanswered := 0, 0, 0
	for i := range stops {
		calls, err := stopOnce(ctx, program)
		if err != nil {
			return fmt.Errorf("stop %d: %w", i+1, err)
		}
		ran, lost, unanswered = ran+calls.ran, lost+calls.lost, unanswered+calls.closed
	}
	_, _ = fmt.Fprintf(out, "%d stops: %d calls ran, %d of them were not answered; %d clients met a closed connection without an answer\n", stops, ran, lost, unanswered)
	if lost > 0 || ran == 0 {
		return fmt.Errorf("%d of %d calls that ran were not answered", lost, ran)
	}
	return nil
}

// stopped are the calls of one stop.
type stopped struct{ ran, lost, closed int }

// stopOnce starts a server, lets 100 clients call it for a while, and stops it.
func stopOnce(ctx context.Context, program string) (stopped, error) {
	v, err := start(ctx, program)
	if err != nil {
		return stopped{}, err
	}
	defer v.kill()
	var lock sync.Mutex
	answered := map[string]bool{}
	var closed atomic.Int64
	var clients sync.WaitGroup
	for n := range 100 {
		clients.Go(func() {
			c := newClient(v.address, byte(10+n), 1)
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d", n, i)
				status, _, err := c.call(ctx, "small", id)
				switch {
				case err != nil:
					closed.Add(1)
					return
				case status != http.StatusOK: // the server says that it stops
					return
				}
				lock.Lock()
				answered[id] = true
				lock.Unlock()
			}
		})
	}
	time.Sleep(time.Second)
	_, ran, err := v.terminate()
	clients.Wait()
	lost := slices.DeleteFunc(slices.Clone(ran), func(id string) bool { return answered[id] })
	return stopped{len(ran), len(lost), int(closed.Load())}, err
}
