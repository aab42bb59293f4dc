package mcp_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/test/gatetest"
)

// raceMessages are requests that end soon, with IDs that concurrent cancellations use.
func raceMessages(id string) []string {
	return []string{
		legacyCall(id, "echo", `{"message":`+id+`}`),
		`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":` + id + `,"method":"acme/unknown"}`,
		legacyCall(id, "stream", `{}`),
	}
}

// checkOwn checks that an answer belongs to a request.
func checkOwn(t *testing.T, id, body string) {
	t.Helper()
	if !strings.Contains(body, `"id":`+id+`,`) {
		t.Errorf("request %s gets the answer %s", id, body)
	}
	if strings.Contains(body, `"structuredContent"`) && !strings.Contains(body, `"message":`+id+`}`) {
		t.Errorf("request %s gets the result of another: %s", id, body)
	}
}

// Messages, calls and buffers are reused. A cancellation that arrives when a call ends
// must not reach the next call that uses them.
func TestCancellationsRaceWithAnswersInASession(t *testing.T) {
	t.Parallel()
	client := (&wireClient{handler: wireHandler(t, mcp.Config{}, newWireServer())}).open(t, "2025-11-25")
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range gatetest.Rounds(50, 150) {
				id := fmt.Sprintf(`"%d-%d"`, worker, i)
				for _, message := range raceMessages(id) {
					raced := make(chan struct{})
					go func() {
						client.post(t.Context(), cancelled(id), "")
						close(raced)
					}()
					w := client.post(t.Context(), message, "")
					switch body := w.Body.String(); {
					case w.Code == http.StatusOK && strings.Contains(body, "data: ") && !strings.Contains(body, `"id"`):
						// cancelled after its first notification
					case w.Code == http.StatusOK:
						checkOwn(t, id, body)
					case w.Code != http.StatusAccepted || body != "":
						t.Errorf("request %s gets %d %s", id, w.Code, body)
					}
					<-raced
				}
			}
		})
	}
	all.Wait()
}

func TestCancellationsRaceWithAnswersOnStdio(t *testing.T) {
	t.Parallel()
	server := newWireServer()
	p := startPipeline(t, mcp.Config{}, server)
	p.ask(t, initialize("2025-11-25"))
	go func() {
		for i := range gatetest.Rounds(500, 1500) {
			id := fmt.Sprintf(`"%d"`, i)
			lines := raceMessages(id)
			_, _ = io.WriteString(p.in, lines[i%len(lines)]+"\n"+cancelled(id)+"\n")
		}
		_, _ = io.WriteString(p.in, `{"jsonrpc":"2.0","id":"last","method":"ping"}`+"\n")
	}()
	for seen := map[string]bool{}; ; {
		line := p.next(t)
		if strings.Contains(line, `"method"`) {
			continue // a notification
		}
		got := readAnswer(t, line)
		if string(got.ID) == `"last"` {
			return
		}
		if seen[string(got.ID)] {
			t.Errorf("%s has two answers", got.ID)
		}
		seen[string(got.ID)] = true
		checkOwn(t, string(got.ID), line)
	}
}

// Modern calls share everything but their requests.
func TestAnswersOfManyClientsNeverMix(t *testing.T) {
	t.Parallel()
	client := &wireClient{handler: wireHandler(t, mcp.Config{}, newWireServer())}
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 300 {
				id := fmt.Sprintf(`"%d-%d"`, worker, i)
				checkOwn(t, id, client.call(t.Context(), id, "echo", `{"message":`+id+`}`).Body.String())
				if i%10 == 0 {
					checkOwn(t, id, client.call(t.Context(), id, "boom", `{}`).Body.String())
					checkOwn(t, id, client.call(t.Context(), id, "stream", `{}`).Body.String())
				}
			}
		})
	}
	all.Wait()
}
