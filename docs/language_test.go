package docs_test

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A languagePattern finds sentences of a kind that the documents avoid.
type languagePattern struct {
	line          int // in language.txt
	source, write string
	fails, passes []string
	finds         *regexp.Regexp
}

// languagePatterns returns the patterns of docs/testdata/language.txt.
func languagePatterns(t *testing.T) (patterns []languagePattern) {
	t.Helper()
	for i, line := range strings.Split(read(t, "docs/testdata/language.txt"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		if key == "pattern" {
			finds, err := regexp.Compile("(?i)" + strings.ReplaceAll(value, " ", `\s+`))
			if err != nil {
				t.Fatalf("docs/testdata/language.txt:%d: %v", i+1, err)
			}
			patterns = append(patterns, languagePattern{line: i + 1, source: value, finds: finds})
			continue
		}
		if len(patterns) == 0 || value == "" {
			t.Fatalf("docs/testdata/language.txt:%d: a line is a pattern, or write, fails or passes of one", i+1)
		}
		switch last := &patterns[len(patterns)-1]; key {
		case "write":
			last.write = value
		case "fails":
			last.fails = append(last.fails, value)
		case "passes":
			last.passes = append(last.passes, value)
		default:
			t.Fatalf("docs/testdata/language.txt:%d: unknown key %q", i+1, key)
		}
	}
	return patterns
}

// prose returns a document without its fenced blocks, whose lines are empty.
func prose(text string) string {
	lines, fenced := strings.Split(text, "\n"), false
	for i, line := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence || fenced {
			lines[i] = ""
		}
		fenced = fenced != fence
	}
	return strings.Join(lines, "\n")
}

// worded returns the documents whose language is checked, by their path.
func worded(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{"llms.txt": read(t, "llms.txt")}
	for document, text := range documents(t) {
		switch folder := path.Dir(document); {
		case folder == "docs", folder == "docs/guide", document == "README.md", document == "CHANGELOG.md", document == "UPGRADE.md":
			texts[document] = text
		}
	}
	return texts
}

func TestTheLanguageOfTheDocuments(t *testing.T) {
	t.Parallel()
	patterns, texts := languagePatterns(t), worded(t)
	if len(texts) < 30 {
		t.Fatalf("only %d documents are checked", len(texts))
	}
	for _, document := range slices.Sorted(maps.Keys(texts)) {
		text := prose(texts[document])
		for _, pattern := range patterns {
			for _, place := range pattern.finds.FindAllStringIndex(text, -1) {
				found := strings.Join(strings.Fields(text[place[0]:place[1]]), " ")
				line := strings.Count(text[:place[0]], "\n") + 1
				t.Errorf("%s:%d: %q; write: %s", document, line, found, pattern.write)
			}
		}
	}
}

func TestThePatternsOfTheLanguageFindBadSentencesOnly(t *testing.T) {
	t.Parallel()
	patterns := languagePatterns(t)
	if len(patterns) < 30 {
		t.Fatalf("there are only %d patterns", len(patterns))
	}
	for _, pattern := range patterns {
		if pattern.write == "" || len(pattern.fails) == 0 {
			t.Errorf("docs/testdata/language.txt:%d: the pattern %s lacks write or fails", pattern.line, pattern.source)
		}
		for _, bad := range pattern.fails {
			wrapped := strings.ReplaceAll(bad, " ", "\n")
			if strings.HasPrefix(bad, "#") {
				wrapped = bad // a heading is one line
			}
			if !pattern.finds.MatchString(bad) || !pattern.finds.MatchString(wrapped) {
				t.Errorf("docs/testdata/language.txt:%d: %s doesn't find %q", pattern.line, pattern.source, bad)
			}
		}
		for _, good := range pattern.passes {
			for _, other := range patterns {
				if other.finds.MatchString(good) {
					t.Errorf("docs/testdata/language.txt:%d: %s finds %q, which is fine", other.line, other.source, good)
				}
			}
		}
	}
}

func TestTheLanguageOfCodeIsNotChecked(t *testing.T) {
	t.Parallel()
	text := "Text.\n\n```text\nWhich way for whom?\n```\n\n- A list:\n\n  ```go\n  // mended\n  ```\n\nEnd.\n"
	if got := prose(text); strings.Contains(got, "whom") || strings.Contains(got, "mended") || !strings.Contains(got, "End.") || strings.Count(got, "\n") != strings.Count(text, "\n") {
		t.Errorf("the prose is %q", got)
	}
}
