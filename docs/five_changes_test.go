package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFilesOfAChangeAreListed checks the lists in docs/architecture.md, which name the files that a
// change touches. Each list has an example that is already in the code. The list must name the files in which a line matches the example's pattern.
func TestFilesOfAChangeAreListed(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/architecture.md")
	code := map[string]string{} // lines without comments, by file
	for _, file := range files(t, ".go") {
		first, _, _ := strings.Cut(file, "/")
		if !slices.Contains([]string{"framework", "internal", "cmd"}, first) || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "authtest/") {
			continue
		}
		for line := range strings.Lines(read(t, file)) {
			line, _, _ = strings.Cut(line, "// ")
			code[file] += line
		}
	}
	for change, example := range map[string]string{
		"A member of `tools/list`":        `\bOutputSchema\b|"outputSchema"`,
		"A content type":                  `\bTypeResourceLink\b|"resource_link"`,
		"An OAuth grant":                  `\bgrants?\.?(Credentials|Assertion)\b|"client_credentials"|\bClientCredentials\(`,
		"An AI client":                    `\bCodex\b|"codex"`,
		"The file format of an AI client": `\w*TOML\b`,
	} {
		_, section, found := strings.Cut(page, "\n### "+change+"\n")
		section, _, _ = strings.Cut(section, "\n##")
		var listed, have []string
		for _, match := range regexp.MustCompile("`([a-z_/]+\\.go)`").FindAllStringSubmatch(section, -1) {
			listed = append(listed, match[1])
		}
		for file, text := range code {
			if regexp.MustCompile(example).MatchString(text) {
				have = append(have, file)
			}
		}
		slices.Sort(listed)
		slices.Sort(have)
		if !found || !slices.Equal(listed, have) {
			t.Errorf("%s: docs/architecture.md lists\n  %s\nbut these name its example:\n  %s", change, strings.Join(listed, "\n  "), strings.Join(have, "\n  "))
		}
	}
}
