package endpoint

import (
	"fmt"
	"net/http"
	"strings"
)

// A Challenge is one challenge of a WWW-Authenticate header (RFC 9110, section 11.6.1).
type Challenge struct {
	Scheme string            // in lower case
	Params map[string]string // names in lower case
}

// A Mistake is what is wrong with a header, and what to do about it.
type Mistake struct{ What, Fix string }

// ParseChallenges returns the challenges of all WWW-Authenticate headers in their order,
// and for each malformed header its first mistake. It reads on after a mistake.
func ParseChallenges(header http.Header) ([]Challenge, []Mistake) {
	var all []Challenge
	var mistakes []Mistake
	for _, value := range header.Values("WWW-Authenticate") {
		p := &authenticateParser{rest: value}
		p.parse()
		all = append(all, p.challenges...)
		if p.mistake != nil {
			mistakes = append(mistakes, *p.mistake)
		}
	}
	return all, mistakes
}

// Bearer returns the first Bearer challenge.
func Bearer(challenges []Challenge) (found Challenge, ok bool) {
	for _, c := range challenges {
		if c.Scheme == "bearer" {
			return c, true
		}
	}
	return Challenge{}, false
}

// An authenticateParser parses one WWW-Authenticate header.
type authenticateParser struct {
	rest       string
	challenges []Challenge
	mistake    *Mistake // the first one
}

func (p *authenticateParser) parse() {
	for {
		p.rest = strings.TrimLeft(p.rest, ", \t")
		if p.rest == "" {
			return
		}
		name := p.take(isTokenChar)
		if name == "" {
			p.report(fmt.Sprintf("has %s where a name must be", Show(p.rest)), "Remove it.")
			p.skip()
			continue
		}
		equals := strings.TrimLeft(p.rest, " \t")
		if !strings.HasPrefix(equals, "=") {
			p.begin(name)
			continue
		}
		p.rest = strings.TrimLeft(equals[1:], " \t")
		p.parameter(strings.ToLower(name))
	}
}

// begin begins a challenge, and skips its credentials if they are a token68.
func (p *authenticateParser) begin(scheme string) {
	p.challenges = append(p.challenges, Challenge{strings.ToLower(scheme), map[string]string{}})
	rest := strings.TrimLeft(p.rest, " \t")
	end := strings.TrimLeft(strings.TrimLeftFunc(rest, isToken68Char), "=")
	if after := strings.TrimLeft(end, " \t"); len(end) < len(rest) && (after == "" || after[0] == ',') {
		p.rest = after
	}
}

// parameter parses the value of a parameter and adds it to the last challenge.
func (p *authenticateParser) parameter(name string) {
	quoted := strings.HasPrefix(p.rest, `"`)
	var value string
	if quoted {
		value = p.quoted(name)
	} else {
		value = p.take(isTokenChar)
	}
	if end := strings.TrimLeft(p.rest, " \t"); end != "" && end[0] != ',' {
		switch {
		case quoted:
			p.report("has no comma after the value of "+name, "Separate the parameters with commas.")
		default:
			value = strings.Trim(value+p.skip(), "' \t")
			p.report("has the value of "+name+" without double quotes", fmt.Sprintf("Quote it: %s=%q.", name, value))
		}
	}
	if len(p.challenges) == 0 {
		p.report("begins with the parameter "+name+", not with a scheme", "Begin it with Bearer and a space.")
		return
	}
	params := p.challenges[len(p.challenges)-1].Params
	if _, twice := params[name]; twice {
		p.report("has "+name+" twice in one challenge", "Send each parameter once.")
		return
	}
	params[name] = value
}

// quoted parses a quoted string.
func (p *authenticateParser) quoted(name string) string {
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '"':
			p.rest = p.rest[i+1:]
			return b.String()
		case '\\':
			i++
		}
		if i < len(p.rest) {
			b.WriteByte(p.rest[i])
		}
	}
	p.report("has no closing quote after the value of "+name, `End the value with ", and write quotes in it as \".`)
	p.rest = ""
	return b.String()
}

// take returns the longest beginning of the rest with the characters, and removes it.
func (p *authenticateParser) take(char func(rune) bool) string {
	end := strings.TrimLeftFunc(p.rest, char)
	taken := p.rest[:len(p.rest)-len(end)]
	p.rest = end
	return taken
}

// skip returns the rest up to the next comma, and removes it.
func (p *authenticateParser) skip() string {
	return p.take(func(r rune) bool { return r != ',' })
}

func (p *authenticateParser) report(what, fix string) {
	if p.mistake == nil {
		p.mistake = &Mistake{"The header WWW-Authenticate " + what + ".", fix}
	}
}

func isTokenChar(r rune) bool {
	return isLetterOrDigit(r) || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func isToken68Char(r rune) bool { return isLetterOrDigit(r) || strings.ContainsRune("-._~+/", r) }

func isLetterOrDigit(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
