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
	found, err := locate(body, at)
	if err != nil {
		return "", err
	}
	if found.name >= 0 {
		found.servers.Members = slices.Delete(found.servers.Members, found.name, found.name+1)
	}
	if found.servers != nil && len(found.servers.Members) == 0 {
		found.object.Members = slices.Delete(found.object.Members, found.key, found.key+1)
	}
	found.root.Minimize()
	return found.root.String(), nil
}
