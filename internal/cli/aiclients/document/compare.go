package document

import (
	"bytes"
	"errors"
	"slices"
)

// errElsewhere is the error for an edit that changes more than the entry.
var errElsewhere = errors.New("another value would change")

// compareJSON returns an error unless the documents have the same values in the same
// order, except for the entry. A key that only the entry needs may be new, or gone.
func compareJSON(before, after []byte, at Address) error {
	if bytes.Equal(before, after) {
		return nil
	}
	left, err := withoutEntry(before, at)
	if err != nil {
		return err
	}
	right, err := withoutEntry(after, at)
	if err == nil && left != right {
		err = errElsewhere
	}
	return err
}

// withoutEntry returns a document without the entry, white space and comments.
func withoutEntry(body []byte, at Address) (string, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return "{}", nil
	}
	root, object, err := parseJSON(body)
	if err != nil {
		return "", err
	}
	key, err := member(object, at.Key)
	if err != nil {
		return "", err
	}
	if key >= 0 {
		servers, err := objectAt(object, key)
		if err != nil {
			return "", err
		}
		name, err := member(servers, at.Name)
		if err != nil {
			return "", err
		}
		if name >= 0 {
			servers.Members = slices.Delete(servers.Members, name, name+1)
		}
		if len(servers.Members) == 0 {
			object.Members = slices.Delete(object.Members, key, key+1)
		}
	}
	root.Minimize()
	return root.String(), nil
}
