package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

var update = flag.Bool("update", false, "write what the server answers into testdata/wire")

// TestTranscripts plays the requests of testdata/wire/*.txtar against the fixture
// server and compares the answers, byte for byte. Run it with -update to accept the
// changes, and read the diff.
//
// The comment of a file may have a line "config: versions=… sessions=…", and a line
// "server: …" that names another server. A section is one request, a line "--->", and its
// answer. Requests get the usual Host, Content-Type and Accept unless they name them;
// "-Accept" leaves one out. Among the headers, @modern stands for those that mirror the
// body, and @session for the session that the last initialize began. In bodies, $meta
// stands for the modern envelope, $cursor for the cursor of the last list, and $tag for
// the prefix of the session's event ids. The client of a GET disconnects after 20 s. A
// section "sleep 30m" lets time pass.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil || len(archive.Files) == 0 {
				t.Fatalf("there are no requests: %v", err)
			}
			synctest.Test(t, func(t *testing.T) { play(t, archive) })
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// play plays one transcript. With -update, it puts the answers into it.
func play(t *testing.T, archive *txtar.Archive) {
	comment := string(archive.Comment)
	talk := &transcript{}
	if strings.Contains(comment, "server: guarded vault\n") {
		talk.handler = guardedVault(t, transcriptConfig(t, comment))
	} else {
		talk.handler = wireHandler(t, transcriptConfig(t, comment), transcriptServer(t, comment))
	}
	for i := range archive.Files {
		section := &archive.Files[i]
		if pause, ok := strings.CutPrefix(strings.TrimSpace(string(section.Data)), "sleep "); ok {
			d, err := time.ParseDuration(pause)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
			continue
		}
		request, want, _ := strings.Cut(string(section.Data), "--->\n")
		got := talk.ask(t, request)
		if *update {
			section.Data = []byte(request + "--->\n" + got)
		} else if got != want {
			t.Errorf("%s\n%sgot:\n%s\nwant:\n%s", section.Name, request, got, want)
		}
	}
	time.Sleep(time.Second) // watchdogs that have fired end a moment later
}

// transcriptServer returns the server that the line "server:" of a transcript's
// comment names, by default the one with the tools.
func transcriptServer(t *testing.T, comment string) servers.Interface {
	for line := range strings.Lines(comment) {
		name, ok := strings.CutPrefix(line, "server: ")
		switch strings.TrimSpace(name) {
		case "library":
			return &wireLibrary{}
		case "guarded vault":
			return &vault{}
		case "one prompt":
			return &wireItems{prompts: []servers.Prompt{wirePrompt("plain", saysPrompt("hi"))}}
		case "one template":
			return &wireItems{resources: []servers.Resource{wireResource("docs://{id}", saysVariables("id"))}}
		default:
			if ok {
				t.Fatalf("unknown server %q", name)
			}
		}
	}
	server := newWireServer()
	server.boot = bootWire
	return server
}

// transcriptConfig reads the line "config:" of a transcript's comment.
func transcriptConfig(t *testing.T, comment string) mcp.Config {
	config := mcp.Config{Key: []string{"0123456789abcdef"}}
	for line := range strings.Lines(comment) {
		settings, ok := strings.CutPrefix(line, "config:")
		if !ok {
			continue
		}
		for _, setting := range strings.Fields(settings) {
			switch name, value, _ := strings.Cut(setting, "="); name {
			case "versions":
				config.Versions = strings.Split(value, ",")
			case "sessions":
				if _, err := fmt.Sscan(value, &config.Sessions); err != nil {
					t.Fatal(err)
				}
			case "origins":
				config.AllowedOrigins = []string{value}
			case "hosts":
				config.AllowedHosts = []string{value}
			case "body":
				if _, err := fmt.Sscan(value, &config.MaxBody); err != nil {
					t.Fatal(err)
				}
			default:
				t.Fatalf("unknown setting %q", setting)
			}
		}
	}
	return config
}

