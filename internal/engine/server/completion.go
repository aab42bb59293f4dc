package server

import (
	"context"
	"errors"
	"reflect"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// completion returns the operation that completes the arguments of a prompt or the
// variables of a template, or nil if there are no sources.
func (s *Server) completion(subject *request.Subject, sources map[string]completion.Source, own []guardrails.Guardrail) *call.Operation {
	if sources == nil {
		return nil
	}
	operation, _ := s.withGuardrails(plainOperation{kind: guardrails.Complete, key: subject.Name, own: own, do: func(ctx context.Context, k *call.Call) (call.Result, error) {
		k.Facts().Input.Subject = subject
		source := sources[k.Facts().Input.Completing.Argument]
		if source == nil {
			source = completion.Values()
		}
		result, err := source.Complete(ctx, &completion.Request{Request: exchange.Request(request.New(k)), Value: k.Facts().Input.Completing.Value})
		if err != nil {
			return nil, err
		}
		encoded, err := codec.Marshal(result)
		if err != nil {
			return nil, err
		}
		return &protocol.Object{JSON: append(append([]byte(`{"completion":`), encoded...), '}')}, nil
	}})
	return operation
}

// checkSource returns an error for a source that is nil, or whose values can't be encoded as
// text.
func checkSource(source completion.Source) error {
	missing := errors.New("its completion source is nil; give one, such as completion.Values(\"a\", \"b\")")
	if source == nil {
		return missing
	}
	if value := reflect.ValueOf(source); (value.Kind() == reflect.Pointer || value.Kind() == reflect.Func) && value.IsNil() {
		return missing
	}
	if list, ok := source.(completion.List); ok {
		_, err := list.Complete(context.Background(), &completion.Request{})
		return err
	}
	return nil
}
