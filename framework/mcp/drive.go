package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// driveSeq runs an iterator to its end.
func driveSeq(ctx context.Context, call *protocol.Call, tool string, seq tools.Seq) (final *tools.CallResult, err error) {
	for message, failed := range seq {
		switch {
		case failed != nil:
			return nil, failed
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case final != nil:
			call.Logger().Warn("a stream goes on after its result", "tool", tool, "error", tools.ErrSecondResult)
			return final, nil
		}
		if final, err = deliver(call, message); err != nil {
			return nil, err
		}
	}
	if final == nil {
		return nil, tools.ErrNoResult
	}
	return final, nil
}

// driveStream reads a channel up to the result. What comes after it, or after the
// end of the call, is read and dropped until the channel is closed, so that the
// producer never blocks for good.
func driveStream(ctx context.Context, call *protocol.Call, tool string, stream tools.Stream) (*tools.CallResult, error) {
	for {
		select {
		case message, open := <-stream:
			if !open {
				return nil, tools.ErrNoResult
			}
			final, err := deliver(call, message)
			if err != nil {
				drain(stream)
				return nil, err
			}
			if final != nil {
				go drainAfter(call.Logger().With("tool", tool), stream)
				return final, nil
			}
		case <-ctx.Done():
			drain(stream)
			return nil, ctx.Err()
		}
	}
}

func drain(stream tools.Stream) {
	for range stream {
	}
}

// closing is how long a stream may stay open after its result.
const closing = time.Second

// drainAfter drains a stream whose result has come, and complains if there is more
// or it stays open.
func drainAfter(logger *slog.Logger, stream tools.Stream) {
	timer := time.AfterFunc(closing, func() {
		logger.Warn("a stream stays open after its result; close the channel")
	})
	defer timer.Stop()
	for range stream {
		logger.Warn("a stream goes on after its result", "error", tools.ErrSecondResult)
		drain(stream)
	}
}

// deliver sends one message of a stream. It returns the result if that is what the
// message is.
func deliver(call *protocol.Call, message tools.Message) (*tools.CallResult, error) {
	switch message := message.(type) {
	case *tools.CallResult:
		if message != nil {
			return message, nil
		}
	case tools.Progress:
		return nil, call.Progress(message.Done, message.Total, message.Message)
	case tools.Notification:
		if message.Method == "" {
			return nil, errors.New("a stream gave a notification without a method; give it one, such as \"notifications/acme/opened\"")
		}
		params, err := encodeObject(message.Params)
		if message.Params == nil {
			params = nil
		}
		if err != nil {
			return nil, fmt.Errorf("the params of the notification %s: %w", message.Method, err)
		}
		return nil, call.Notify(message.Method, params)
	}
	return nil, fmt.Errorf("a stream gave %T, which is no message", message)
}
