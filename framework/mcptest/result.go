package mcptest

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// A Result is the answer to a call. Its assertions fail the test and show the actual
// answer. They return the result, so that they can be chained.
type Result struct {
	t      testing.TB
	client *Client
	id     int
	method string
	name   string
	params map[string]any // of the request
	raw    codec.Value    // the JSON of Call
	state  codec.Value    // the requestState to send back, nil if none
	status int            // of HTTP

	// One of these is the answer, depending on the method. All are nil if the answer is a
	// JSON-RPC error, or if the server asks the client first.
	Call       *tools.CallResult
	Read       *resources.ReadResult
	Get        *prompts.GetResult
	Completion *completion.Result

	// Questions are the questions that the server asks before the answer, by key.
	Questions map[string]Question

	// Err is the JSON-RPC error, or nil if there is none.
	Err *exchange.Error

	// Notifications are the notifications that came before the answer.
	Notifications []Notification
}

// read reads an answer: one JSON object, or a stream of events.
func (r *Result) read(w *httptest.ResponseRecorder) {
	r.t.Helper()
	r.status = w.Code
	for _, message := range messages(w.Header(), w.Body.Bytes()) {
		r.message(message)
	}
}

func (r *Result) message(data []byte) {
	r.t.Helper()
	var message struct {
		Notification
		Result codec.Value     `json:"result"`
		Error  *exchange.Error `json:"error"`
	}
	if err := codec.Unmarshal(data, &message); err != nil {
		r.t.Fatalf("the answer is not a message: %v\n%s", err, data)
	}
	switch {
	case message.Method != "":
		r.Notifications = append(r.Notifications, message.Notification)
	case message.Error != nil:
		r.Err = message.Error
	default:
		r.answer(message.Result)
	}
}

// answer decodes the result of the request's method.
func (r *Result) answer(result []byte) {
	r.t.Helper()
	if r.asked(result) {
		return
	}
	var err error
	switch r.method {
	case "resources/read":
		err = codec.Unmarshal(result, &r.Read)
	case "prompts/get":
		err = codec.Unmarshal(result, &r.Get)
	case "completion/complete":
		var wrapped struct {
			Completion *completion.Result `json:"completion"`
		}
		err = codec.Unmarshal(result, &wrapped)
		r.Completion = wrapped.Completion
	default:
		r.raw = result
		err = codec.Unmarshal(result, &r.Call)
	}
	if err != nil {
		r.t.Fatalf("the answer does not decode: %v\n%s", err, result)
	}
}

// Text returns the texts of all blocks, contents, messages or values of the answer, one
// per line.
func (r *Result) Text() string {
	var texts []string
	switch {
	case r.Err != nil:
		return r.Err.Message
	case r.Read != nil:
		for _, contents := range r.Read.Contents {
			texts = append(texts, contents.Text)
		}
	case r.Get != nil:
		for _, message := range r.Get.Messages {
			texts = append(texts, blockTexts(message.Content)...)
		}
	case r.Completion != nil:
		texts = r.Completion.Values
	case r.Call != nil:
		texts = blockTexts(r.Call.Content)
	}
	return strings.Join(texts, "\n")
}

func blockTexts(blocks []content.Block) (texts []string) {
	for _, block := range blocks {
		switch {
		case block.Type == content.TypeText:
			texts = append(texts, block.Text)
		case block.Type == content.TypeResource && block.Resource.Blob == nil:
			texts = append(texts, block.Resource.Text)
		case block.Type == content.TypeResourceLink:
			texts = append(texts, block.URI)
		}
	}
	return texts
}

// failed reports whether a tool returned an error.
func (r *Result) failed() bool { return r.Call != nil && r.Call.IsError }

// AssertOK asserts that the request succeeded: its answer is neither an error nor a
// question.
func (r *Result) AssertOK() *Result {
	r.t.Helper()
	switch {
	case r.Err != nil:
		r.t.Errorf("the call failed with the JSON-RPC error %d: %s%s", r.Err.Code, r.Err.Message, r.hint())
	case r.failed():
		r.t.Errorf("the tool returned an error: %s", r.Text())
	case r.Questions != nil:
		r.t.Errorf("the server asks first: %s; answer with Respond, Decline or Cancel", r.keys())
	}
	return r
}

// AssertSee asserts that the answer's text contains each of the texts.
func (r *Result) AssertSee(texts ...string) *Result {
	r.t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.Text(), text) {
			r.t.Errorf("the answer does not contain %q:\n%s", text, r.Text())
		}
	}
	return r
}

// AssertDontSee asserts that the answer's text contains none of the texts. For an error it
// looks at the message that the client gets.
func (r *Result) AssertDontSee(texts ...string) *Result {
	r.t.Helper()
	for _, text := range texts {
		if strings.Contains(r.Text(), text) {
			r.t.Errorf("the answer contains %q:\n%s", text, r.Text())
		}
	}
	return r
}

// AssertError asserts that the answer is an error, of the tool or of JSON-RPC, and that
// it contains each of the texts.
func (r *Result) AssertError(texts ...string) *Result {
	r.t.Helper()
	if r.Questions != nil {
		r.t.Errorf("the call did not fail; the server asks first: %s", r.keys())
	} else if r.Err == nil && !r.failed() {
		r.t.Errorf("the call did not fail; its answer is: %s", r.Text())
	}
	return r.AssertSee(texts...)
}

// AssertCompletes asserts that the suggestions of a completion are exactly these, in order.
func (r *Result) AssertCompletes(values ...string) *Result {
	r.t.Helper()
	switch {
	case r.Completion == nil:
		r.t.Errorf("the answer has no suggestions: %s", r.Text())
	case !slices.Equal(r.Completion.Values, values):
		r.t.Errorf("the suggestions are %q, want %q", r.Completion.Values, values)
	}
	return r
}

// AssertStructured asserts that the structured content is want, compared as JSON. Numbers
// are compared exactly, whatever their notation: 1 equals 1.0. Call.StructuredContent can't
// be compared in this way, since it has a float64 for each number.
func (r *Result) AssertStructured(want any) *Result {
	r.t.Helper()
	if r.Call == nil || !r.Call.HasStructured() {
		r.t.Errorf("the answer has no structured content: %s", r.Text())
		return r
	}
	encoded := r.client.marshal(badWanted, want)
	if got := rawjson.Follow(r.raw, "/structuredContent"); !sameJSON(got, encoded) {
		r.t.Errorf("the structured content is %s, want %s", got, encoded)
	}
	return r
}
