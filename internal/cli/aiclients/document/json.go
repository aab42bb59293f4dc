package document

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// parseJSON returns the root object of a document.
func parseJSON(body []byte) (*hujson.Value, *hujson.Object, error) {
	root, err := hujson.Parse(body)
	if err != nil {
		// The parser wants a newline after a line comment, also at the end.
		if ended, again := hujson.Parse(append(bytes.Clone(body), '\n')); again == nil {
			root, err = ended, nil
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %s", ErrSyntax, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, nil, fmt.Errorf("%w: the file holds %s, not an object", ErrShape, describe(root.Value))
	}
	return &root, object, nil
}

// CheckStrict returns a [*StrictError] if a text that parses as [JSON] has comments or
// trailing commas.
func CheckStrict(content []byte) error {
	line := 1
	for i := 0; i < len(content); i++ {
		switch content[i] {
		case '\n':
			line++
		case '"': // a string ends in its line
			for i++; i < len(content) && content[i] != '"'; i++ {
				if content[i] == '\\' {
					i++
				}
			}
		case '/':
			return &StrictError{"comment", line}
		case ',':
			if next := bytes.TrimLeft(content[i+1:], " \t\r\n"); len(next) > 0 && (next[0] == '}' || next[0] == ']') {
				return &StrictError{"trailing comma", line}
			}
		}
	}
	return nil
}

// member returns the index of a member, or -1.
func member(object *hujson.Object, name string) (int, error) {
	found := -1
	for i := range object.Members {
		if nameOf(object.Members[i]) != name {
			continue
		}
		if found >= 0 {
			return -1, fmt.Errorf("%w: %q is there twice", ErrForm, name)
		}
		found = i
	}
	return found, nil
}

func nameOf(member hujson.ObjectMember) string {
	if literal, ok := member.Name.Value.(hujson.Literal); ok {
		return literal.String()
	}
	return ""
}

// objectAt returns the object that a member has as its value.
func objectAt(object *hujson.Object, i int) (*hujson.Object, error) {
	if value, ok := object.Members[i].Value.Value.(*hujson.Object); ok {
		return value, nil
	}
	return nil, fmt.Errorf("%w: %q is %s, not an object", ErrShape, nameOf(object.Members[i]), describe(object.Members[i].Value.Value))
}

// describe returns the kind of a value in words.
func describe(value hujson.ValueTrimmed) string {
	switch value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 'n':
		return "null"
	case '0':
		return "a number"
	default:
		return "a boolean"
	}
}

// A position says where a document has an entry.
type position struct {
	root    *hujson.Value
	object  *hujson.Object // of the document
	servers *hujson.Object // the object at the key, or nil
	key     int            // the index of that object in the document, or -1
	name    int            // the index of the entry in that object, or -1
}

// locate returns the position of an entry. An empty text is an empty document.
func locate(body []byte, at Address) (p position, err error) {
	p.key, p.name = -1, -1
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}")
	}
	if p.root, p.object, err = parseJSON(body); err != nil {
		return p, err
	}
	if p.key, err = member(p.object, at.Key); err != nil || p.key < 0 {
		return p, err
	}
	if p.servers, err = objectAt(p.object, p.key); err == nil {
		p.name, err = member(p.servers, at.Name)
	}
	return p, err
}

func entriesJSON(body []byte, key string) ([]Entry, error) {
	found, err := locate(body, Address{Key: key})
	if err != nil || found.servers == nil {
		return nil, err
	}
	var entries []Entry
	for _, one := range found.servers.Members {
		if members, ok := plain(one.Value.Value).(map[string]any); ok {
			entries = append(entries, Entry{Name: nameOf(one), Members: members})
		}
	}
	return entries, nil
}

// plain returns a value as maps, slices, strings and booleans.
func plain(value hujson.ValueTrimmed) any {
	switch value := value.(type) {
	case *hujson.Object:
		members := map[string]any{}
		for _, one := range value.Members {
			members[nameOf(one)] = plain(one.Value.Value)
		}
		return members
	case *hujson.Array:
		elements := []any{}
		for _, one := range value.Elements {
			elements = append(elements, plain(one.Value))
		}
		return elements
	case hujson.Literal:
		switch value.Kind() {
		case 't', 'f':
			return value.Bool()
		case 'n':
			return nil
		}
		return value.String()
	}
	return nil
}

func setJSON(body []byte, at Address, members []Member) ([]byte, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		lay := layout{newline: "\n", unit: "  "}
		return []byte(lay.value([]Member{{Name: at.Key, Value: []Member{{Name: at.Name, Value: members}}}}, "") + "\n"), nil
	}
	found, err := locate(body, at)
	switch {
	case err != nil:
		return nil, err
	case found.key < 0:
		return insert(body, nil, Member{Name: at.Key, Value: []Member{{Name: at.Name, Value: members}}})
	case found.name < 0:
		return insert(body, []string{at.Key}, Member{Name: at.Name, Value: members})
	}
	if _, err := objectAt(found.servers, found.name); err != nil {
		return nil, err
	}
	for _, one := range members {
		if body, err = update(body, []string{at.Key, at.Name}, one); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// follow parses a document, and returns the value at a path of names. Each name is there once.
func follow(body []byte, path []string) (*hujson.Value, *hujson.Object, error) {
	value, object, err := parseJSON(body)
	for _, name := range path {
		if err != nil {
			return nil, nil, err
		}
		var i int
		if i, err = member(object, name); err != nil {
			return nil, nil, err
		}
		value = &object.Members[i].Value
		object, err = objectAt(object, i)
	}
	return value, object, err
}

// update gives a member of the object at the path a new value.
func update(body []byte, path []string, to Member) ([]byte, error) {
	_, object, err := follow(body, path)
	if err != nil {
		return nil, err
	}
	i, err := member(object, to.Name)
	if err != nil {
		return nil, err
	}
	if i < 0 {
		return insert(body, path, to)
	}
	value := object.Members[i].Value
	if to.Default || equalPlain(plain(value.Value), to.Value) {
		return body, nil
	}
	lay := layoutOf(body)
	lay.inline = lay.inline || !bytes.ContainsRune(body[value.StartOffset:value.EndOffset], '\n')
	return apply(body, splice{value.StartOffset, value.EndOffset, lay.value(to.Value, indentAt(body, value.StartOffset))}), nil
}

// equalPlain reports whether a value of a document is the value of a Member.
func equalPlain(have, want any) bool {
	list, ok := want.([]string)
	if !ok {
		return have == want
	}
	elements, ok := have.([]any)
	if !ok || len(elements) != len(list) {
		return false
	}
	for i, element := range elements {
		if element != list[i] {
			return false
		}
	}
	return true
}
