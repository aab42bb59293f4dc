package docs_test

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// addition is a call of the tool of the program in one file.
const addition = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3},"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// TestTheProgramOnOneScreen builds the program of the page on a single file in a module of its
// own, and calls its tool in both ways that the page names.
func TestTheProgramOnOneScreen(t *testing.T) {
	t.Parallel()
	const page = "docs/guide/single-file.md"
	var source, commands string
	for _, b := range blocks(page, read(t, page)) {
		switch {
		case b.file() == "main.go":
			source = b.text
		case b.language == "sh":
			commands += b.text
		}
	}
	if lines := strings.Count(source, "\n"); lines == 0 || lines > 30 {
		t.Fatalf("the program has %d lines, want 1 to 30:\n%s", lines, source)
	}
	binary := buildAlone(t, source, commands)

	t.Run("on stdio", func(t *testing.T) {
		t.Parallel()
		command := regexp.MustCompile(`(?m)^go run \. (start \w+)`).FindStringSubmatch(commands)
		if command == nil {
			t.Fatalf("the page does not say how to start the program on stdio:\n%s", commands)
		}
		program := exec.CommandContext(t.Context(), binary, strings.Fields(command[1])...)
		program.Stdin = strings.NewReader(addition + "\n")
		out, err := program.Output()
		if err != nil || !strings.Contains(string(out), `"text":"5"`) {
			t.Errorf("%v: the program answers %s", err, out)
		}
	})
	t.Run("over HTTP", func(t *testing.T) {
		t.Parallel()
		command := regexp.MustCompile(`(?m)^go run \. (serve) +# http://127\.0\.0\.1:8080(\S+)$`).FindStringSubmatch(commands)
		if command == nil {
			t.Fatalf("the page does not say how to serve the program over HTTP:\n%s", commands)
		}
		program := exec.CommandContext(t.Context(), binary, command[1])
		program.Env = append(os.Environ(), "APP_ADDR=127.0.0.1:0")
		log, err := program.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = program.Process.Kill()
			_ = program.Wait()
		}()
		watchdog := time.AfterFunc(5*time.Minute, func() { _ = program.Process.Kill() })
		defer watchdog.Stop()
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if served := regexp.MustCompile(`msg=serving url=(http://\S+)`).FindStringSubmatch(lines.Text()); served != nil {
				if !strings.HasSuffix(served[1], command[2]) {
					t.Errorf("the program serves %s, and the page says %s", served[1], command[2])
				}
				if answer := post(t, served[1], addition); !strings.Contains(answer, `"text":"5"`) {
					t.Errorf("the program answers %s", answer)
				}
				return
			}
		}
		t.Error("the program does not serve")
	})
}

// buildAlone builds a program of one file in a module that the go commands of the page make.
func buildAlone(t *testing.T, source, commands string) (binary string) {
	t.Helper()
	folder := t.TempDir()
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "main.go"), source)
	write(t, filepath.Join(folder, "go.sum"), read(t, "go.sum")) // the test has no network
	binary = filepath.Join(folder, "program.exe")
	var steps []string
	for _, command := range regexp.MustCompile(`(?m)^go (mod .+)$`).FindAllStringSubmatch(commands, -1) {
		steps = append(steps, strings.Replace(command[1], "/path/to/bowline", filepath.ToSlash(module), 1))
	}
	for _, step := range append(steps, "build -o "+filepath.ToSlash(binary)+" .") {
		command := exec.CommandContext(t.Context(), "go", strings.Fields(step)...)
		command.Dir, command.Env = folder, append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath", "GOWORK=off")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", step, err, out)
		}
	}
	return binary
}

// post sends a call as a client of 2026-07-28 does, and returns the answer.
func post(t *testing.T, url, message string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"add"},
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}
