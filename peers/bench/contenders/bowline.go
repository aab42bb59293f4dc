package contenders

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// bowlineServer is a server with the tools of a kit.
type bowlineServer struct {
	servers.Server
	kit Kit
}

func (*bowlineServer) Name() string    { return name }
func (*bowlineServer) Version() string { return version }
func (*bowlineServer) PageSize() int   { return wire.Tools }

func (s *bowlineServer) Tools() []servers.Tool {
	var all []servers.Tool
	for _, tool := range s.kit.echoNames() {
		all = append(all, tools.Func(tool, description, echo))
	}
	if s.kit == Stream {
		all = append(all, &streamTool{})
	}
	return all
}

// streamTool sends progress, then a result.
type streamTool struct{ tools.Tool }

func (*streamTool) Name() string            { return StreamTool }
func (*streamTool) Description() string     { return description }
func (*streamTool) Schema(s *schema.Object) { s.Struct(wire.EchoIn{}) }

func (*streamTool) Handle(ctx context.Context, _ *tools.Request) (tools.Result, error) {
	return tools.StreamFunc(ctx, func(send func(tools.Message) error) error {
		for i := range wire.Notifications {
			if err := send(tools.Progress{Done: float64(i + 1), Total: wire.Notifications}); err != nil {
				return err
			}
		}
		return send(tools.Text("done"))
	}), nil
}

// app returns the whole App with every limit at its default. The peers write no log, so its
// logger is disabled unless the variant logs.
func app(kit Kit, path, address string, logger *slog.Logger) *mcp.App {
	return appOf(&bowlineServer{kit: kit}, path, address, logger)
}

func appOf(server *bowlineServer, path, address string, logger *slog.Logger) *mcp.App {
	app := mcp.New(mcp.Config{Addr: address, Logger: logger})
	app.Router.Web(path, server)
	app.Router.Local(name, server)
	return app
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Bowline returns the App's handler, with routing and all checks and limits.
func Bowline(kit Kit, path string) (http.Handler, error) {
	return app(kit, path, "", silent()).Handler()
}

// BowlineLogging returns the same handler with a log line for each call, which is discarded.
func BowlineLogging(kit Kit, path string) (http.Handler, error) {
	return app(kit, path, "", slog.New(slog.NewTextHandler(io.Discard, nil))).Handler()
}

// BowlineServe serves like the serve command, with the timeouts of its HTTP server, until stop is
// called.
func BowlineServe(kit Kit, path string) (address string, stop func() error, err error) {
	return serveBowline(&bowlineServer{kit: kit}, path)
}

// BowlineChanging is like BowlineServe. Each call of change adds a tool, or removes it again.
func BowlineChanging(kit Kit, path string) (address string, change, stop func() error, err error) {
	server, added := &bowlineServer{kit: kit}, false
	address, stop, err = serveBowline(server, path)
	change = func() error {
		if added = !added; !added {
			server.RemoveTool("late")
			return nil
		}
		return server.AddTool(tools.Func("late", description, echo))
	}
	return address, change, stop, err
}

func serveBowline(server *bowlineServer, path string) (address string, stop func() error, err error) {
	return serveApp(func(address string) *mcp.App { return appOf(server, path, address, silent()) })
}

// serveApp serves an App, which gets its address, until stop is called.
func serveApp(app func(address string) *mcp.App) (address string, stop func() error, err error) {
	if address, err = measure.FreeAddress(); err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- app(address).Run(ctx, []string{"serve"}, nil, io.Discard, io.Discard)
	}()
	stop = func() error {
		cancel()
		if code := <-ended; code != 0 {
			return fmt.Errorf("bowline's serve command ended with code %d", code)
		}
		return nil
	}
	for range 100 {
		if conn, err := net.Dial("tcp", address); err == nil {
			return address, stop, conn.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return "", nil, fmt.Errorf("bowline does not listen on %s after a second: %w", address, stop())
}

// BowlineStdio serves like the start command, until the input ends. A nil logger is the default one.
func BowlineStdio(ctx context.Context, in io.Reader, out, log io.Writer, logger *slog.Logger) error {
	if code := app(One, "/", "", logger).Run(ctx, []string{"start", name}, in, out, log); code != 0 {
		return fmt.Errorf("bowline's start command ended with code %d", code)
	}
	return nil
}
