package mcptest

import (
	"bytes"
	"encoding/json"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// A Notification is a notification that came before the answer. Params is raw JSON.
type Notification struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// AssertNotified asserts that the client got notifications of the method with exactly
// these params, in order, compared as JSON with exact numbers. Without params it asserts that there was at
// least one.
func (r *Result) AssertNotified(method string, params ...any) *Result {
	r.t.Helper()
	got := r.paramsOf(method)
	if len(params) == 0 {
		if len(got) == 0 {
			r.t.Errorf("the client got no notification %s, only %v", method, methodsOf(r.Notifications))
		}
		return r
	}
	if len(got) != len(params) {
		r.t.Errorf("the client got %d notifications %s, want %d: %s", len(got), method, len(params), got)
		return r
	}
	for i, want := range params {
		if encoded := r.client.marshal(badWanted, want); !sameJSON(encoded, got[i]) {
			r.t.Errorf("notification %d of %s has the params %s, want %s", i+1, method, got[i], encoded)
		}
	}
	return r
}

// AssertNotificationCount asserts that the client got n notifications of the method before
// the answer. With 0 it asserts that there was none.
func (r *Result) AssertNotificationCount(method string, n int) *Result {
	r.t.Helper()
	if got := len(r.paramsOf(method)); got != n {
		r.t.Errorf("the client got %d notifications %s, want %d; it got %v", got, method, n, methodsOf(r.Notifications))
	}
	return r
}

// paramsOf returns the params of the notifications of a method.
func (r *Result) paramsOf(method string) (params []codec.Value) {
	for _, notification := range r.Notifications {
		if notification.Method == method {
			params = append(params, codec.Value(notification.Params))
		}
	}
	return params
}

func methodsOf(notifications []Notification) (methods []string) {
	for _, notification := range notifications {
		methods = append(methods, notification.Method)
	}
	return methods
}

// sameJSON reports whether two JSON values are equal. It compares numbers exactly, whatever
// their notation. Missing params of a notification, and values that are nested more than
// [rawjson.MaxNesting] deep, equal nothing.
func sameJSON(a, b []byte) bool {
	if rawjson.ScanValue(a, 0, rawjson.MaxNesting) < 0 || rawjson.ScanValue(b, 0, rawjson.MaxNesting) < 0 {
		return false
	}
	return bytes.Equal(rawjson.AppendCanonical(nil, a), rawjson.AppendCanonical(nil, b))
}
