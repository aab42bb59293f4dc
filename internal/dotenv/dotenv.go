// Package dotenv reads .env files. Apps read theirs with package env; the mcp command reads
// the same file to know how an app is configured.
package dotenv

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// A Setting is a variable that a file sets.
type Setting struct {
	Name  string
	Value string
	Line  int
}

// Read returns the settings of a file, in its order. With an error, it returns those before
// the mistake. A missing file has none.
func Read(path string) (settings []Setting, problem error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff") // the BOM of an editor on Windows
		}
		name, value, err := parse(line)
		if err != nil {
			return settings, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if name != "" {
			settings = append(settings, Setting{name, value, n})
		}
	}
	return settings, lines.Err()
}

// parse parses a line. It returns an empty name if the line sets no variable.
func parse(line string) (name, value string, err error) {
	line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
	if line == "" || line[0] == '#' {
		return "", "", nil
	}
	name, value, ok := strings.Cut(line, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || name == "" || strings.ContainsAny(name, " \t\"'") {
		return "", "", errors.New("a line must be NAME=value")
	}
	switch {
	case strings.HasPrefix(value, "'"):
		end := strings.IndexByte(value[1:], '\'')
		if end < 0 {
			return "", "", fmt.Errorf("the quoted value of %s has no closing quote", name)
		}
		return name, value[1 : 1+end], nil
	case strings.HasPrefix(value, `"`):
		text, ok := unquote(value[1:])
		if !ok {
			return "", "", fmt.Errorf("the quoted value of %s has no closing quote", name)
		}
		return name, text, nil
	}
	value, _, _ = strings.Cut(value, " #")
	return name, strings.TrimSpace(value), nil
}

// unquote reads text up to the closing double quote.
func unquote(text string) (value string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), true
		case strings.HasPrefix(text[i:], `\n`):
			b.WriteByte('\n')
			i++
		case strings.HasPrefix(text[i:], `\"`), strings.HasPrefix(text[i:], `\\`):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(text[i])
		}
	}
	return "", false
}
