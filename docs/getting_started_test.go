package docs_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
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
	shown, after := escapes.ReplaceAllString(screen.String(), ""), 0
	for _, b := range blocks("docs/guide/getting-started.md", read(t, "docs/guide/getting-started.md")) {
		if b.language != "console" {
			continue
		}
		at := strings.Index(shown[after:], strings.TrimSuffix(b.text, "\n"))
		if at < 0 {
			t.Fatalf("docs/guide/getting-started.md:%d: the recording doesn't show this next:\n%s\nbut\n%s", b.line, b.text, shown[after:])
		}
		after += at + len(b.text)
	}
	if !strings.Contains(shown[after:], "Connected") {
		t.Error("the recording doesn't end with a connected client")
	}
}
