// A program whose sources the tests of package dev edit.
package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/env"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// Server has tools that tell the greeting of their program.
type Server struct{ servers.Server }

// Tools lists the tools.
func (*Server) Tools() []servers.Tool {
	return []servers.Tool{&Greet{}, &Fail{}, &Slow{}, &Wait{}, &Poll{}, &Ask{}, &URL{}, &Address{}, &Exit{}, &Break{}, &Panic{}}
}

// Greet returns the greeting.
type Greet struct{ tools.Tool }

func (*Greet) Description() string { return "Greets." }

func (*Greet) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(greeting), nil
}

// Fail fails.
type Fail struct{ tools.Tool }

func (*Fail) Description() string { return "Fails." }

func (*Fail) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Error("It has failed.\nOn two lines."), nil
}

// Slow returns it after a while.
type Slow struct{ tools.Tool }

func (*Slow) Description() string { return "Waits, then greets." }

func (*Slow) Schema(s *schema.Object) { s.Integer("ms").Required() }

func (*Slow) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	select {
	case <-time.After(time.Duration(request.Int("ms")) * time.Millisecond):
		return tools.Text(greeting), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Wait returns it when a file exists.
type Wait struct{ tools.Tool }

func (*Wait) Description() string { return "Waits for a file, then greets." }

func (*Wait) Schema(s *schema.Object) { s.String("file").Required() }

func (*Wait) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	if err := os.WriteFile("waiting", nil, 0o600); err != nil {
		return nil, err
	}
	for {
		if _, err := os.Stat(request.String("file")); err == nil {
			return tools.Text(greeting), nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Poll closes the stream of its call, and returns the greeting when a file exists.
type Poll struct{ tools.Tool }

func (*Poll) Description() string { return "Lets its client reconnect, then greets." }

func (*Poll) Schema(s *schema.Object) { s.String("file").Required() }

func (*Poll) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	request.CloseStream(10 * time.Millisecond)
	return (*Wait)(nil).Handle(ctx, request)
}

// Ask asks the user for a name.
type Ask struct{ tools.Tool }

func (*Ask) Description() string { return "Asks for a name." }

func (*Ask) Handle(ctx context.Context, request *tools.Request) (tools.Result, error) {
	answer, err := request.Ask(ctx, "name", ask.Form("Which name?", func(form *ask.Fields) { form.String("name").Required() }))
	if err != nil {
		return nil, err
	}
	return tools.Text(greeting + " " + answer.String("name")), nil
}

// URL returns the URL of the program.
type URL struct{ tools.Tool }

func (*URL) Name() string { return "url" }

func (*URL) Description() string { return "Tells the program's URL." }

func (*URL) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(os.Getenv("APP_URL")), nil
}

// Address returns the address of the client.
type Address struct{ tools.Tool }

func (*Address) Description() string { return "Tells the client's address." }

func (*Address) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text(request.Address().String()), nil
}

// Exit ends the program.
type Exit struct{ tools.Tool }

func (*Exit) Description() string { return "Ends the program." }

func (*Exit) Handle(context.Context, *tools.Request) (tools.Result, error) {
	os.Exit(3)
	return nil, nil
}

// Break returns an error that isn't for the model.
type Break struct{ tools.Tool }

func (*Break) Description() string { return "Fails for a reason of its own." }

func (*Break) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return nil, errors.New("open orders.db: no such file\nopen backup.db: no such file")
}

// Panic panics, in a call or in a goroutine of its own.
type Panic struct{ tools.Tool }

func (*Panic) Description() string { return "Panics." }

func (*Panic) Schema(s *schema.Object) { s.Boolean("alone") }

func (*Panic) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	if !request.Bool("alone") {
		return tools.Text(item(nil)), nil
	}
	go slices.SortFunc([]string{"a", "b"}, func(_, _ string) int { return len(item(nil)) })
	select {}
}

func item(all []string) string { return all[3] }

func main() {
	_ = env.Load(".env")
	if env.String("FAIL_AT_BOOT", "") != "" {
		os.Exit(4)
	}
	var logger *slog.Logger
	if env.String("OWN_LOG", "") != "" {
		logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
	}
	app := mcp.New(mcp.Config{Logger: logger, LogFormat: env.String("APP_LOG_FORMAT", ""), LogLevel: env.String("APP_LOG_LEVEL", ""), Addr: env.String("APP_ADDR", "127.0.0.1:8080"), Key: env.List("APP_KEY"), TrustedProxies: env.List("APP_TRUSTED_PROXIES"),
		Drain: env.Duration("APP_DRAIN", 10*time.Second), StdioDrain: env.Duration("APP_STDIO_DRAIN", 2*time.Second)})
	server := &Server{}
	app.Router.Web("demo", server)
	app.Router.Local("demo", server)
	code := app.Main()
	if os.Args[1] != "list" {
		_ = os.WriteFile("stopped", nil, 0o600)
	}
	os.Exit(code)
}
