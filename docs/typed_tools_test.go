package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
)

// The keys of the tag schema stand on a page of the guide and in the comment of Object.Struct. Both
// lists are the one that the package names when it refuses a tag.
func TestTheListsOfTagKeysAreThatOfTheCode(t *testing.T) {
	t.Parallel()
	_, err := schema.For(struct {
		Field string `schema:"a key that nobody has"`
	}{})
	if err == nil {
		t.Fatal("an unknown key is no mistake")
	}
	want := keys(err.Error(), `use one of ([\w, ]+)`)
	if len(want) < 20 {
		t.Fatalf("the error names only the keys %q: %v", want, err)
	}
	_, table, _ := strings.Cut(read(t, "docs/guide/typed-tools.md"), "\n## Tag keys\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var page []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.+?`) \\|").FindAllStringSubmatch(table, -1) {
		page = append(page, keys(row[1], `(.*)`)...)
	}
	slices.Sort(page)
	comment := strings.ReplaceAll(read(t, "framework/schema/struct.go"), "\n//", "")
	for list, got := range map[string][]string{
		"docs/guide/typed-tools.md":    page,
		"the comment of schema.Struct": keys(comment, `The keys are ([\w, ]+)\.`),
	} {
		if !slices.Equal(got, want) {
			t.Errorf("%s has the keys\n%q\nwant\n%q", list, got, want)
		}
	}
}

// keys returns the words of a list that a pattern finds in a text, sorted.
func keys(text, pattern string) (all []string) {
	list := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if list == nil {
		return nil
	}
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(list[1], -1) {
		if word != "and" {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	return all
}
