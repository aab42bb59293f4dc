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
	var got []codec.Value
	for _, notification := range r.Notifications {
		if notification.Method == method {
			got = append(got, codec.Value(notification.Params))
		}
	}
	if len(params) == 0 {
		if len(got) == 0 {
			r.t.Errorf("the client got no notification %s, only %v", method, r.methods())
		}
		return r
	}
	if len(got) != len(params) {
		r.t.Errorf("the client got %d notifications %s, want %d: %s", len(got), method, len(params), got)
		return r
	}
	for i, want := range params {
		encoded, err := codec.Marshal(want)
		if err != nil {
			r.t.Fatalf("the wanted value does not encode as JSON: %v", err)
		}
		if !sameJSON(encoded, got[i]) {
			r.t.Errorf("notification %d of %s has the params %s, want %s", i+1, method, got[i], encoded)
		}
	}
	return r
}

// AssertNotificationCount asserts that the client got n notifications of the method before
// the answer. With 0 it asserts that there was none.
func (r *Result) AssertNotificationCount(method string, n int) *Result {
	r.t.Helper()
	got := 0
	for _, notification := range r.Notifications {
		if notification.Method == method {
			got++
		}
	}
	if got != n {
		r.t.Errorf("the client got %d notifications %s, want %d; it got %v", got, method, n, r.methods())
	}
	return r
}

func (r *Result) methods() (methods []string) {
	for _, notification := range r.Notifications {
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
