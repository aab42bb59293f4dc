package applog

import (
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A record is a line that a [slog.JSONHandler] has written.
type record struct {
	time    time.Time
	level   slog.Level
	message string
	attrs   []attr
}

// An attr is an attribute of a record. Its value is raw.
type attr struct {
	name  string
	value []byte
}

// stack is the name of the attribute that has the stack of a panic.
const stack = "stack"

// parse returns the record in a line. It reports false if the line is none.
func parse(line []byte) (r *record, ok bool) {
	if len(line) == 0 || line[0] != '{' || rawjson.Broken(line) >= 0 {
		return nil, false
	}
	r = &record{}
	var at, level, message bool
	for name, value := range rawjson.Members(line) {
		text, isText := codec.Unquote(value)
		switch {
		case isText && name == slog.TimeKey && !at:
			moment, err := time.Parse(time.RFC3339Nano, text)
			r.time, at = moment, err == nil
		case isText && name == slog.LevelKey && !level:
			level = r.level.UnmarshalText([]byte(text)) == nil
		case isText && name == slog.MessageKey && !message:
			r.message, message = text, true
		default:
			r.attrs = append(r.attrs, attr{name, value})
		}
	}
	return r, at && level && message
}

// value returns the raw value of an attribute, or nil.
func (r *record) value(name string) []byte {
	for _, a := range r.attrs {
		if a.name == name {
			return a.value
		}
	}
	return nil
}

// text returns the value of an attribute that is a string, or "".
func (r *record) text(name string) string {
	text, _ := codec.Unquote(r.value(name))
	return text
}

// number returns the value of an attribute that is a whole number, or 0.
func (r *record) number(name string) int {
	n, _ := codec.Int(r.value(name))
	return n
}

// rest returns the attributes, except some, as they follow a message.
func (r *record) rest(except ...string) string {
	var b strings.Builder
	for _, a := range r.attrs {
		if !slices.Contains(except, a.name) {
			b.WriteString(" " + shown(a.name) + "=" + a.shown())
		}
	}
	return b.String()
}

// shown returns the value of an attribute, quoted if it isn't one word.
func (a attr) shown() string {
	text, isText := codec.Unquote(a.value)
	if !isText {
		return shown(string(a.value))
	}
	if text == "" || strings.ContainsAny(text, ` ="`) {
		return strconv.Quote(text)
	}
	return shown(text)
}

// line returns the record as a line of text, without what identifies its request to others than the
// person at the terminal.
func (r *record) line() string {
	except := []string{stack}
	if r.text("request") != "" {
		except = append(except, "client")
		if isNobody(r.text("principal")) {
			except = append(except, "principal")
		}
	}
	return fmt.Sprintf("%s  %-5s  %s%s\n", r.time.Local().Format(time.TimeOnly), r.level, shown(r.message), r.rest(except...))
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
