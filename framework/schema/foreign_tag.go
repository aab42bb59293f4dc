package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// synonyms are words of other schema libraries for keys of the schema tag. The keywords of JSON
// Schema, such as minimum, are in [tagKeys].
func synonyms() map[string]string {
	return map[string]string{
		"doc": "description", "desc": "description", "jsonschema_description": "description",
		"enums": "enum", "example": "examples",
	}
}

// notForeign are keys whose names other packages use as struct tags, for other purposes.
func notForeign(key tagKey) bool { return key.name == "required" || key.name == "header" }

// keyOf returns the key of the schema tag for a word of another library.
func keyOf(word string, keys []tagKey) (tagKey, bool) {
	if synonym, ok := synonyms()[word]; ok {
		word = synonym
	}
	i := slices.IndexFunc(keys, func(key tagKey) bool { return key.name == word || key.keyword == word })
	if i < 0 {
		return tagKey{}, false
	}
	return keys[i], true
}

// foreignTags returns a mistake if a field without a schema tag has tags that only other schema
// libraries read, since they would have no effect. The fix is the schema tag to write.
func foreignTags(field codec.Field) []codec.TagMistake {
	if _, given := field.Tag.Lookup("schema"); given {
		return nil
	}
	keys := tagKeys()
	translated := &foreignTag{keys: keys}
	for _, name := range []string{"jsonschema", "jsonschema_extras"} {
		if text, given := field.Tag.Lookup(name); given {
			translated.found = append(translated.found, name)
			translated.list(text)
		}
	}
	names := make([]string, 0, len(keys)+len(synonyms()))
	for _, key := range keys {
		if !notForeign(key) {
			names = append(names, key.keyword)
		}
	}
	for _, name := range append(names, "doc", "desc", "jsonschema_description", "enums", "example") {
		if text, given := field.Tag.Lookup(name); given && !slices.Contains(translated.found, name) {
			translated.found = append(translated.found, name)
			translated.word(name, text)
		}
	}
	if translated.found == nil {
		return nil
	}
	fix := "drop it"
	if translated.parts != nil {
		fix = "write schema:" + strconv.Quote(strings.Join(translated.parts, ","))
	}
	return []codec.TagMistake{{
		Problem: fmt.Sprintf("the field %s of %s has %s of another schema library, which has no effect here", field.GoName, field.Owner, tagsNamed(translated.found)),
		Fix:     fix,
	}}
}

// tagsNamed returns "the tag a" or "the tags a and b".
func tagsNamed(names []string) string {
	if len(names) == 1 {
		return "the tag " + names[0]
	}
	return "the tags " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// A foreignTag is what the tags of other libraries say about a field, as parts of a schema tag.
type foreignTag struct {
	keys  []tagKey
	found []string // the tags
	parts []string
}

// keywordList matches the tag jsonschema if it is a list of keywords: KEY=VALUE, or flags. Otherwise it
// is a description, as in go-sdk. It is compiled when the first such tag is read.
var keywordList = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // never changes
	return regexp.MustCompile(`^([^ \t\n]*=|(-|required|optional|nullable|omitempty|deprecated|readOnly|writeOnly|uniqueItems)(,|$))`)
})

// list translates a tag with several keywords, such as title=A,enum=a,enum=b.
func (f *foreignTag) list(text string) {
	if text != "" && !keywordList().MatchString(text) {
		f.word("description", text)
		return
	}
	var enum []string
	for _, part := range strings.Split(strings.ReplaceAll(text, `\,`, "\x00"), ",") {
		name, value, given := strings.Cut(strings.ReplaceAll(part, "\x00", ","), "=")
		switch {
		case name == "enum":
			enum = append(enum, value)
		case given:
			f.word(name, value)
		case name != "":
			f.word(name, "true")
		}
	}
	if enum != nil {
		f.add("enum", strings.Join(enum, "|"))
	}
}

// word translates one word, if the schema tag has a key for it.
func (f *foreignTag) word(word, text string) {
	key, known := keyOf(word, f.keys)
	switch {
	case !known:
	case key.value != tagFlag:
		f.add(key.name, listed(key, text))
	case text != "false" && !slices.Contains(f.parts, key.name):
		f.parts = append(f.parts, key.name)
	}
}

// add adds a key with a value, unless another tag has said it.
func (f *foreignTag) add(key, value string) {
	if slices.ContainsFunc(f.parts, func(part string) bool { return strings.HasPrefix(part, key+"=") }) || value == "" {
		return
	}
	if key == "description" || key == "title" || strings.ContainsAny(value, ",'") {
		value = "'" + strings.ReplaceAll(value, "'", "''") + "'"
	}
	f.parts = append(f.parts, key+"="+value)
}

// listed returns the values of a list with bars between them. Other libraries write a JSON array, or commas.
func listed(key tagKey, text string) string {
	if key.value != tagList {
		return text
	}
	var values []codec.Value
	if strings.HasPrefix(text, "[") && codec.Unmarshal([]byte(text), &values) == nil {
		items := make([]string, len(values))
		for i, value := range values {
			items[i] = string(value)
			if unquoted, ok := codec.Unquote(value); ok {
				items[i] = unquoted
			}
		}
		return strings.Join(items, "|")
	}
	if key.name != "enum" {
		return text // one example
	}
	items := strings.Split(text, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return strings.Join(items, "|")
}
