// Onecall serves the reference app, calls one of its tools, and writes the coverage counters of
// one warm tools/call into the directory that its argument names. Package docs/road builds it
// with -cover, and reads the counters.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/coverage"
	"runtime/debug"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/events"
	"github.com/bowline-mcp/bowline/framework/mcp"

	"github.com/bowline-mcp/bowline/config"
	"github.com/bowline-mcp/bowline/routes"
)

// message is the call of a client of 2026-07-28.
const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"},"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"onecall","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}}}`

// warm is how many calls come first. They fill the pools and caches of the engine.
const warm = 8

// settle is how long the server gets after each answer to finish its work, so that this work
// counts towards the call.
const settle = 50 * time.Millisecond

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: onecall DIRECTORY; see docs/road")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "onecall:", err)
		os.Exit(1)
	}
}

// run serves the app, calls it, and writes the counters of the last call into a directory.
func run(directory string) error {
	authorization := config.OAuth()
	authorization.Store, authorization.Keys = "sqlite:"+filepath.Join(directory, "oauth.db"), filepath.Join(directory, "oauth.keys")
	configuration := config.App()
	configuration.Addr = "127.0.0.1:0"
	configuration.Logger = slog.New(slog.NewTextHandler(io.Discard, nil)) // the log line is part of a call
	app := mcp.New(configuration)
	routes.AI(app.Router, oauth.New(authorization))
	address, stopped := make(chan string, 1), make(chan struct{})
	events.Listen(app.Events, func(_ context.Context, started events.Started) { address <- started.Address })
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		defer close(stopped)
		app.Run(ctx, []string{"serve"}, nil, io.Discard, os.Stderr)
	}()
	defer func() {
		stop()
		<-stopped
	}()
	select {
	case <-stopped:
		return errors.New("the app does not serve")
	case host := <-address:
		return measure("http://"+host+"/mcp/demo", directory)
	}
}

// measure calls the server at a URL and writes the counters of the last call.
func measure(url, directory string) error {
	debug.SetGCPercent(-1) // a collection would empty the pools that the first calls fill
	for range warm {
		if err := call(url); err != nil {
			return err
		}
	}
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	if err := call(url); err != nil {
		return err
	}
	if err := coverage.WriteCountersDir(directory); err != nil {
		return err
	}
	return coverage.WriteMetaDir(directory)
}

// call sends the message. All calls use one connection of the default transport.
func call(url string) error {
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		return err
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"},
	}
	client := http.Client{Timeout: time.Minute}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || !strings.Contains(string(answer), `"text":"hello"`) {
		return fmt.Errorf("the call is answered %s: %s", response.Status, answer)
	}
	time.Sleep(settle)
	return nil
}
