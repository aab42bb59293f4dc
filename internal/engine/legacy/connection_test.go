package legacy_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/legacy"
	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/engine/transport/transporttest"
)

func TestAConnectionBeginsWithInitialize(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		p := s.Connect(t, s.handler)
		p.Send(callOf(1, "hello"))
		p.Gets(t, "begin with initialize")
		p.Send(requestOf(1, "ping", `{}`))
		p.Gets(t, `"result":{}`)
		p.Send(batch(callOf(1, "hello")))
		p.Gets(t, "send one message at a time")
		p.Send(notification("notifications/initialized", `{}`))
		p.Send(`{`)
		p.Gets(t, "-32700")
		p.Send(requestOf(1, "initialize", `{}`))
		p.Gets(t, "-32602")
		p.Send(initialize("2025-03-26"))
		p.Gets(t, `"protocolVersion":"2025-03-26"`)
		p.Send(`{`)
		p.Gets(t, `"id":null`)
		p.Send(callOf(1, "hello"))
		p.Gets(t, "hello")
		p.Send(batch(callOf(1, "hello"), requestOf(2, "ping", `{}`)))
		p.Gets(t, `[{"jsonrpc"`)
		p.Send(requestOf(1, "logging/setLevel", `{"level":"debug"}`))
		p.Gets(t, `"result":{}`)
	})
}

func TestAConnectionNotifiesItsClientOfChanges(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		visible := true
		s.addResource("docs://a", func(context.Context) bool { return visible })
		p := s.Connect(t, s.handler)
		s.change() // the client isn't notified before initialize
		p.Send(initialize("2025-11-25"))
		p.Gets(t, `"protocolVersion"`)
		s.change()
		p.Gets(t, "tools/list_changed")
		p.Send(requestOf(1, "resources/subscribe", `{"uri":"docs://a"}`))
		p.Gets(t, `"result":{}`)
		s.Core.ResourceUpdated("docs://a")
		p.Gets(t, `"uri":"docs://a"`)
		visible = false
		s.Core.ResourceUpdated("docs://a")
		p.Gets(t)
		p.Send(initialize("2025-06-18")) // replaces the first
		p.Gets(t, `"protocolVersion":"2025-06-18"`)
		visible = true
		s.Core.ResourceUpdated("docs://a")
		s.change()
		p.Gets(t, "tools/list_changed")
	})
}

func TestAClientIsAskedOnItsConnection(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		s.asks = []question{{"roots/list", `{}`}}
		p := s.Connect(t, s.handler)
		p.Send(initialize("2025-11-25"))
		p.Gets(t, `"protocolVersion"`)
		p.Send(callOf(7, "ask"))
		synctest.Wait()
		ids := questionIDs(<-p.Lines)
		if len(ids) != 1 {
			t.Fatalf("the questions have the ids %q", ids)
		}
		p.Send(initialize("2025-11-25")) // the question stays open
		p.Gets(t, `"protocolVersion"`)
		p.Send(`{"jsonrpc":"2.0","id":` + ids[0] + `,"result":{"roots":[]}}`)
		time.Sleep(time.Millisecond) // the answer is sent a moment after the notification
		p.Gets(t, `"method":"heard","params":{"roots":[]}`, `"id":7,"result"`)
	})
}

func TestAConnectionStopsNotifyingAClientThatDoesNotRead(t *testing.T) {
	transporttest.Bubble(t, func(t *testing.T) {
		s := newServer(t, legacy.Config{})
		in, writer := io.Pipe()
		reader, out := io.Pipe()
		ctx, ended := exchange.WithPrincipal(t.Context(), exchange.Principal{ID: "ada"}), make(chan struct{})
		go func() {
			defer close(ended)
			_ = transport.NewStdio(s.Core, s.handler, in, out, s.Limits, slog.New(slog.DiscardHandler)).Serve(ctx)
		}()
		_, _ = io.WriteString(writer, initialize("2025-11-25")+"\n")
		_, _ = bufio.NewReader(reader).ReadString('\n')
		s.change()
		time.Sleep(2 * time.Minute)
		s.change()
		synctest.Wait()
		if !strings.Contains(s.Log.String(), `"a client is no longer notified of changes" error="the client does not read its notifications" principal=ada`) {
			t.Errorf("the log doesn't say so with the principal of the connection:\n%s", s.Log)
		}
		_, _ = reader.Close(), writer.Close()
		<-ended
	})
}
