package docs_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/routes"
)

// In the pages of docs/guide, a JSON block that is a request is followed by one that is the demo app's answer. A requestState
// is written as …, as it is another one each time.
func TestTheGuideShowsWhatTheAppAnswers(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{Logger: slog.New(slog.DiscardHandler)})
	routes.AI(app.Router)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	state := regexp.MustCompile(`"requestState":"([^"]*)"`)
	for document, text := range documents(t) {
		if !strings.HasPrefix(document, "docs/guide/") {
			continue
		}
		call, carried := "", ""
		for _, b := range blocks(document, text) {
			if b.language != "json" {
				continue
			}
			shown := strings.TrimSpace(b.text)
			if call == "" {
				call = shown
				continue
			}
			got := answerOf(t, handler, strings.ReplaceAll(call, "…", carried))
			if match := state.FindStringSubmatch(got); match != nil {
				carried = match[1]
			}
			if got := state.ReplaceAllString(got, `"requestState":"…"`); got != shown {
				t.Errorf("%s:%d: the app answers\n%s\nnot\n%s", document, b.line, got, shown)
			}
			call = ""
		}
		if call != "" {
			t.Errorf("%s: the last JSON block has no answer", document)
		}
	}
}

// answerOf sends a request to the demo server, with the headers that belong to it.
func answerOf(t *testing.T, handler http.Handler, message string) string {
	t.Helper()
	var body struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
			URI  string `json:"uri"`
			Meta struct {
				Version string `json:"io.modelcontextprotocol/protocolVersion"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if err := json.Unmarshal([]byte(message), &body); err != nil || body.Method == "" {
		t.Fatalf("not a request: %v\n%s", err, message)
	}
	request := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp/demo", strings.NewReader(message))
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {body.Params.Meta.Version}, "Mcp-Method": {body.Method}, "Mcp-Name": {body.Params.Name + body.Params.URI},
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder.Body.String()
}

// A Go block after a link to a file is that file.
func TestTheGuideShowsFilesAsTheyAre(t *testing.T) {
	t.Parallel()
	shown := regexp.MustCompile("(?s)\\]\\(\\.\\./\\.\\./([^)]+\\.go)\\):\n\n```go\n(.*?)```")
	for document, text := range documents(t) {
		if !strings.HasPrefix(document, "docs/guide/") {
			continue
		}
		for _, match := range shown.FindAllStringSubmatch(text, -1) {
			if read(t, match[1]) != match[2] {
				t.Errorf("%s shows another %s than there is", document, match[1])
			}
		}
	}
}
