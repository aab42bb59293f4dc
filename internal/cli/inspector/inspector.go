// Package inspector runs the official MCP Inspector, a web page on which a person uses a
// server, at a pinned version. It needs Node.js; npx gets the Inspector from the registry.
package inspector

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Package is the npm package of the Inspector, at the version whose flags and variables this
// package knows.
const Package = "@modelcontextprotocol/inspector@2.12.0"

// Defaults of the web page's address.
const (
	DefaultHost = "127.0.0.1"
	DefaultPort = 6274
)

// readyTime is the time for npx to get the Inspector, and for that to start.
const readyTime = 3 * time.Minute

// stopTime is the time that the processes of the Inspector have to end by themselves.
const stopTime = 5 * time.Second

// A Server is what the Inspector connects to: a program on stdio or a URL.
type Server struct {
	Name    string
	Command string
	Args    []string
	// Env has the variables of the program's environment. Without it, the Inspector starts the
	// program with a few variables of its own environment only, such as PATH and HOME.
	Env map[string]string
	URL string
}

// Configuration returns the Inspector's configuration with one server. The Inspector finds
// out which versions of the protocol it speaks.
func Configuration(s Server) ([]byte, error) {
	type entry struct {
		Type    string            `json:"type"`
		Command string            `json:"command,omitempty"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
		URL     string            `json:"url,omitempty"`
		Era     string            `json:"protocolEra"`
	}
	one := entry{Type: "stdio", Command: s.Command, Args: s.Args, Env: s.Env, Era: "auto"}
	if s.URL != "" {
		one = entry{Type: "streamable-http", URL: s.URL, Era: "auto"}
	}
	return codec.Indent(map[string]map[string]entry{"mcpServers": {s.Name: one}})
}

// Options are the address of the web page, and whether a browser is opened.
type Options struct {
	Host string // 127.0.0.1 if empty
	Port int    // if it is 0, 6274, or any other if that is busy
	Open bool
	// Ready is called when the web page is there.
	Ready func(url string)
	// Log gets the other messages of the Inspector.
	Log io.Writer
}

// Run runs the Inspector with a configuration until the context ends, which is not an error.
// It ends all processes of the Inspector.
func Run(ctx context.Context, configuration []byte, options Options) (problem error) {
	npx, err := exec.LookPath("npx")
	if err != nil {
		return fmt.Errorf("there is no npx on the PATH: %w", err)
	}
	host := cmp.Or(options.Host, DefaultHost)
	port, err := freePort(host, options.Port)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "mcp-inspector-")
	if err != nil {
		return fmt.Errorf("write the Inspector's configuration: %w", err)
	}
	defer func() { problem = errors.Join(problem, os.RemoveAll(folder)) }()
	file := filepath.Join(folder, "mcp.json")
	if err := os.WriteFile(file, configuration, 0o600); err != nil {
		return fmt.Errorf("write the Inspector's configuration: %w", err)
	}
	command := process.Command(context.Background(), "", npx, "-y", Package, "--web", "--config", file)
	command.Env = append(os.Environ(),
		"HOST="+host, "CLIENT_PORT="+strconv.Itoa(port), "MCP_SANDBOX_PORT=0", "MCP_APP_ORIGIN_PORT=0",
		"MCP_AUTO_OPEN_ENABLED="+strconv.FormatBool(options.Open), "MCP_INSPECTOR_API_TOKEN="+rand.Text(), "MCP_INSPECTOR_SECRET_STORE=memory")
	command.Stderr = options.Log
	ready := make(chan string, 1)
	running, _, err := process.StartLines(command, watch(ready, options.Log), func() {})
	if err != nil {
		return err
	}
	_ = running.Stdin.Close() // the Inspector reads nothing
	return attend(ctx, running, ready, options)
}

// attend waits for the web page, and then for the end of the context or of the Inspector. npx leaves
// a wrapper process, and the Inspector starts the server, so all of them are ended together.
func attend(ctx context.Context, running *process.Process, ready <-chan string, options Options) error {
	limit := time.NewTimer(readyTime)
	defer limit.Stop()
	for {
		select {
		case url := <-ready:
			limit.Stop()
			options.Ready(url)
		case <-running.Exited:
			running.StopGroup(stopTime) // what is left of the group
			return fmt.Errorf("the Inspector ended (%s); see its messages above", running.Ending())
		case <-limit.C:
			running.StopGroup(stopTime)
			return fmt.Errorf("the Inspector isn't ready after %s; see its messages above", readyTime)
		case <-ctx.Done():
			running.StopGroup(stopTime)
			return nil
		}
	}
}

// watch returns the function that finds the URL of the web page in the lines of the Inspector.
// Until then it passes the lines on.
func watch(ready chan<- string, log io.Writer) func(line []byte) {
	page := regexp.MustCompile(`https?://\S*MCP_INSPECTOR_API_TOKEN=\S+`)
	found := false
	return func(line []byte) {
		switch url := page.Find(line); {
		case found:
		case url == nil:
			_, _ = fmt.Fprintf(log, "%s\n", bytes.TrimSuffix(line, []byte("\r")))
		default:
			found = true
			ready <- string(url)
		}
	}
}

// freePort returns the port of the web page.
func freePort(host string, port int) (int, error) {
	for _, wanted := range []int{cmp.Or(port, DefaultPort), 0} {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(wanted)))
		switch {
		case err == nil:
			address, _ := listener.Addr().(*net.TCPAddr)
			return address.Port, listener.Close()
		case port != 0:
			return 0, fmt.Errorf("the Inspector can't listen at %s:%d: %w; --port chooses another port", host, port, err)
		case wanted == 0:
			return 0, fmt.Errorf("the Inspector can't listen at %s: %w; --host chooses another host", host, err)
		}
	}
	return 0, nil // not reached
}
