package tools

import (
	"context"
	"errors"
	"iter"
)

// A Message is an item of a stream. A stream has any number of [Notification] and
// [Progress] items, then one [*CallResult].
type Message interface{ message() }

// A Notification is a notification that the client gets before the answer. Clients ignore
// methods that they don't support.
type Notification struct {
	Method string
	Params any // encodes as a JSON object; nil for none
}

// A Progress reports the progress of the call to the client. It is sent only if the
// client asked for progress and Done has increased.
type Progress struct {
	Done    float64
	Total   float64 // 0 if unknown
	Message string
}

func (Notification) message() {}
func (Progress) message()     {}

// A Stream is a result that arrives over a channel. Close the channel after the result.
// The producer must stop when the handler's context ends. Messages that it sends after
// that are received and dropped, so that it doesn't block forever. [StreamFunc] does all
// this.
type Stream <-chan Message

// A Seq is a result that an iterator yields. An error ends it.
type Seq iter.Seq2[Message, error]

func (Stream) result() {}
func (Seq) result()    {}

// ErrNoResult is logged for a stream that ends without a result.
var ErrNoResult = errors.New("the stream ended without a result; send a *tools.CallResult last")

// ErrSecondResult is logged for a stream that continues after its result.
var ErrSecondResult = errors.New("the stream continued after its result; send the *tools.CallResult last")

var errNoProducer = errors.New("tools.StreamFunc has no function to call; give it one")

// StreamFunc returns a result that produce sends, message by message. If send returns an
// error, the call has ended: return that error. An error from produce is treated like one
// from Handle.
func StreamFunc(ctx context.Context, produce func(send func(Message) error) error) Result {
	return Seq(func(yield func(Message, error) bool) {
		if produce == nil {
			yield(nil, errNoProducer)
			return
		}
		stopped := false
		err := produce(func(m Message) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if stopped || !yield(m, nil) {
				stopped = true
				return context.Canceled
			}
			return nil
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	})
}
