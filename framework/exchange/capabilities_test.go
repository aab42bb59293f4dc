package exchange_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/request/requesttest"
	"github.com/bowline-mcp/bowline/internal/spec"
)

func TestCapabilitiesAreThoseThatTheClientDeclares(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]exchange.Capabilities{
		``:                            {},
		`{}`:                          {},
		`[]`:                          {},
		`{"elicitation":{}}`:          {Form: true},
		`{"elicitation":{"form":{}}}`: {Form: true},
		`{"elicitation":{"url":{}}}`:  {URL: true},
		`{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{"listChanged":true}}`: {Form: true, URL: true, Sampling: true, Roots: true},
		`{"elicitation":null,"sampling":null,"roots":null,"extensions":null}`:             {},
		`{"elicitation":{"form":{},"url":null},"sampling":{"tools":null,"context":null}}`: {Form: true, Sampling: true},
		`{"elicitation":{"form":null,"url":{}}}`:                                          {URL: true},
		`{"sampling":{"tools":{},"context":{}}}`:                                          {Sampling: true, SamplingTools: true, SamplingContext: true},
	} {
		request := from(spec.Newest, said)
		got := request.Capabilities()
		if got.Form != want.Form || got.URL != want.URL || got.Sampling != want.Sampling || got.Roots != want.Roots ||
			got.SamplingTools != want.SamplingTools || got.SamplingContext != want.SamplingContext {
			t.Errorf("%s: got %+v, want %+v", said, got, want)
		}
	}
}

func TestExtensionsAreFoundByName(t *testing.T) {
	t.Parallel()
	request := from(spec.Newest, `{"extensions":{"example.com/search":{"depth":3},"example.com/none":null}}`)
	var settings struct {
		Depth int `json:"depth"`
	}
	capabilities := request.Capabilities()
	if !capabilities.Extension("example.com/search", &settings) || settings.Depth != 3 {
		t.Errorf("got %+v", settings)
	}
	if !capabilities.Extension("example.com/search", nil) || capabilities.Extension("example.com/other", nil) || capabilities.Extension("example.com/none", nil) {
		t.Error("an extension that is there is not found, or one that isn't is")
	}
}

func TestValuesLastForTheRequest(t *testing.T) {
	t.Parallel()
	request := served(&requesttest.Call{
		Received: request.Facts{Client: request.Client{Session: "a session"}, Meta: []byte(`{"traceparent":"00-a","tracestate":"b","baggage":"c"}`)},
		Ctx:      exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ada"}),
	})
	if request.Value("plan") != nil {
		t.Error("there is a value before one is set")
	}
	request.Set("plan", "gold")
	if request.Value("plan") != "gold" {
		t.Errorf("the value is %v", request.Value("plan"))
	}
	if request.Principal().ID != "ada" || request.SessionID() != "a session" {
		t.Errorf("the principal is %+v, the session %q", request.Principal(), request.SessionID())
	}
	if got := request.Trace(); got != (exchange.Trace{Parent: "00-a", State: "b", Baggage: "c"}) {
		t.Errorf("the trace is %+v", got)
	}
}
