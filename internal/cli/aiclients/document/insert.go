package document

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// insert adds a member at the end of the object at the path.
func insert(body []byte, path []string, added Member) ([]byte, error) {
	value, object, err := follow(body, path)
	if err != nil {
		return nil, err
	}
	lay := layoutOf(body)
	outer := indentAt(body, value.StartOffset)
	name := string(hujson.String(added.Name)) + ": "
	if len(object.Members) == 0 {
		// Comments stay at the beginning of the object.
		start := value.StartOffset + len("{")
		start += len(bytes.TrimRight(object.AfterExtra, whitespace))
		if lay.inline && len(bytes.TrimSpace(object.AfterExtra)) == 0 {
			return apply(body, splice{start, value.EndOffset - len("}"), name + lay.value(added.Value, "")}), nil
		}
		lay.inline = false
		text := lay.newline + outer + lay.unit + name + lay.value(added.Value, outer+lay.unit) + lay.newline + outer
		return apply(body, splice{start, value.EndOffset - len("}"), text}), nil
	}
	last := object.Members[len(object.Members)-1].Value
	end, comma := last.EndOffset, ","
	trailing := last.AfterExtra != nil
	if trailing { // the document has a comma after the last member, so the new one gets one too
		end += len(last.AfterExtra) + len(",")
		comma = ""
	}
	indent, lines := memberIndent(object)
	if !lines {
		lay.inline = true
		text := comma + " " + name + lay.value(added.Value, "")
		if trailing {
			text += ","
		}
		return apply(body, splice{end, end, text}), nil
	}
	lay.inline = false
	text := lay.newline + indent + name + lay.value(added.Value, indent)
	if trailing {
		text += ","
	}
	// A comment on the line of the last member belongs to that member.
	after := end + sameLine(object.AfterExtra)
	return apply(body, splice{end, end, comma}, splice{after, after, text}), nil
}

// whitespace is what JSON allows between tokens.
const whitespace = " \t\r\n"

// memberIndent returns the indentation of the members of an object, and whether they have
// lines of their own.
func memberIndent(object *hujson.Object) (indent string, lines bool) {
	for i := len(object.Members) - 1; i >= 0; i-- {
		before := object.Members[i].Name.BeforeExtra
		if end := bytes.LastIndexByte(before, '\n'); end >= 0 {
			return leading(before[end+1:]), true
		}
	}
	return "", false
}

// indentAt returns the indentation of the line that has the offset.
func indentAt(body []byte, offset int) string {
	return leading(body[bytes.LastIndexByte(body[:offset], '\n')+1:])
}

// leading returns the spaces and tabs at the beginning of a text.
func leading(text []byte) string {
	return string(text[:len(text)-len(bytes.TrimLeft(text, " \t"))])
}

// sameLine returns the length of the comments at the beginning of extra that begin on the
// same line, without the line ending.
func sameLine(extra hujson.Extra) (end int) {
	for rest := extra; ; rest = extra[end:] {
		text := bytes.TrimLeft(rest, " \t\r")
		begin := end + len(rest) - len(text)
		switch {
		case bytes.HasPrefix(text, []byte("//")):
			line, _, _ := bytes.Cut(text, []byte("\n"))
			return begin + len(bytes.TrimSuffix(line, []byte("\r")))
		case bytes.HasPrefix(text, []byte("/*")):
			end = begin + len("/*") + bytes.Index(text[len("/*"):], []byte("*/")) + len("*/")
		default:
			return end
		}
	}
}

func removeJSON(body []byte, at Address) ([]byte, error) {
	found, err := locate(body, at)
	if err != nil || found.name < 0 {
		return body, err
	}
	servers, name := found.servers, found.name
	removed := servers.Members[name]
	if len(servers.Members) == 1 && !hasText(removed.Name.BeforeExtra) && !hasText(removed.Value.AfterExtra) && !hasText(servers.AfterExtra) {
		all := found.object.Members[found.key].Value
		return apply(body, splice{all.StartOffset, all.EndOffset, "{}"}), nil
	}
	start, end := removed.Name.StartOffset, removed.Value.EndOffset
	last := name == len(servers.Members)-1
	var splices []splice
	switch {
	case !last || removed.Value.AfterExtra != nil:
		end += len(removed.Value.AfterExtra) + len(",")
	case name > 0: // the member before it is the last one now, without a comma
		before := servers.Members[name-1].Value
		comma := before.EndOffset + len(before.AfterExtra)
		splices = append(splices, splice{comma, comma + len(","), ""})
	}
	start, end = widen(body, start, end, removed.Name.BeforeExtra, last)
	return apply(body, append(splices, splice{start, end, ""})...), nil
}

// widen adds the whitespace around a member that goes with it: its whole lines if it has
// them for itself, otherwise the spaces to the next member, or from the one before it.
func widen(body []byte, start, end int, before hujson.Extra, last bool) (int, int) {
	rest := bytes.TrimLeft(body[end:], " \t")
	line := bytes.TrimRight(body[:start], " \t")
	next := bytes.TrimLeft(rest, " \t\r")
	closes := last && bytes.HasPrefix(next, []byte("}"))
	alone := bytes.HasPrefix(next, []byte("\n"))
	switch {
	case bytes.HasSuffix(line, []byte("\n")) && (alone || closes && !endsInLineComment(before)):
		return len(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))), end
	case last:
		return len(line), end
	default:
		return start, len(body) - len(rest)
	}
}

// endsInLineComment reports whether the last comment ends with its line.
func endsInLineComment(extra hujson.Extra) (ends bool) {
	for rest := bytes.TrimLeft(extra, whitespace); len(rest) > 0; rest = bytes.TrimLeft(rest, whitespace) {
		end := "*/"
		if ends = bytes.HasPrefix(rest, []byte("//")); ends {
			end = "\n"
		}
		_, rest, _ = bytes.Cut(rest[len("//"):], []byte(end))
	}
	return ends
}

// hasText reports whether there is a comment.
func hasText(extra hujson.Extra) bool { return strings.TrimSpace(string(extra)) != "" }
