package document

import (
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// Line returns the members as JSON on one line.
func Line(members []Member) string { return layout{inline: true}.value(members, "") }

// YAML returns a document with one entry, for a person to paste. No document in YAML is
// edited.
func YAML(at Address, members []Member) string {
	var text strings.Builder
	text.WriteString(at.Key + ":\n  " + at.Name + ":\n")
	for _, one := range members {
		text.WriteString("    " + one.Name + ":")
		switch value := one.Value.(type) {
		case string:
			text.WriteString(" " + string(hujson.String(value)))
		case bool:
			text.WriteString(" " + strconv.FormatBool(value))
		case int:
			text.WriteString(" " + strconv.Itoa(value))
		case []string:
			for _, element := range value {
				text.WriteString("\n      - " + string(hujson.String(element)))
			}
		}
		text.WriteString("\n")
	}
	return text.String()
}
