package tools

import (
	"context"
	"errors"
	"iter"
)

// A Message is an item of a stream, which has any number of [Notification] and
// [Progress], then one [*CallResult].
type Message interface{ message() }

// A Notification tells the client something before the answer. Clients ignore
// methods they don't know.
type Notification struct {
	Method string
	Params any // encodes as a JSON object; nil for none
}

// A Progress tells the client how far the work is. It is sent if the client asked for
// progress, and if Done is more than the last time.
type Progress struct {
	Done    float64
	Total   float64 // 0 if unknown
	Message string
}

func (Notification) message() {}
func (Progress) message()     {}

// A Stream is a result that comes over a channel. Close the channel after the result.
// The producer must stop when the handler's context ends. Messages that it still sends
// then are read and dropped, so that it never blocks for good. [StreamFunc] does all
// this.
type Stream <-chan Message

// A Seq is a result that comes from an iterator. An error ends it.
type Seq iter.Seq2[Message, error]

func (Stream) result() {}
func (Seq) result()    {}

// ErrNoResult is logged for a stream that ends without a result.
var ErrNoResult = errors.New("the stream ended without a result; send a *tools.CallResult last")

// ErrSecondResult is logged for a stream that goes on after its result.
var ErrSecondResult = errors.New("the stream went on after its result")

var errNoProducer = errors.New("tools.StreamFunc has no function to call; give it one")

// StreamFunc returns a result that produce sends, message by message. If send returns
// an error, nobody listens any more: return it. The error of produce is treated like
// one of Handle.
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
