package metadata

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// IsName reports whether a text can be shown as the name of a client. It has a letter, a digit
// or another visible character, and none that is invisible, which could make it look like
// another name.
func IsName(text string) bool {
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > limits.MaxClientName {
		return false
	}
	visible, marks := text == "", 0
	for _, r := range text {
		switch {
		case isInvisible(r):
			return false
		case unicode.IsMark(r):
			if marks++; marks > limits.MaxMarks {
				return false
			}
			continue
		case r != ' ':
			visible = true
		}
		marks = 0
	}
	return visible && strings.TrimSpace(text) == text
}

// isInvisible reports whether a character shows nothing, or changes how others are shown. A
// space is the only blank one that names have.
func isInvisible(r rune) bool {
	const brailleBlank = '\u2800'
	return unicode.IsControl(r) || r == brailleBlank || r != ' ' && unicode.Is(unicode.Z, r) ||
		unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Other_Default_Ignorable_Code_Point)
}
