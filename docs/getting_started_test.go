package docs_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"
)

// The page shows what was recorded, and the recorded session took less than five minutes.
func TestThePageOfTheFirstHourShowsItsRecording(t *testing.T) {
	t.Parallel()
	recording := read(t, "docs/guide/getting-started.cast")
	var screen strings.Builder
	var end float64
	for line := range strings.Lines(recording) {
		if !strings.HasPrefix(line, "[") {
			continue // the settings of the recording
		}
		var event []any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err)
		}
		end = event[0].(float64)
		screen.WriteString(event[2].(string))
	}
	if end > 300 {
		t.Errorf("the session took %.0f s", end)
	}
	escapes := regexp.MustCompile("\x1b\\[[0-9;?<>=]*[a-zA-Z]|\r")
	shown, after, compared := escapes.ReplaceAllString(screen.String(), ""), 0, 0
	for _, b := range blocks("docs/guide/getting-started.md", read(t, "docs/guide/getting-started.md")) {
		if b.language != "console" {
			continue
		}
		at := strings.Index(shown[after:], strings.TrimSuffix(b.text, "\n"))
		if at < 0 {
			t.Fatalf("docs/guide/getting-started.md:%d: the recording doesn't show this next:\n%s\nbut\n%s", b.line, b.text, shown[after:])
		}
		after += at + len(b.text)
		compared++
	}
	if compared < 3 {
		t.Errorf("the page shows only %d parts of the recording", compared)
	}
	if !strings.Contains(shown[after:], "Connected") {
		t.Error("the recording doesn't end with a connected client")
	}
}

// A reader may paste the whole Go block over the file that mcp make:tool Weather wrote. The test that
// it wrote beside the file has to pass then, too.
func TestThePageOfTheFirstHourReplacesTheToolThatWasMade(t *testing.T) {
	t.Parallel()
	var replacement string
	for _, b := range blocks("docs/guide/getting-started.md", read(t, "docs/guide/getting-started.md")) {
		if b.language == "go" {
			replacement = b.text
		}
	}
	var made strings.Builder
	stub := template.Must(template.New("").Parse(read(t, "stubs/tool_test.stub")))
	if err := stub.Execute(&made, map[string]string{"Module": "github.com/bowline-mcp/bowline", "Type": "WeatherTool"}); err != nil {
		t.Fatal(err)
	}
	testTools(t, "TestWeatherTool", map[string]string{"weather_tool.go": replacement, "weather_tool_test.go": made.String()})
}

// testTools runs a test in app/mcp/tools of the reference app, with more files.
func testTools(t *testing.T, name string, files map[string]string) {
	t.Helper()
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	temp, overlay := t.TempDir(), map[string]string{}
	for name, text := range files {
		overlay[filepath.Join(module, "app", "mcp", "tools", name)] = filepath.Join(temp, name)
		write(t, filepath.Join(temp, name), text)
	}
	encoded, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(temp, "overlay.json")
	write(t, file, string(encoded))
	test := exec.CommandContext(t.Context(), "go", "test", "-overlay", file, "-run", "^"+name+"$", "-v", "./app/mcp/tools")
	test.Dir = module
	if out, err := test.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+name) {
		t.Errorf("%v\n%s", err, out)
	}
}
