package document

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// A layout is how a document is written.
type layout struct {
	newline string
	unit    string // of indentation
	inline  bool   // everything is on one line
}

// layoutOf returns the layout of a document that parses.
func layoutOf(body []byte) layout {
	lay := layout{newline: newlineOf(body), unit: "  "}
	_, root, err := parseJSON(body)
	if err != nil {
		return lay
	}
	lay.inline = len(root.Members) > 0 && !bytes.ContainsRune(bytes.TrimSpace(body), '\n')
	if indent, lines := memberIndent(root); lines && indent != "" {
		lay.unit = indent
	}
	return lay
}

// value returns the text of a value of a Member, whose lines after the first have the
// indentation.
func (l layout) value(value any, indent string) string {
	var items []string
	open, end := "{", "}"
	switch value := value.(type) {
	case bool:
		return strconv.FormatBool(value)
	case int:
		return strconv.Itoa(value)
	case string:
		return string(hujson.String(value))
	case []string:
		open, end = "[", "]"
		for _, one := range value {
			items = append(items, string(hujson.String(one)))
		}
	case []Member:
		for _, one := range value {
			items = append(items, string(hujson.String(one.Name))+": "+l.value(one.Value, indent+l.unit))
		}
	}
	if len(items) == 0 || l.inline {
		return open + strings.Join(items, ", ") + end
	}
	inner := l.newline + indent + l.unit
	return open + inner + strings.Join(items, ","+inner) + l.newline + indent + end
}
