package exchange_test

import (
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/request/requesttest"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// served returns the request of a fake call.
func served(call *requesttest.Call) *exchange.Request {
	served := exchange.Request(call.Request())
	return &served
}

// of returns the request of a fake call with these facts.
func of(facts request.Facts) *exchange.Request { return served(&requesttest.Call{Received: facts}) }

// from returns the request of a client with these capabilities, which may be "".
func from(v spec.Version, capabilities string) *exchange.Request {
	return of(request.Facts{Client: request.Client{Version: v, Capabilities: []byte(capabilities)}})
}

func TestARequestHasItsMethodVersionAndAddress(t *testing.T) {
	t.Parallel()
	carrier := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	carrier.SetPathValue("team", "blue")
	request := served(&requesttest.Call{
		Received: request.Facts{Client: request.Client{Session: "s"}, Method: []byte("acme/reindex"), HTTP: carrier},
		From:     netip.MustParseAddr("192.0.2.7"),
	})
	got := []string{request.ProtocolVersion(), request.Method(), request.PathValue("team"), request.Address().String(), request.SessionID()}
	if want := []string{"2026-07-28", "acme/reindex", "blue", "192.0.2.7", "s"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	elsewhere := from(spec.Version20250618, "")
	if elsewhere.ProtocolVersion() != "2025-06-18" || elsewhere.PathValue("team") != "" || elsewhere.Address().IsValid() {
		t.Errorf("without HTTP it is of %s, with the part %q of the path, from %s", elsewhere.ProtocolVersion(), elsewhere.PathValue("team"), elsewhere.Address())
	}
}

func TestAClientWithoutADescriptionHasNoName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		said string
		want exchange.Client
	}{
		{"", exchange.Client{}},
		{`{"name":"c","version":"2"}`, exchange.Client{Name: "c", Version: "2"}},
		{
			`{"name":"c","title":"C","version":"2","description":"d","websiteUrl":"https://example.com","icons":[{"src":"data:,"}],"future":1}`,
			exchange.Client{Name: "c", Title: "C", Version: "2", Description: "d", WebsiteURL: "https://example.com", Icons: []content.Icon{{Src: "data:,"}}},
		},
	} {
		request := of(request.Facts{Client: request.Client{Info: []byte(test.said)}})
		if got := request.Client(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.said, got, test.want)
		}
	}
}

func TestClientsRoundTrip(t *testing.T) {
	t.Parallel()
	for wire, want := range map[string]exchange.Client{
		`{"name":"c","version":"2"}`: {Name: "c", Version: "2"},
		`{"name":"c","title":"C","version":"2","description":"d","websiteUrl":"https://example.com","icons":[{"src":"data:,"}]}`: {
			Name: "c", Title: "C", Version: "2", Description: "d", WebsiteURL: "https://example.com", Icons: []content.Icon{{Src: "data:,"}},
		},
	} {
		encoded, err := codec.Marshal(want)
		if err != nil || string(encoded) != wire {
			t.Errorf("got\n%s, %v\nwant\n%s", encoded, err, wire)
		}
		var back exchange.Client
		if err := codec.Unmarshal(encoded, &back); err != nil || !reflect.DeepEqual(back, want) {
			t.Errorf("%s came back as %+v, %v", wire, back, err)
		}
	}
}

func TestMetaIsDecodedByName(t *testing.T) {
	t.Parallel()
	request := of(request.Facts{Meta: []byte(`{"example.com/trace":"abc","n":3}`)})
	trace, n := "", 0
	if !request.Meta("example.com/trace", &trace) || trace != "abc" {
		t.Errorf("the text is %q", trace)
	}
	if !request.Meta("n", &n) || n != 3 {
		t.Errorf("the number is %d", n)
	}
	if request.Meta("n", &trace) || request.Meta("absent", &trace) {
		t.Error("a member that doesn't fit, or isn't there, was found")
	}
	without := served(&requesttest.Call{})
	if without.Meta("n", &n) {
		t.Error("a request without _meta has a member")
	}
}

func TestParamsAreBoundOrRefused(t *testing.T) {
	t.Parallel()
	var in struct {
		Page int `json:"page"`
	}
	request, wrong := of(request.Facts{Params: []byte(`{"page":3,"_meta":{}}`)}), of(request.Facts{Params: []byte(`{"page":"three"}`)})
	if err := request.Bind(&in); err != nil || in.Page != 3 {
		t.Errorf("got %+v, %v", in, err)
	}
	without := served(&requesttest.Call{})
	if err := without.Bind(&in); err != nil {
		t.Errorf("no params give the error %v", err)
	}
	if err := request.Bind(in); err == nil || !strings.Contains(err.Error(), "is not a pointer to a struct; pass the address of one") {
		t.Errorf("a struct instead of a pointer returns the error %v", err)
	}
	refusal, ok := errors.AsType[*exchange.Error](wrong.Bind(&in))
	if !ok || refusal.Code != exchange.CodeInvalidParams || !strings.HasPrefix(refusal.Message, "Invalid params: ") || !strings.Contains(refusal.Message, "/page") {
		t.Errorf("wrong params give the error %+v", refusal)
	}
}

func TestNotificationsCarryAnObject(t *testing.T) {
	t.Parallel()
	call := &requesttest.Call{}
	request := served(call)
	for _, params := range []any{nil, map[string]int{"a": 1}, struct{}{}, map[string]int(nil)} {
		if err := request.Notify("acme/event", params); err != nil {
			t.Errorf("%v: %v", params, err)
		}
	}
	if want := []string{"acme/event ", `acme/event {"a":1}`, "acme/event {}", "acme/event {}"}; !reflect.DeepEqual(call.Sent(), want) {
		t.Errorf("sent %q, want %q", call.Sent(), want)
	}
	for _, test := range []struct {
		params any
		want   string
	}{
		{[]int{1}, "notification acme/event: its params must be a JSON object, not [1]"},
		{"text", `notification acme/event: its params must be a JSON object, not "text"`},
		{map[string]any{"n": math.NaN()}, "notification acme/event: "},
		{func() {}, "notification acme/event: "},
	} {
		if err := request.Notify("acme/event", test.params); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%T: got the error %v, want %q", test.params, err, test.want)
		}
	}
	if err := request.Notify("", nil); err == nil || !strings.HasPrefix(err.Error(), "the notification has no method; give it one") {
		t.Errorf("no method returns the error %v", err)
	}
	if len(call.Sent()) != 4 {
		t.Errorf("sent %q", call.Sent())
	}
}

func TestADisconnectedClientIsAnError(t *testing.T) {
	t.Parallel()
	gone := errors.New("the client is gone")
	request := served(&requesttest.Call{Gone: gone})
	if err := request.Notify("a/b", nil); !errors.Is(err, gone) {
		t.Errorf("a notification returns %v", err)
	}
	if err := request.Progress(1, 2, ""); !errors.Is(err, gone) {
		t.Errorf("progress returns %v", err)
	}
}

func TestAStreamIsClosedWithARetryTime(t *testing.T) {
	t.Parallel()
	call := &requesttest.Call{}
	served(call).CloseStream(3 * time.Second)
	if got := call.Sent(); !slices.Equal(got, []string{"retry 3s"}) {
		t.Errorf("sent %q", got)
	}
}
