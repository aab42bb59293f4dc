package directive

import (
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
	kinds []Kind
	check func(Option) (fix string) // "" if the value is right
}

// rules returns the rules of all options, in the order in which messages list them.
func rules() []rule {
	all := []Kind{Tool, Resource, Template, Prompt}
	tool, read := []Kind{Tool}, []Kind{Resource, Template}
	return []rule{
		{"name", all, isText},
		{"title", all, isText},
		{"description", all, isText},
		{"readonly", tool, isFlag},
		{"destructive", tool, isFlag},
		{"idempotent", tool, isFlag},
		{"openworld", tool, isFlag},
		{"mimeType", read, isText},
		{"size", []Kind{Resource}, isSize},
		{"audience", read, isAudience},
		{"priority", read, isPriority},
		{"lastModified", read, isTime},
		{"icon", all, func(o Option) string { _, fix := ReadIcon(o.Value); return fix }},
		{"meta.", all, isValue},
		{"schema.", []Kind{Tool, Prompt}, isText},
		{"complete.", []Kind{Template, Prompt}, isText},
		{"server", all, isText},
	}
}

// Names returns the names of all options. One that ends with a dot is followed by a name.
func Names() (names []string) {
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
func (o Options) check(c *Directive, mistakes *Mistakes) {
	for i, given := range o {
		rule, known := ruleOf(given.Name)
		switch {
		case !known:
			mistakes.Add(c.At, unknownFix(given.Name, c.Kind), "%s has no option %q", c.Text(), given.Name)
		case !slices.Contains(rule.kinds, c.Kind):
			others := make([]string, len(rule.kinds))
			for i, kind := range rule.kinds {
				others[i] = "//mcp:" + string(kind)
			}
			mistakes.Add(c.At, "drop it", "%s has no option %s, which is for %s", c.Text(), given.Name, strings.Join(others, " and "))
		case given.Name != "icon" && slices.ContainsFunc(o[:i], func(other Option) bool { return other.Name == given.Name }):
			mistakes.Add(c.At, "keep one of them", "the option %s is there twice", given.Name)
		default:
			if fix := rule.check(given); fix != "" {
				mistakes.Add(c.At, fix, "the option %s has no valid value", given.Name)
			}
		}
	}
	if c.Kind == Tool && o.Flag("readonly") == "true" && o.Flag("destructive") == "true" {
		mistakes.Add(c.At, "drop one of them", "a tool that is readonly can't be destructive")
	}
	if name, given := o.Get("name"); given && !c.Kind.HasURI() && name.Value != "" && !isName(name.Value) {
		mistakes.Add(c.At, "use 1 to 128 letters from A to Z, digits, underscores, dots and dashes", "%q can't be a name", name.Value)
	}
}

// unknownFix says which option is meant by an unknown one.
func unknownFix(name string, of Kind) string {
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

func isText(o Option) string {
	if o.Value == "" {
		return "write " + o.Name + `="…"`
	}
	return ""
}

func isFlag(o Option) string {
	if o.isGiven && o.Value != "true" && o.Value != "false" {
		return fmt.Sprintf("write %s or %s=false", o.Name, o.Name)
	}
	return ""
}

// Flag returns "true" or "false" for a flag, or "" if it isn't there.
func (o Options) Flag(name string) string {
	switch given, ok := o.Get(name); {
	case !ok:
		return ""
	case given.isGiven:
		return given.Value
	}
	return "true"
}

func isSize(o Option) string {
	if size, err := strconv.ParseInt(o.Value, 10, 64); err != nil || size < 1 {
		return "write the number of bytes, as in size=1024"
	}
	return ""
}

func isAudience(o Option) string {
	for role := range strings.SplitSeq(o.Value, "|") {
		if role != "user" && role != "assistant" {
			return "write audience=user, audience=assistant or audience=user|assistant"
		}
	}
	return ""
}

func isPriority(o Option) string {
	if priority, err := strconv.ParseFloat(o.Value, 64); err != nil || !(priority >= 0 && priority <= 1) {
		return "write a number from 0 to 1, as in priority=0.8"
	}
	return ""
}

func isTime(o Option) string {
	if _, err := time.Parse(time.RFC3339, o.Value); err != nil {
		return "write a time of RFC 3339, as in lastModified=2026-01-31T12:00:00Z"
	}
	return ""
}

func isValue(o Option) string {
	if !o.isGiven {
		return "write " + o.Name + "=VALUE"
	}
	return ""
}

// An Icon is a picture for clients.
type Icon struct {
	Src, MIMEType, Theme string
	Sizes                []string
}

// iconSize matches the sizes of an icon.
var iconSize = regexp.MustCompile(`^(any|\d+x\d+)(,(any|\d+x\d+))*$`)

// ReadIcon reads the value of an icon option: a URL and, in any order, a MIME type, sizes and a theme.
func ReadIcon(text string) (read Icon, fix string) {
	words := strings.Fields(text)
	if len(words) == 0 || !strings.HasPrefix(words[0], "https://") && !strings.HasPrefix(words[0], "data:") {
		return read, `begin it with an https: or data: URL, as in icon="https://example.com/icon.png image/png 48x48 dark"`
	}
	read.Src = words[0]
	for _, word := range words[1:] {
		switch {
		case iconSize.MatchString(word) && read.Sizes == nil:
			read.Sizes = strings.Split(word, ",")
		case (word == "light" || word == "dark") && read.Theme == "":
			read.Theme = word
		case strings.Count(word, "/") == 1 && read.MIMEType == "":
			read.MIMEType = word
		default:
			return read, fmt.Sprintf("%q is neither a MIME type nor sizes such as 48x48,any nor light or dark, or is the second one", word)
		}
	}
	return read, ""
}
