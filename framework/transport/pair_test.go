package transport_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/transport"
)

// An inbox has the messages that one end of a pair received.
type inbox struct {
	messages []string
	closed   int
}

// start starts an end of a pair.
func start(t *testing.T, end transport.Transport) *inbox {
	t.Helper()
	got := &inbox{}
	err := end.Start(t.Context(), transport.Handlers{
		Message: func(message []byte) { got.messages = append(got.messages, string(message)) },
		Error:   func(err error) { t.Errorf("the pair reports %v", err) },
		Close:   func() { got.closed++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAPairCarriesMessagesInBothDirectionsInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server := transport.Pair()
		atClient, atServer := start(t, client), start(t, server)
		scratch := make([]byte, 1)
		for i := range 9 {
			scratch[0] = '1' + byte(i) // a message may be used again
			if err := client.Send(t.Context(), scratch); err != nil {
				t.Fatal(err)
			}
		}
		if err := server.Send(t.Context(), []byte("answer")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := fmt.Sprint(atServer.messages, atClient.messages); got != "[1 2 3 4 5 6 7 8 9] [answer]" {
			t.Errorf("the ends have got %s", got)
		}
		if err := client.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestClosingOneEndOfAPairClosesBoth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server := transport.Pair()
		atClient, atServer := start(t, client), start(t, server)
		for _, end := range []transport.Transport{client, server, client} {
			if err := end.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		}
		synctest.Wait()
		if atClient.closed != 1 || atServer.closed != 1 {
			t.Errorf("the ends were notified %d and %d times, want once each", atClient.closed, atServer.closed)
		}
		for _, end := range []transport.Transport{client, server} {
			if err := end.Send(t.Context(), []byte("late")); err != transport.ErrClosed {
				t.Errorf("sending gets %v, want %v", err, transport.ErrClosed)
			}
		}
	})
}

func TestSendingToAnEndThatDoesNotReadWaits(t *testing.T) {
	t.Parallel()
	for what, tt := range map[string]struct {
		end  func(stop context.CancelFunc, client transport.Transport)
		want error
	}{
		"until the context ends":   {func(stop context.CancelFunc, _ transport.Transport) { stop() }, context.Canceled},
		"until the pair is closed": {func(_ context.CancelFunc, client transport.Transport) { _ = client.Close() }, transport.ErrClosed},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, server := transport.Pair()
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				failed := make(chan error)
				sent := 0
				go func() {
					for {
						if err := server.Send(ctx, []byte("message")); err != nil {
							failed <- err
							return
						}
						sent++
					}
				}()
				synctest.Wait()
				if sent != 64 {
					t.Errorf("%d messages are on the way, want 64", sent)
				}
				tt.end(stop, client)
				if err := <-failed; err != tt.want {
					t.Errorf("sending gets %v, want %v", err, tt.want)
				}
			})
		})
	}
}

func TestAnEndOfAPairStartsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, _ := transport.Pair()
		start(t, client)
		if err := client.Start(t.Context(), transport.Handlers{}); err == nil {
			t.Error("an end starts twice")
		}
		_ = client.Close()
	})
}
