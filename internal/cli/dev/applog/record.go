package applog

import (
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A record is a line that a [slog.TextHandler] or a [slog.JSONHandler] has written.
type record struct {
	time    time.Time
	level   slog.Level
	message string
	attrs   []attr
}

// An attr is an attribute of a record.
type attr struct {
	name, value string
	isJSON      bool // whether the value is JSON other than a string
}

// stack is the name of the attribute that has the stack of a panic.
const stack = "stack"

// newRecord returns the record with attributes, of which one is its time, one its level and one its
// message. It reports false if one of them is missing.
func newRecord(attrs []attr) (r *record, ok bool) {
	r = &record{}
	var at, level, message bool
	for _, a := range attrs {
		switch {
		case a.name == slog.TimeKey && !at:
			moment, err := time.Parse(time.RFC3339Nano, a.value)
			r.time, at = moment, err == nil
		case a.name == slog.LevelKey && !level:
			level = r.level.UnmarshalText([]byte(a.value)) == nil
		case a.name == slog.MessageKey && !message:
			r.message, message = a.value, true
		default:
			r.attrs = append(r.attrs, a)
		}
	}
	return r, at && level && message
}

// text returns the value of an attribute, or "".
func (r *record) text(name string) string {
	for _, a := range r.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// duration returns the value of an attribute that is a duration, or 0. In JSON it is a number of
// nanoseconds.
func (r *record) duration(name string) time.Duration {
	text := r.text(name)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Duration(n)
	}
	d, _ := time.ParseDuration(text)
	return d
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
	if !a.isJSON && (a.value == "" || strings.ContainsAny(a.value, ` ="`)) {
		return strconv.Quote(a.value)
	}
	return shown(a.value)
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
