package metadata_test

import (
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
)

func TestANameIsVisible(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "Claude", "Claude Code (dev)", "VS Code – Insiders", "客户端", "עוזר", "مساعد", "ผู้ช่วย", "सहायक", "Trợ lý", "e\u0301\u0302", "🤖 Bot", "⚙\ufe0f Tool", "42", strings.Repeat("ä", 100),
	} {
		if !metadata.IsName(name) {
			t.Errorf("%q is refused", name)
		}
	}
	for what, name := range map[string]string{
		"101 characters": strings.Repeat("a", 101), "invalid UTF-8": "a\xff", "a line break": "Claude\nDesktop", "NUL": "a\x00", "a bidi override": "Claude\u202eedualC",
		"a zero-width space": "Clau\u200bde", "a zero-width joiner": "a\u200db", "a soft hyphen": "a\u00adb", "a line separator": "a\u2028b", "a private character": "a\ue000",
		"a space": " ", "spaces around": " a ", "a no-break space": "a\u00a0b", "an em space": "\u2003", "a Hangul filler": "\u3164", "a half-width Hangul filler": "a\uffa0",
		"a Braille blank": "\u2800", "a grapheme joiner": "a\u034f", "a variation selector": "\ufe0f", "a tag": "a\U000e0041", "a mark alone": "\u0301",
		"90 marks": "a" + strings.Repeat("\u0301", 90), "five marks": "a\u0301\u0302\u0303\u0304\u0305b",
	} {
		if metadata.IsName(name) {
			t.Errorf("%s: %q is a name", what, name)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, seed := range []string{"Claude", "a\u0301", "\u3164", "a\u202eb", " ", "🤖"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if metadata.IsName(name) && name != "" && strings.TrimSpace(name) == "" {
			t.Errorf("%q shows nothing", name)
		}
	})
}
