package directives

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A rule says which directives have an option, and what its value has to be.
type rule struct {
	name  string // with a dot at its end for the beginning of names
	kinds []kind
	check func(option) (fix string) // "" if the value is right
}

// rules returns the rules of all options, in the order in which messages list them.
func rules() []rule {
	all := []kind{kindTool, kindResource, kindTemplate, kindPrompt}
	tool, read := []kind{kindTool}, []kind{kindResource, kindTemplate}
	return []rule{
		{"name", all, isText},
		{"title", all, isText},
		{"description", all, isText},
		{"readonly", tool, isFlag},
		{"destructive", tool, isFlag},
		{"idempotent", tool, isFlag},
		{"openworld", tool, isFlag},
		{"mimeType", read, isText},
		{"size", []kind{kindResource}, isSize},
		{"audience", read, isAudience},
		{"priority", read, isPriority},
		{"lastModified", read, isTime},
		{"icon", all, func(o option) string { _, fix := readIcon(o.value); return fix }},
		{"meta.", all, isValue},
		{"schema.", []kind{kindTool, kindPrompt}, isText},
		{"complete.", []kind{kindTemplate, kindPrompt}, isText},
		{"server", all, isText},
	}
}

// Options returns the names of all options. One that ends with a dot is followed by a name.
func Options() (names []string) {
	for _, rule := range rules() {
		names = append(names, rule.name)
	}
	return names
}

// ruleOf returns the rule of an option.
func ruleOf(name string) (rule, bool) {
	for _, rule := range rules() {
		if prefix := strings.HasSuffix(rule.name, "."); name == rule.name && !prefix || prefix && strings.HasPrefix(name, rule.name) && len(name) > len(rule.name) {
			return rule, true
		}
	}
	return rule{}, false
}

func isKnown(name string) bool {
	_, known := ruleOf(name)
	return known
}

// check reports unknown options, options that are there twice, and wrong values.
func (o options) check(c *directive, mistakes *Mistakes) {
	for i, given := range o {
		rule, known := ruleOf(given.name)
		switch {
		case !known:
			mistakes.add(c.at, unknownFix(given.name, c.kind), "%s has no option %q", c.text(), given.name)
		case !slices.Contains(rule.kinds, c.kind):
			others := make([]string, len(rule.kinds))
			for i, kind := range rule.kinds {
				others[i] = "//mcp:" + string(kind)
			}
			mistakes.add(c.at, "drop it", "%s has no option %s, which is for %s", c.text(), given.name, strings.Join(others, " and "))
		case given.name != "icon" && slices.ContainsFunc(o[:i], func(other option) bool { return other.name == given.name }):
			mistakes.add(c.at, "keep one of them", "the option %s is there twice", given.name)
		default:
			if fix := rule.check(given); fix != "" {
				mistakes.add(c.at, fix, "the option %s has no valid value", given.name)
			}
		}
	}
	if c.kind == kindTool && o.flag("readonly") == "true" && o.flag("destructive") == "true" {
		mistakes.add(c.at, "drop one of them", "a tool that is readonly can't be destructive")
	}
	if name, given := o.get("name"); given && !c.kind.hasURI() && name.value != "" && !isName(name.value) {
		mistakes.add(c.at, "use 1 to 128 letters from A to Z, digits, underscores, dots and dashes", "%q can't be a name", name.value)
	}
}

// unknownFix says which option is meant by an unknown one.
func unknownFix(name string, of kind) string {
	var known []string
	for _, rule := range rules() {
		if slices.Contains(rule.kinds, of) {
			if name := rule.name; strings.HasSuffix(name, ".") {
				known = append(known, name+"NAME")
			} else {
				known = append(known, name)
			}
		}
	}
	if nearest := naming.Nearest(name, known); nearest != "" {
		return "did you mean " + nearest + "?"
	}
	return "its options are " + strings.Join(known, ", ")
}

// isName reports whether a tool or prompt may have a name.
func isName(name string) bool {
	return name != "" && len(name) <= limits.MaxName && !strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '.' && c != '-'
	})
}

func isText(o option) string {
	if o.value == "" {
		return "write " + o.name + `="…"`
	}
	return ""
}

func isFlag(o option) string {
	if o.isGiven && o.value != "true" && o.value != "false" {
		return fmt.Sprintf("write %s or %s=false", o.name, o.name)
	}
	return ""
}

// flag returns "true" or "false" for a flag, or "" if it isn't there.
func (o options) flag(name string) string {
	switch given, ok := o.get(name); {
	case !ok:
		return ""
	case given.isGiven:
		return given.value
	}
	return "true"
}

func isSize(o option) string {
	if size, err := strconv.ParseInt(o.value, 10, 64); err != nil || size < 1 {
		return "write the number of bytes, as in size=1024"
	}
	return ""
}

func isAudience(o option) string {
	for role := range strings.SplitSeq(o.value, "|") {
		if role != "user" && role != "assistant" {
			return "write audience=user, audience=assistant or audience=user|assistant"
		}
	}
	return ""
}

func isPriority(o option) string {
	if priority, err := strconv.ParseFloat(o.value, 64); err != nil || !(priority >= 0 && priority <= 1) {
		return "write a number from 0 to 1, as in priority=0.8"
	}
	return ""
}

func isTime(o option) string {
	if _, err := time.Parse(time.RFC3339, o.value); err != nil {
		return "write a time of RFC 3339, as in lastModified=2026-01-31T12:00:00Z"
	}
	return ""
}

func isValue(o option) string {
	if !o.isGiven {
		return "write " + o.name + "=VALUE"
	}
	return ""
}

// metaValue returns the value of a meta option: JSON, or else a text. What is in double quotes is
// always a text.
func metaValue(o option) any {
	var value any
	decoder := json.NewDecoder(strings.NewReader(o.value))
	decoder.UseNumber()
	if o.isQuoted || decoder.Decode(&value) != nil || decoder.More() {
		return o.value
	}
	return value
}

// An icon is a picture for clients.
type icon struct {
	src, mimeType, theme string
	sizes                []string
}

// iconSize matches the sizes of an icon.
//
//nolint:gochecknoglobals // never changes
var iconSize = regexp.MustCompile(`^(any|\d+x\d+)(,(any|\d+x\d+))*$`)

// readIcon reads the value of an icon option: a URL and, in any order, a MIME type, sizes and a theme.
func readIcon(text string) (read icon, fix string) {
	words := strings.Fields(text)
	if len(words) == 0 || !strings.HasPrefix(words[0], "https://") && !strings.HasPrefix(words[0], "data:") {
		return read, `begin it with an https: or data: URL, as in icon="https://example.com/icon.png image/png 48x48 dark"`
	}
	read.src = words[0]
	for _, word := range words[1:] {
		switch {
		case iconSize.MatchString(word) && read.sizes == nil:
			read.sizes = strings.Split(word, ",")
		case (word == "light" || word == "dark") && read.theme == "":
			read.theme = word
		case strings.Count(word, "/") == 1 && read.mimeType == "":
			read.mimeType = word
		default:
			return read, fmt.Sprintf("%q is neither a MIME type nor sizes such as 48x48,any nor light or dark, or is the second one", word)
		}
	}
	return read, ""
}
