// Package naming converts names: the Go type EchoTool into the wire name "echo", the title
// "Echo" and the file echo_tool.go, and an argument of the mcp command into a Go type name.
// It also checks and compares URIs, and finds similar names.
//
// All conversions use the same list of words, so they always agree on where a word begins.
package naming

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TypeName returns the name of v's concrete type without package, pointers and type
// arguments: "EchoTool" for *tools.EchoTool, "Box" for Box[int]. It is empty for nil and
// for unnamed types.
func TypeName(v any) string {
	t := reflect.TypeOf(v)
	for t != nil && t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	if t == nil {
		return ""
	}
	name, _, _ := strings.Cut(t.Name(), "[")
	return name
}

// Label returns what messages call a server: its type, or its name if a function such as
// servers.New made it.
func Label(server interface{ Name() string }) string {
	made, ok := server.(interface {
		Constructor() (name string, complete bool)
	})
	if !ok {
		return TypeName(server)
	}
	if name := server.Name(); name != "" {
		return name
	}
	name, _ := made.Constructor()
	return name
}

// Kebab returns name in lower case with a hyphen between words: "http-status-tool" for
// HTTPStatusTool. The result holds a-z, 0-9 and single inner hyphens only. Letters
// outside ASCII are dropped, because MCP names cannot have them.
func Kebab(name string) string { return joinLower(name, '-') }

// Snake returns name in lower case with an underscore between words, as Go files are
// called: "http_status_tool" for HTTPStatusTool. Letters outside ASCII are dropped.
func Snake(name string) string { return joinLower(name, '_') }

// Headline returns name as a title for people: "HTTP Status Tool" for HTTPStatusTool,
// "Echo Tool" for echo-tool.
func Headline(name string) string {
	list := words(name)
	for i, word := range list {
		list[i] = capitalize(word)
	}
	return strings.Join(list, " ")
}

// Studly returns name as an exported Go name: "CurrentWeather" for "current weather",
// "current-weather" and "current_weather". Capitals inside a word stay, so "HTTPStatus"
// stays the same. The result may not be a valid identifier.
func Studly(name string) string {
	var b strings.Builder
	for _, word := range words(name) {
		b.WriteString(capitalize(word))
	}
	return b.String()
}

func joinLower(name string, separator byte) string {
	var b strings.Builder
	for _, word := range words(name) {
		start := b.Len()
		for _, r := range word {
			r = unicode.ToLower(r)
			if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
				continue
			}
			if b.Len() == start && start > 0 {
				b.WriteByte(separator)
			}
			b.WriteByte(byte(r))
		}
	}
	return b.String()
}

func capitalize(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}
