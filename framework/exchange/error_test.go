package exchange_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func TestAnErrorHasTheTextOfItsCause(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  *exchange.Error
		want string
	}{
		{"message alone", &exchange.Error{Code: 1, Message: "No such page"}, "No such page"},
		{"with its cause", &exchange.Error{Code: 1, Message: "No such page", Err: fs.ErrNotExist}, "No such page: file does not exist"},
		{"the cause is not said twice", &exchange.Error{Code: 1, Message: "file does not exist", Err: fs.ErrNotExist}, "file does not exist"},
		{"a cause that ends the message", &exchange.Error{Code: 1, Message: "No page: file does not exist", Err: fs.ErrNotExist}, "No page: file does not exist"},
		{"a cause that begins the message", &exchange.Error{Code: 1, Message: "The client can't be asked, since it is old", Err: exchange.ErrCannotAsk}, "The client can't be asked, since it is old"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestAnErrorUnwrapsToItsCause(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("reading: %w", &exchange.Error{Code: exchange.CodeInvalidParams, Message: "No such page", Err: fs.ErrNotExist})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause is not in the chain")
	}
	if found, ok := errors.AsType[*exchange.Error](err); !ok || found.Code != -32602 {
		t.Errorf("found %+v in the chain", found)
	}
	if (&exchange.Error{}).Unwrap() != nil {
		t.Error("an error without a cause has one")
	}
}

func TestTheCodesAreThoseOfTheProtocol(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]int{
		exchange.CodeParseError: -32700, exchange.CodeInvalidRequest: -32600, exchange.CodeMethodNotFound: -32601,
		exchange.CodeInvalidParams: -32602, exchange.CodeInternalError: -32603,
		exchange.CodeHeaderMismatch: -32020, exchange.CodeMissingClientCapability: -32021, exchange.CodeUnsupportedProtocolVersion: -32022,
		exchange.CodeResourceNotFound: -32002,
	} {
		if code != want {
			t.Errorf("a code is %d, want %d", code, want)
		}
	}
}

func TestErrorsMarshalToTheWireFormAndBack(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  exchange.Error
		want string
	}{
		{"no data", exchange.Error{Code: -32601, Message: "Method not found"}, `{"code":-32601,"message":"Method not found"}`},
		{"an empty message is kept", exchange.Error{Code: 7}, `{"code":7,"message":""}`},
		{"data", exchange.Error{Code: 7, Message: "m", Data: map[string]any{"retryAfter": 5.0}}, `{"code":7,"message":"m","data":{"retryAfter":5}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, codec := range map[string]struct {
				marshal   func(any) ([]byte, error)
				unmarshal func([]byte, any) error
			}{"codec": {codec.Marshal, codec.Unmarshal}, "encoding/json": {json.Marshal, json.Unmarshal}} {
				got, err := codec.marshal(test.err)
				if err != nil || string(got) != test.want {
					t.Errorf("%s: got %s, %v, want %s", name, got, err, test.want)
				}
				var back exchange.Error
				if err := codec.unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, test.err) {
					t.Errorf("%s: came back as %+v, %v", name, back, err)
				}
			}
		})
	}
	secret, err := codec.Marshal(exchange.Error{Code: 7, Message: "m", Err: errors.New("the password is hunter2")})
	if err != nil || string(secret) != `{"code":7,"message":"m"}` {
		t.Errorf("the cause is in the wire form: %s, %v", secret, err)
	}
}

func TestErrorfKeepsTheErrorThatItWraps(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("wrapped: %w", exchange.Errorf("%s: %w", "a.txt", fs.ErrNotExist))
	public, ok := errors.AsType[*exchange.PublicError](err)
	if !ok || public.Error() != "a.txt: file does not exist" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestAQuestionWithoutAnAnswerSaysWhy(t *testing.T) {
	t.Parallel()
	err := &exchange.AskError{Key: "city", Reason: "it is too late", Err: exchange.ErrCannotAsk}
	if got, want := err.Error(), "The question city has no answer: it is too late"; got != want || !errors.Is(err, exchange.ErrCannotAsk) {
		t.Errorf("got %q, want %q", got, want)
	}
}
