package document

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// decodeTOML returns the values of a document.
func decodeTOML(body []byte) (map[string]any, error) {
	values := map[string]any{}
	err := toml.Unmarshal(body, &values)
	if decode := (*toml.DecodeError)(nil); errors.As(err, &decode) {
		line, column := decode.Position()
		return nil, fmt.Errorf("%w: line %d, column %d: %s", ErrSyntax, line, column, strings.TrimPrefix(decode.Error(), "toml: "))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return values, nil
}

// tableAt returns the table that values have under a name, or nil.
func tableAt(values map[string]any, name string) (map[string]any, error) {
	switch value := values[name].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return value, nil
	case []any:
		return nil, fmt.Errorf("%w: %q is a list, not a table", ErrShape, name)
	default:
		return nil, fmt.Errorf("%w: %q is a value, not a table", ErrShape, name)
	}
}

func entriesTOML(body []byte, key string) ([]Entry, error) {
	servers, err := entriesAt(body, key)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if members, ok := servers[name].(map[string]any); ok {
			entries = append(entries, Entry{Name: name, Members: members})
		}
	}
	return entries, nil
}

func setTOML(body []byte, at Address, members []Member) ([]byte, error) {
	there, err := holdsTOML(body, at)
	if err != nil {
		return nil, err
	}
	newline := newlineOf(body)
	if !there {
		text := newline
		switch {
		case len(body) == 0:
			text = ""
		case !bytes.HasSuffix(body, []byte("\n")):
			text = newline + newline
		}
		text += "[" + keyTOML(at.Key) + "." + keyTOML(at.Name) + "]" + newline
		for _, one := range members {
			text += assignment(one) + newline
		}
		return append(bytes.Clone(body), text...), nil
	}
	for _, one := range members {
		if body, err = updateTOML(body, at, one, newline); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// holdsTOML reports whether a document has an entry as a table with a header.
func holdsTOML(body []byte, at Address) (bool, error) {
	servers, err := entriesAt(body, at.Key)
	if err != nil {
		return false, err
	}
	if _, there := servers[at.Name]; there {
		if _, err := tableAt(servers, at.Name); err != nil {
			return false, err
		}
	}
	sections, err := sectionsOf(body)
	if err != nil {
		return false, err
	}
	for _, one := range sections {
		if slices.Equal(one.path, []string{at.Key, at.Name}) {
			return true, nil
		}
		// Tables that values define inside of another one can't get a header.
		for _, pair := range one.pairs {
			path := slices.Concat(one.path, pair.path)
			if path[0] == at.Key && (len(one.path) == 0 || len(path) > 1 && path[1] == at.Name && len(one.path) == 1) {
				return false, fmt.Errorf("%w: %q is an inline table or has a dotted key", ErrForm, strings.Join(path, "."))
			}
		}
	}
	if _, there := servers[at.Name]; there {
		return false, fmt.Errorf("%w: %s has no header [%s]", ErrForm, at, at)
	}
	return false, nil
}

// entriesAt returns the tables of the entries of a document.
func entriesAt(body []byte, key string) (map[string]any, error) {
	values, err := decodeTOML(body)
	if err != nil {
		return nil, err
	}
	return tableAt(values, key)
}

// updateTOML gives a key of an entry a new value.
func updateTOML(body []byte, at Address, to Member, newline string) ([]byte, error) {
	sections, err := sectionsOf(body)
	if err != nil {
		return nil, err
	}
	servers, err := entriesAt(body, at.Key)
	if err != nil {
		return nil, err
	}
	entry, err := tableAt(servers, at.Name)
	if err != nil {
		return nil, err
	}
	for _, one := range sections {
		if !slices.Equal(one.path, []string{at.Key, at.Name}) {
			continue
		}
		for _, pair := range one.pairs {
			if !slices.Equal(pair.path, []string{to.Name}) {
				continue
			}
			if to.Default || equalPlain(entry[to.Name], to.Value) {
				return body, nil
			}
			return apply(body, splice{pair.start, pair.end, assignment(to)}), nil
		}
		text := assignment(to) + newline
		if one.end == len(body) && !bytes.HasSuffix(body, []byte("\n")) {
			text = newline + text
		}
		return apply(body, splice{one.end, one.end, text}), nil
	}
	return nil, fmt.Errorf("%w: %s has no header [%s]", ErrForm, at, at)
}

func removeTOML(body []byte, at Address) ([]byte, error) {
	servers, err := entriesAt(body, at.Key)
	if err != nil {
		return nil, err
	}
	if _, there := servers[at.Name]; !there {
		return body, nil
	}
	if _, err := holdsTOML(body, at); err != nil {
		return nil, err
	}
	sections, err := sectionsOf(body)
	if err != nil {
		return nil, err
	}
	for _, one := range slices.Backward(sections) {
		if len(one.path) < 2 || one.path[0] != at.Key || one.path[1] != at.Name {
			continue
		}
		start, end := one.start, one.end
		// One of the blank lines around the table goes with it.
		switch before := body[:start]; {
		case end == len(body) && bytes.HasSuffix(before, []byte("\n\r\n")):
			start -= len("\r\n")
		case end == len(body) && bytes.HasSuffix(before, []byte("\n\n")):
			start -= len("\n")
		case bytes.HasPrefix(body[end:], []byte("\r\n")):
			end += len("\r\n")
		case bytes.HasPrefix(body[end:], []byte("\n")):
			end += len("\n")
		}
		body = apply(body, splice{start, end, ""})
	}
	return body, nil
}

// compareTOML returns an error unless the documents have the same values, except for the
// entry. A key that only the entry needs may be new, or gone.
func compareTOML(before, after []byte, at Address) error {
	if bytes.Equal(before, after) {
		return nil
	}
	var both [2]map[string]any
	for i, body := range [][]byte{before, after} {
		values, err := decodeTOML(body)
		if err != nil {
			return err
		}
		servers, err := tableAt(values, at.Key)
		if err != nil {
			return err
		}
		delete(servers, at.Name)
		if len(servers) == 0 {
			delete(values, at.Key)
		}
		both[i] = values
	}
	if !reflect.DeepEqual(both[0], both[1]) {
		return errElsewhere
	}
	return nil
}

// assignment returns the line of a member, without its ending. The layout of a list is
// that of JSON on one line, which is TOML too.
func assignment(one Member) string {
	return keyTOML(one.Name) + " = " + layout{inline: true}.value(one.Value, "")
}

// keyTOML returns a key, in quotes if it needs them.
func keyTOML(name string) string {
	const bare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	if name != "" && strings.Trim(name, bare) == "" {
		return name
	}
	return string(hujson.String(name))
}
