package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/buffertest"
)

// working is a server whose tool ends in every outcome.
func working() *office {
	server := guardedBy(guardrails.Func(func(ctx context.Context, operation *guardrails.Operation, next guardrails.Next) error {
		if secret, _ := operation.Argument("secret"); secret != "" {
			return guardrails.Errorf("No secrets.")
		}
		return next(ctx, operation)
	}))
	server.work = func(ctx context.Context, r *tools.Request) (tools.Result, error) {
		switch r.String("task") {
		case "refuse":
			return nil, tools.Errorf("There is no desk %d.", 7)
		case "isError":
			return tools.Error("There is no desk 8."), nil
		case "ask":
			_, err := r.Ask(ctx, "sure", ask.Confirm("Sure?"))
			return nil, err
		case "fail":
			return nil, fmt.Errorf("reading the desk: %w", errors.New("no such table"))
		case "panic":
			panic("boom")
		case "wait":
			<-ctx.Done()
			return nil, ctx.Err()
		case "hang":
			time.Sleep(10 * time.Second)
			return nil, errors.New("too late")
		}
		r.Logger().Info("a handler's line")
		return tools.Text("done"), nil
	}
	return server
}

// A logClient sends messages as ann. It waits for the answer to each, but not to one that is
// canceled.
type logClient struct {
	version string
	send    func(message string)
	cancel  func(message string)
}

func (c *logClient) message(method, params string) string {
	if c.version == "2026-07-28" {
		params = strings.TrimSuffix(params, "}") + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}`
	}
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

func (c *logClient) work(arguments string) string {
	return c.message("tools/call", `{"name":"work","arguments":`+arguments+`}`)
}

// everyOutcome makes the server log each outcome.
func (c *logClient) everyOutcome() {
	c.send(c.work(`{"task":"fine"}`))
	c.send(c.message("tools/list", `{"cursor":""}`))
	c.send(c.work(`{"task":"refuse"}`))
	c.send(c.work(`{"task":"isError"}`))
	c.send(c.work(`{"task":3}`))
	c.send(c.work(`{"secret":"x"}`))
	c.send(c.message("tools/call", `{"name":"worc"}`))
	c.send(c.message("resources/read", `{"uri":"docs://none"}`))
	if c.version == "2026-07-28" { // an older client is asked while the call runs
		c.send(c.work(`{"task":"ask"}`))
	}
	c.send(c.work(`{"task":"fail"}`))
	c.send(c.work(`{"task":"panic"}`))
	c.cancel(c.work(`{"task":"wait"}`))
	c.send(c.work(`{"task":"wait"}`))
	c.send(c.work(`{"task":"hang"}`))
	time.Sleep(20 * time.Second)
}

func TestTheLogHasALineOfEachOutcome(t *testing.T) {
	t.Parallel()
	ann := exchange.Principal{ID: "ann"}
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		for transport, run := range map[string]func(t *testing.T, app *mcp.App){
			"http": func(t *testing.T, app *mcp.App) {
				app.Router.Web("/mcp", working())
				handler, err := app.Handler()
				must(t, err)
				client, header := logClient{version: version}, http.Header{}
				post := func(ctx context.Context, message string) *httptest.ResponseRecorder {
					r := httptest.NewRequestWithContext(exchange.WithPrincipal(ctx, ann), http.MethodPost, "http://127.0.0.1:8080/mcp", strings.NewReader(message))
					r.Header = header.Clone()
					for name, value := range map[string]string{
						"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": version,
						"Mcp-Method": regexp.MustCompile(`"method":"([^"]+)"`).FindStringSubmatch(message)[1],
					} {
						r.Header.Set(name, value)
					}
					if name := regexp.MustCompile(`"(?:name|uri)":"([^"]+)"`).FindStringSubmatch(message); name != nil {
						r.Header.Set("Mcp-Name", name[1])
					}
					w := httptest.NewRecorder()
					handler.ServeHTTP(w, r)
					return w
				}
				if version != "2026-07-28" {
					header.Set("Mcp-Session-Id", post(t.Context(), initialize(version)).Header().Get("Mcp-Session-Id"))
				}
				client.send = func(message string) { post(t.Context(), message) }
				client.cancel = func(message string) {
					ctx, hangUp := context.WithCancel(t.Context())
					go post(ctx, message)
					synctest.Wait()
					if hangUp(); version != "2026-07-28" {
						post(t.Context(), cancelled(`1`))
					}
					synctest.Wait()
				}
				client.everyOutcome()
			},
			"stdio": func(t *testing.T, app *mcp.App) {
				app.Router.Local("office", working()).As(ann)
				in, stdin := io.Pipe()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					app.Run(t.Context(), []string{"start", "office"}, in, io.Discard, io.Discard)
				}()
				write := func(message string) {
					_, err := io.WriteString(stdin, message+"\n")
					must(t, err)
					synctest.Wait()
				}
				if version != "2026-07-28" {
					write(initialize(version))
				}
				(&logClient{version, func(message string) {
					write(message)
					time.Sleep(3 * time.Second)
				}, func(message string) {
					write(message)
					write(cancelled(`1`))
				}}).everyOutcome()
				must(t, stdin.Close())
				<-ended
			},
		} {
			t.Run(version+" "+transport, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var log buffertest.Buffer
					run(t, mcp.New(mcp.Config{CallTimeout: 2 * time.Second, Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}))
					compareLog(t, "calls_"+version+"_"+transport, log.String())
				})
			})
		}
	}
}

// compareLog compares lines of JSON with a file of testdata/log. What differs between runs is
// checked and replaced, an id of a request by its number.
func compareLog(t *testing.T, name, log string) {
	t.Helper()
	var lines strings.Builder
	numbers := map[string]int{}
	for line := range strings.Lines(log) {
		if !strings.Contains(line, `"server":"office"`) {
			continue // of the program
		}
		if !regexp.MustCompile(`"request":"[0-9a-f]{8}","principal":"ann","client":"c/1"}`).MatchString(line) {
			t.Errorf("the line doesn't name its request, principal and client: %s", line)
		}
		line = regexp.MustCompile(`"time":"[^"]+",`).ReplaceAllString(line, "")
		line = regexp.MustCompile(`"(took|after)":\d+`).ReplaceAllString(line, `"$1":0`)
		line = regexp.MustCompile(`log_golden_test\.go:\d+`).ReplaceAllString(line, "log_golden_test.go:1")
		line = regexp.MustCompile(`"stack":"(?:[^"\\]|\\.)*log_golden_test\.go(?:[^"\\]|\\.)*"`).ReplaceAllString(line, `"stack":"…"`)
		line = regexp.MustCompile(`"request":"[0-9a-f]{8}"`).ReplaceAllStringFunc(line, func(id string) string {
			if numbers[id] == 0 {
				numbers[id] = len(numbers) + 1
			}
			return fmt.Sprintf(`"request":"%d"`, numbers[id])
		})
		lines.WriteString(line)
	}
	file := filepath.Join("testdata", "log", name+".golden")
	if *update {
		must(t, os.WriteFile(file, []byte(lines.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if lines.String() != string(want) {
		t.Errorf("the log is\n%s\nbut %s has\n%s\nrun the test with -update to accept it", lines.String(), file, want)
	}
}
