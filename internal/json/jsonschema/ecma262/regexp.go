// Package ecma262 compiles the regular expressions of JSON Schema. They have the syntax of
// ECMA-262, which differs from that of package regexp.
package ecma262

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// The character classes of ECMA-262 that differ from those of package regexp, without
// brackets.
const (
	ecmaSpace    = `\t-\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}`
	ecmaNoSpace  = `\x00-\x08\x0E-\x1F!-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF}`
	ecmaLineEnds = `\n\r\x{2028}\x{2029}`
	everything   = `\x00-\x{10FFFF}`
)

// A Regexp is a compiled regular expression.
type Regexp struct {
	*regexp.Regexp
	size int64 // how many instructions a match may run for each byte of a text
}

// Compile compiles a regular expression of ECMA-262. It refuses one that package regexp can't
// express.
func Compile(text string) (*Regexp, error) {
	t := translator{text: text}
	if err := t.translate(); err != nil {
		return nil, err
	}
	translated := t.out.String()
	compiled, err := regexp.Compile(translated)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(translated, syntax.Perl) // package regexp doesn't tell the size of its program
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	return &Regexp{compiled, int64(len(program.Inst))}, nil
}

// Cost returns how many instructions a match of a text may run. An empty text costs as much as
// one byte.
func (r *Regexp) Cost(text []byte) int64 { return int64(len(text)+1) * r.size }

// A translator translates a regular expression from ECMA-262, which JSON Schema requires, to
// the syntax of package regexp. It refuses syntax that has no equivalent, and copies syntax
// that both share.
type translator struct {
	text  string
	at    int
	class bool // whether at is inside brackets
	out   strings.Builder
}

func (t *translator) translate() error {
	for t.at < len(t.text) {
		rest := t.text[t.at:]
		var err error
		switch c := rest[0]; {
		case c == '\\':
			err = t.escape(rest)
		case c == ']' && t.class:
			t.class = false
			t.replace(1, "]")
		case c == '[' && t.class:
			t.replace(1, `\[`) // package regexp would begin a class such as [:alpha:]
		case strings.HasPrefix(rest, "[]"):
			t.replace(2, "[^"+everything+"]")
		case strings.HasPrefix(rest, "[^]"):
			t.replace(3, "["+everything+"]")
		case c == '[':
			t.class = true
			t.replace(1, "[")
			if strings.HasPrefix(rest, "[^") {
				t.replace(1, "^")
			}
		case c == '.' && !t.class:
			t.replace(1, "[^"+ecmaLineEnds+"]")
		case strings.HasPrefix(rest, "(?") && !t.class:
			err = t.group(rest)
		default:
			t.replace(1, rest[:1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replace skips n bytes and writes a text for them.
func (t *translator) replace(n int, text string) {
	t.at += n
	t.out.WriteString(text)
}

// group copies the beginning of a group that isn't a numbered capture.
func (t *translator) group(rest string) error {
	if len(rest) > 2 && !strings.ContainsRune(":<=!", rune(rest[2])) {
		return fmt.Errorf("ECMA-262 has no %.4s; write a group without flags, a name as (?<name>…), and both cases as in [Aa]", rest)
	}
	t.replace(2, "(?")
	return nil
}

// escape translates a sequence that begins with a backslash.
func (t *translator) escape(rest string) error {
	if len(rest) < 2 {
		return errors.New("a backslash ends it")
	}
	switch c := rest[1]; c {
	case 's':
		t.replace(2, t.bracketed(ecmaSpace))
	case 'S':
		t.replace(2, t.bracketed(ecmaNoSpace))
	case 'u':
		return t.unicode(rest)
	case 'c':
		if len(rest) < 3 || rest[2]|0x20 < 'a' || rest[2]|0x20 > 'z' {
			return errors.New(`\c needs a letter`)
		}
		t.character(3, rune(rest[2]&0x1f))
	case '0':
		if len(rest) > 2 && '0' <= rest[2] && rest[2] <= '9' {
			return errors.New(`ECMA-262 has no octal escapes; write \xHH`)
		}
		t.character(2, 0)
	case '1', '2', '3', '4', '5', '6', '7', '8', '9', 'k':
		return errors.New("package regexp has no references to a group, such as " + rest[:2])
	case 'x':
		if code, ok := hexadecimal(rest, 2, 2); ok {
			t.character(4, code)
			return nil
		}
		return errors.New(`\x needs two hexadecimal digits; write more as \u{…}`)
	case 'b':
		if t.class {
			t.character(2, '\b')
			return nil
		}
		t.replace(2, rest[:2])
	case 'p', 'P':
		return t.property(rest)
	case 'A', 'C', 'E', 'Q', 'a', 'z':
		return errors.New("ECMA-262 has no " + rest[:2] + `; write ^ and $ for the ends of the text, and \xHH for a control character`)
	default:
		t.replace(2, rest[:2])
	}
	return nil
}

// bracketed returns a character class, in brackets unless it is inside a class.
func (t *translator) bracketed(class string) string {
	if t.class {
		return class
	}
	return "[" + class + "]"
}

// character writes one character for n bytes.
func (t *translator) character(n int, r rune) { t.replace(n, fmt.Sprintf(`\x{%X}`, r)) }

// unicode translates \uXXXX, a surrogate pair of two of them, and \u{X…}.
func (t *translator) unicode(rest string) error {
	if digits, _, closed := strings.Cut(strings.TrimPrefix(rest, `\u{`), "}"); closed && strings.HasPrefix(rest, `\u{`) {
		code, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || code > 0x10ffff || utf16.IsSurrogate(rune(code)) {
			return fmt.Errorf(`\u{%.8s} is no character`, digits)
		}
		t.character(len(`\u{}`)+len(digits), rune(code))
		return nil
	}
	code, ok := hexadecimal(rest, 2, 4)
	if !ok {
		return errors.New(`\u needs four hexadecimal digits`)
	}
	if !utf16.IsSurrogate(code) {
		t.character(6, code)
		return nil
	}
	if low, ok := hexadecimal(rest, 8, 4); ok && rest[6:8] == `\u` {
		if whole := utf16.DecodeRune(code, low); whole != '\ufffd' {
			t.character(12, whole)
			return nil
		}
	}
	return fmt.Errorf("%s is half a character", rest[:6])
}

// hexadecimal returns the number in count digits of a text.
func hexadecimal(text string, from, count int) (rune, bool) {
	if len(text) < from+count {
		return 0, false
	}
	code, err := strconv.ParseUint(text[from:from+count], 16, 32)
	return rune(code), err == nil
}

// property translates \p{…} and \P{…}. Package regexp doesn't name the kind of a property.
func (t *translator) property(rest string) error {
	name, _, closed := strings.Cut(rest[2:], "}")
	if !closed || name == "" || name[0] != '{' {
		return errors.New("ECMA-262 needs braces around the property: write " + rest[:2] + "{L}")
	}
	short := name[1:]
	if kind, value, found := strings.Cut(short, "="); found {
		switch kind {
		case "Script", "sc", "General_Category", "gc":
			short = value
		default:
			return errors.New("package regexp has no property " + codec.Quote(kind))
		}
	}
	t.replace(2+len(name)+1, rest[:2]+"{"+short+"}")
	return nil
}
