package applog

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// parse returns the record in a line. It reports false if the line has none.
func parse(line []byte) (r *record, ok bool) {
	if bytes.HasPrefix(line, []byte("{")) {
		return parseJSON(line)
	}
	return parseText(string(line))
}

// parseJSON returns the record in a line that a [slog.JSONHandler] has written.
func parseJSON(line []byte) (r *record, ok bool) {
	if rawjson.Broken(line) >= 0 {
		return nil, false
	}
	var attrs []attr
	for name, value := range rawjson.Members(line) {
		text, isText := codec.Unquote(value)
		if !isText {
			text = string(value)
		}
		attrs = append(attrs, attr{name, text, !isText})
	}
	return newRecord(attrs)
}

// parseText returns the record in a line that a [slog.TextHandler] has written: names and values,
// quoted if they aren't one word.
func parseText(line string) (r *record, ok bool) {
	var attrs []attr
	for line != "" {
		var a attr
		if a.name, line, ok = cutWord(line, '='); !ok || line == "" {
			return nil, false
		}
		if a.value, line, ok = cutWord(line[1:], ' '); !ok {
			return nil, false
		}
		line = strings.TrimPrefix(line, " ")
		attrs = append(attrs, a)
	}
	return newRecord(attrs)
}

// cutWord returns the beginning of a text up to a character, unquoted, and the rest with the character.
func cutWord(text string, end byte) (word, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		i := strings.IndexByte(text, end)
		if i < 0 {
			i = len(text)
		}
		return text[:i], text[i:], true
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", false
	}
	word, err = strconv.Unquote(quoted)
	rest = text[len(quoted):]
	return word, rest, err == nil && (rest == "" || rest[0] == end)
}

// shown returns a text that a terminal doesn't interpret.
func shown(text string) string { return naming.Printable(text) }

// shownLines returns the lines of a text. There is at least one.
func shownLines(text string) []string {
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = shown(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    "))
	}
	return lines
}