// A transcript is a running conversation.
type transcript struct {
	handler              http.Handler
	session, cursor, tag string
	first                uint64 // the number of the first stream whose events have the tag
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// ask sends one request and returns the answer as a transcript shows it.
func (c *transcript) ask(t *testing.T, request string) string {
	t.Helper()
	head, body, _ := strings.Cut(request, "\n\n")
	body = strings.TrimSuffix(body, "\n")
	body = strings.NewReplacer("$meta", modernMeta, "$cursor", c.cursor).Replace(body)
	body = expandRepeats(body)
	head = regexp.MustCompile(`\$tag-(\d+)`).ReplaceAllStringFunc(head, func(id string) string {
		number, _ := strconv.ParseUint(id[len("$tag-"):], 10, 64)
		return fmt.Sprintf("%s-%d", c.tag, c.first+number-1)
	})
	head = strings.ReplaceAll(head, "$tag", c.tag)
	w := httptest.NewRecorder()
	r := c.request(t, head, body)
	if r.Method == http.MethodGet {
		ctx, hangUp := context.WithTimeout(r.Context(), 20*time.Second)
		defer hangUp()
		r = r.WithContext(ctx)
	}
	c.handler.ServeHTTP(w, r)
	if id := w.Header().Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	got := w.Body.String()
	if match := regexp.MustCompile(`"nextCursor":"([^"]+)"`).FindStringSubmatch(got); match != nil {
		c.cursor = match[1]
	}
	if match := regexp.MustCompile(`(?m)^id: (\w+)-(\d+)-`).FindStringSubmatch(got); match != nil && match[1] != c.tag {
		c.tag = match[1]
		c.first, _ = strconv.ParseUint(match[2], 10, 64)
	}
	checkAnswer(t, request, w)
	return c.show(w)
}

// show writes an answer: its status, its headers in order, its body.
func (c *transcript) show(w *httptest.ResponseRecorder) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d %s\n", w.Code, http.StatusText(w.Code))
	var lines []string
	for name, values := range w.Header() {
		if name == "Content-Length" || name == "X-Content-Type-Options" {
			continue
		}
		for _, value := range values {
			lines = append(lines, name+": "+value+"\n")
		}
	}
	slices.Sort(lines)
	out.WriteString(strings.Join(lines, ""))
	if w.Body.Len() > 0 {
		out.WriteString("\n" + strings.TrimRight(w.Body.String(), "\n") + "\n")
	}
	text := regexp.MustCompile(`\(request [0-9a-f]{8}\)`).ReplaceAllString(out.String(), "(request $$id)")
	for shorthand, value := range map[string]string{"$session": c.session, "$cursor": c.cursor} {
		if value != "" {
			text = strings.ReplaceAll(text, value, shorthand)
		}
	}
	return regexp.MustCompile(`(?m)^id: (\w+)-(\d+)-`).ReplaceAllStringFunc(text, func(id string) string {
		number, _ := strconv.ParseUint(strings.Split(id, "-")[1], 10, 64)
		return fmt.Sprintf("id: $tag-%d-", number-c.first+1)
	})
}

// checkAnswer checks the rules for all answers.
func checkAnswer(t *testing.T, request string, w *httptest.ResponseRecorder) {
	t.Helper()
	if length := w.Header().Get("Content-Length"); length != "" && length != fmt.Sprint(w.Body.Len()) {
		t.Errorf("%s\nContent-Length is %s for %d bytes", request, length, w.Body.Len())
	}
	if strings.Contains(w.Body.String(), "secret") || strings.Contains(w.Body.String(), "goroutine ") {
		t.Errorf("%s\nthe answer tells what is inside: %s", request, w.Body)
	}
	if w.Header().Get("Content-Type") == "application/json" && !codec.Valid(w.Body.Bytes()) {
		t.Errorf("%s\nthe answer isn't JSON: %s", request, w.Body)
	}
}

// request parses a request with net/http, so that the rules for header lines are those of
// the real server.
func (c *transcript) request(t *testing.T, head, body string) *http.Request {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(head, "\n"), "\n")
	method, path, _ := strings.Cut(lines[0], " ")
	if path == "" {
		path = "/mcp"
	}
	given := c.expand(t, lines[1:])
	for _, usual := range []string{"Host: 127.0.0.1:8080", "Content-Type: application/json", "Accept: application/json, text/event-stream"} {
		name, _, _ := strings.Cut(usual, ":")
		if !slices.ContainsFunc(given, func(line string) bool { return strings.HasPrefix(strings.TrimPrefix(line, "-"), name) }) {
			given = append(given, usual)
		}
	}
	given = slices.DeleteFunc(given, func(line string) bool { return line[0] == '-' })
	var raw bytes.Buffer
	fmt.Fprintf(&raw, "%s %s HTTP/1.1\r\n%s\r\nContent-Length: %d\r\n\r\n%s", method, path, strings.Join(given, "\r\n"), len(body), body)
	r, err := http.ReadRequest(bufio.NewReader(&raw))
	if err != nil {
		t.Fatalf("%s\n%v", head, err)
	}
	return r.WithContext(t.Context())
}

// expand replaces the shorthands among header lines.
func (c *transcript) expand(t *testing.T, lines []string) (given []string) {
	t.Helper()
	for _, line := range lines {
		switch fields := strings.Fields(line); fields[0] {
		case "@modern":
			given = append(given, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: "+fields[1])
			if len(fields) > 2 {
				given = append(given, "Mcp-Name: "+fields[2])
			}
		case "@session":
			given = append(given, "Mcp-Session-Id: "+c.session)
		default:
			given = append(given, line)
		}
	}
	return given
}

// expandRepeats expands $repeat(text,n), and replaces \xff with that byte.
func expandRepeats(body string) string {
	body = strings.ReplaceAll(body, `$ff`, "\xff")
	return regexp.MustCompile(`\$repeat\(([^,]*),(\d+)\)`).ReplaceAllStringFunc(body, func(match string) string {
		text, n, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(match, "$repeat("), ")"), ",")
		var count int
		_, _ = fmt.Sscan(n, &count)
		return strings.Repeat(text, count)
	})
}
