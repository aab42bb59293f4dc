package document

import (
	"bytes"
	"errors"

	"github.com/tailscale/hujson"
)

// errElsewhere is the error for an edit that changes more than the entry.
var errElsewhere = errors.New("another value would change")

// compareJSON returns an error unless the documents have the same values in the same
// order, except for the entry. A key that only the entry needs may be new.
func compareJSON(before, after []byte, at Address) error {
	if bytes.Equal(before, after) {
		return nil
	}
	old := &hujson.Object{}
	if len(bytes.TrimSpace(before)) > 0 {
		var err error
		if _, old, err = parseJSON(before); err != nil {
			return err
		}
	}
	_, changed, err := parseJSON(after)
	if err != nil {
		return err
	}
	if !equalBut(old, changed, []string{at.Key, at.Name}) {
		return errElsewhere
	}
	return nil
}

// equalBut reports whether two objects are equal but for the value at a path, which may be
// in only one of them.
func equalBut(before, after *hujson.Object, path []string) bool {
	left, leftOne := split(before, path[0])
	right, rightOne := split(after, path[0])
	if len(left) != len(right) || len(leftOne) > 1 || len(rightOne) > 1 {
		return false
	}
	for i := range left {
		if nameOf(left[i]) != nameOf(right[i]) || !equalValues(left[i].Value.Value, right[i].Value.Value) {
			return false
		}
	}
	if len(path) == 1 || len(leftOne)+len(rightOne) == 0 {
		return true
	}
	if len(rightOne) == 0 {
		return false
	}
	inside, ok := rightOne[0].Value.Value.(*hujson.Object)
	if !ok {
		return false
	}
	outside := &hujson.Object{}
	if len(leftOne) > 0 {
		if outside, ok = leftOne[0].Value.Value.(*hujson.Object); !ok {
			return false
		}
	}
	return equalBut(outside, inside, path[1:])
}

// split returns the members of an object without and with a name.
func split(object *hujson.Object, name string) (others, named []hujson.ObjectMember) {
	for _, one := range object.Members {
		if nameOf(one) == name {
			named = append(named, one)
		} else {
			others = append(others, one)
		}
	}
	return others, named
}

// equalValues reports whether two values are equal, numbers and the order of members
// included.
func equalValues(a, b hujson.ValueTrimmed) bool {
	switch a := a.(type) {
	case *hujson.Object:
		b, ok := b.(*hujson.Object)
		if !ok || len(a.Members) != len(b.Members) {
			return false
		}
		for i := range a.Members {
			if nameOf(a.Members[i]) != nameOf(b.Members[i]) || !equalValues(a.Members[i].Value.Value, b.Members[i].Value.Value) {
				return false
			}
		}
		return true
	case *hujson.Array:
		b, ok := b.(*hujson.Array)
		if !ok || len(a.Elements) != len(b.Elements) {
			return false
		}
		for i := range a.Elements {
			if !equalValues(a.Elements[i].Value, b.Elements[i].Value) {
				return false
			}
		}
		return true
	case hujson.Literal:
		b, ok := b.(hujson.Literal)
		return ok && bytes.Equal(a, b)
	}
	return false
}
