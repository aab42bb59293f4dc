package exchange_test

import (
	"context"
	"errors"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/codec"
)

// wire is a link that answers with what it holds and notes what is sent.
type wire struct {
	client, params, meta string
	capabilities         string
	principal            exchange.Principal
	answers              map[string]string
	kept                 map[string][]byte
	sent                 []string
	gone                 error
	values               map[string]any
}

func raw(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

func (w *wire) Client() []byte       { return raw(w.client) }
func (w *wire) Capabilities() []byte { return raw(w.capabilities) }
func (w *wire) Session() string      { return "a session" }
func (w *wire) Context() context.Context {
	return exchange.WithPrincipal(context.Background(), w.principal)
}
func (w *wire) Address() netip.Addr          { return netip.MustParseAddr("192.0.2.7") }
func (w *wire) Set(key string, value any)    { w.values = map[string]any{key: value} }
func (w *wire) Value(key string) any         { return w.values[key] }
func (w *wire) Logs(level string) bool       { return level != "debug" }
func (w *wire) ProtocolVersion() string      { return "2026-07-28" }
func (w *wire) Method() string               { return "acme/reindex" }
func (w *wire) Params() []byte               { return raw(w.params) }
func (w *wire) Meta() []byte                 { return raw(w.meta) }
func (w *wire) PathValue(name string) string { return "the " + name }

func (w *wire) Progress(float64, float64, string) error { return w.gone }

func (w *wire) Kept(key string) []byte      { return w.kept[key] }
func (w *wire) Keep(key string, raw []byte) { w.kept[key] = raw }
func (w *wire) Refuse(key, reason string)   { w.sent = append(w.sent, key+" "+reason) }

func (w *wire) Ask(_ context.Context, questions []exchange.Asked) ([][]byte, error) {
	answers := make([][]byte, len(questions))
	for i, question := range questions {
		if answers[i] = raw(w.answers[question.Key]); answers[i] == nil {
			return nil, exchange.ErrInputRequired
		}
	}
	return answers, nil
}

func (w *wire) Log(level string, data []byte) error {
	w.sent = append(w.sent, level+" "+string(data))
	return w.gone
}

func (w *wire) CloseStream(retry time.Duration) { w.sent = append(w.sent, "retry "+retry.String()) }

func (w *wire) Notify(method string, params []byte) error {
	w.sent = append(w.sent, method+" "+string(params))
	return w.gone
}

func TestARequestTellsWhatWasAsked(t *testing.T) {
	t.Parallel()
	request := exchange.New(&wire{})
	if got := []string{request.ProtocolVersion(), request.Method(), request.PathValue("team"), request.Address().String()}; !reflect.DeepEqual(got, []string{"2026-07-28", "acme/reindex", "the team", "192.0.2.7"}) {
		t.Errorf("got %q", got)
	}
}

func TestAClientThatDoesNotSayWhoItIsHasNoName(t *testing.T) {
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
		request := exchange.New(&wire{client: test.said})
		if got := request.Client(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.said, got, test.want)
		}
	}
}

func TestClientsComeBackFromTheWire(t *testing.T) {
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
	request := exchange.New(&wire{meta: `{"example.com/trace":"abc","n":3}`})
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
	without := exchange.New(&wire{})
	if without.Meta("n", &n) {
		t.Error("a request without _meta has a member")
	}
}

func TestParamsAreBoundOrRefused(t *testing.T) {
	t.Parallel()
	var in struct {
		Page int `json:"page"`
	}
	request := exchange.New(&wire{params: `{"page":3,"_meta":{}}`})
	if err := request.Bind(&in); err != nil || in.Page != 3 {
		t.Errorf("got %+v, %v", in, err)
	}
	without := exchange.New(&wire{})
	if err := without.Bind(&in); err != nil {
		t.Errorf("no params give the error %v", err)
	}
	if err := request.Bind(in); err == nil || !strings.Contains(err.Error(), "is not a pointer to a struct; pass the address of one") {
		t.Errorf("a struct that is no pointer gives the error %v", err)
	}
	wrong := exchange.New(&wire{params: `{"page":"three"}`})
	refused, ok := errors.AsType[*exchange.Error](wrong.Bind(&in))
	if !ok || refused.Code != exchange.CodeInvalidParams || !strings.HasPrefix(refused.Message, "Invalid params: ") || !strings.Contains(refused.Message, "/page") {
		t.Errorf("wrong params give the error %+v", refused)
	}
}

func TestNotificationsCarryAnObject(t *testing.T) {
	t.Parallel()
	link := &wire{}
	request := exchange.New(link)
	for _, params := range []any{nil, map[string]int{"a": 1}, struct{}{}, map[string]int(nil)} {
		if err := request.Notify("acme/event", params); err != nil {
			t.Errorf("%v: %v", params, err)
		}
	}
	if want := []string{"acme/event ", `acme/event {"a":1}`, "acme/event {}", "acme/event {}"}; !reflect.DeepEqual(link.sent, want) {
		t.Errorf("sent %q, want %q", link.sent, want)
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
		t.Errorf("no method gives the error %v", err)
	}
	if len(link.sent) != 4 {
		t.Errorf("sent %q", link.sent)
	}
}

func TestAClientThatIsGoneIsAnError(t *testing.T) {
	t.Parallel()
	gone := errors.New("the client is gone")
	request := exchange.New(&wire{gone: gone})
	if err := request.Notify("a/b", nil); !errors.Is(err, gone) {
		t.Errorf("a notification gives %v", err)
	}
	if err := request.Progress(1, 2, ""); !errors.Is(err, gone) {
		t.Errorf("progress gives %v", err)
	}
}
