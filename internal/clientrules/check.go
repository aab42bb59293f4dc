package clientrules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
)

// maxFindings is how many findings a check reports. A server that is found wrong so often
// needs no more of them.
const maxFindings = 1000

// A List is a list of tools to check.
type List struct {
	// Server is the name under which clients install the server: its handle.
	Server string
	// Tools are the raw entries of tools/list, each of them valid JSON.
	Tools [][]byte
	// Modern tells whether these are the entries for clients of 2026-07-28. Older clients
	// get other entries from a server of this framework.
	Modern bool
	// Least is the loss from which on a finding counts. The zero value counts all.
	Least Loss
	// Ignored are the IDs of rules that don't count.
	Ignored []string
}

// Check returns what clients refuse in a list of tools, in the order of the list, and at most
// a thousand findings.
func Check(list List) []Finding {
	c := &checker{list: list}
	c.count()
	names := map[string]bool{}
	for _, definition := range list.Tools {
		c.definition(definition, names)
	}
	return c.findings
}

// A checker checks a list. Its path is the JSON Pointer of the value that it looks at.
type checker struct {
	list     List
	findings []Finding

	data    []byte // the schema
	tool    string
	first   int // the index of the first finding of the tool
	path    []byte
	isInput bool        // whether the schema describes the arguments
	links   *references // of an output schema, nil if it has none
}

// report adds a finding at the path. Without a problem, it has the rule's.
func (c *checker) report(id, problem string) {
	rule := of(id)
	loss := rule.Loss()
	if loss < c.list.Least || len(c.findings) >= maxFindings || slices.Contains(c.list.Ignored, id) {
		return
	}
	if loss == LosesQuality && slices.ContainsFunc(c.findings[c.first:], func(f Finding) bool { return f.Rule == rule }) {
		return // one place of a tool is enough
	}
	c.findings = append(c.findings, Finding{rule, c.tool, string(c.path), cmp.Or(problem, rule.Problem)})
}

// reportAt adds a finding at a member of the value at the path.
func (c *checker) reportAt(id, member string) {
	length := len(c.path)
	c.path = append(append(c.path, '/'), member...)
	c.report(id, "")
	c.path = c.path[:length]
}

// count checks the number of tools.
func (c *checker) count() {
	for _, limit := range []struct {
		id   string
		most int
	}{{toolsOver80, maxCursorTools}, {toolsOver100, maxWindsurfTools}, {toolsOver128, maxRequestTools}} {
		if n := len(c.list.Tools); n > limit.most {
			c.report(limit.id, fmt.Sprintf("%s: it has %d", of(limit.id).Problem, n))
		}
	}
}

// definition checks an entry of the list.
func (c *checker) definition(raw []byte, names map[string]bool) {
	var name, description, input, output []byte
	if len(raw) == 0 || raw[0] != '{' {
		return
	}
	for p := rawjson.Enter(raw, 0, rawjson.MaxNesting); p.Next(); {
		switch string(p.Name) {
		case `"name"`:
			name = p.Value()
		case `"description"`:
			description = p.Value()
		case `"inputSchema"`:
			input = p.Value()
		case `"outputSchema"`:
			output = p.Value()
		}
	}
	c.tool, _ = codec.Unquote(name)
	c.first = len(c.findings)
	c.path = append(c.path[:0], "/name"...)
	c.name(names)
	if len(description) > maxDescription && description[0] == '"' && rawjson.Length(description) > maxDescription {
		c.path = append(c.path[:0], "/description"...)
		c.report(descriptionLength, "")
	}
	c.path = append(c.path[:0], "/inputSchema"...)
	c.isInput = true
	c.input(input)
	c.path = append(c.path[:0], "/outputSchema"...)
	c.isInput = false
	c.output(output)
	c.path = c.path[:0]
}

// name checks the name of the tool.
func (c *checker) name(names map[string]bool) {
	if c.tool == "" {
		return
	}
	if !isPlain(c.tool, "_-") {
		c.report(toolNameCharacters, "")
	}
	if first := c.tool[0]; !isLetter(first) && first != '_' {
		c.report(toolNameStart, "")
	}
	length, server := utf8.RuneCountInString(c.tool), utf8.RuneCountInString(c.list.Server)
	if length > maxModelName {
		c.report(toolNameLength, fmt.Sprintf("the name has %d characters, and may have %d", length, maxModelName))
	}
	if n := len(prefixOfClaude) + server + len(separatorOfClaude) + length; n > maxModelName {
		c.report(toolNameWithPrefix, fmt.Sprintf("the name that Claude Code makes, %s%s%s%s, has %d characters, and may have %d",
			prefixOfClaude, c.list.Server, separatorOfClaude, c.tool, n, maxModelName))
	}
	if n := server + length; n > maxCursorName {
		c.report(toolNameWithServer, fmt.Sprintf("the names of the server, %s, and of the tool have %d characters together, and may have %d", c.list.Server, n, maxCursorName))
	}
	if names[c.tool] {
		c.report(toolNameRepeated, "")
	}
	names[c.tool] = true
}

// isPlain reports whether a name has only letters and digits of ASCII, and others.
func isPlain(name, others string) bool {
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return name != ""
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
