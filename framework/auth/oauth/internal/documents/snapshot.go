package documents

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// shipped has the documents of widely used clients, as they were in autumn 2026. Some hosts
// answer servers in data centres with a page for people.
//
//go:embed snapshot
var shipped embed.FS

// Snapshot returns the documents that are used while those of their clients can't be fetched,
// by their URLs. Files of custom, which may be nil, are further ones, and take the place of
// ours with the same client_id.
func Snapshot(custom fs.FS) (map[string]Document, error) {
	own, err := fs.Sub(shipped, "snapshot")
	if err != nil {
		return nil, err
	}
	found := map[string]Document{}
	if err := read(own, found); err != nil || custom == nil {
		return found, err
	}
	return found, read(custom, found)
}

// read adds the documents in the files of a folder.
func read(folder fs.FS, found map[string]Document) error {
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		var document Document
		if err := codec.Unmarshal(text, &document); err != nil {
			return fmt.Errorf("the document %s is not the metadata of a client: %w", name, err)
		}
		if err := errors.Join(CheckURL(document.ClientID), document.check(document.ClientID)); err != nil {
			return fmt.Errorf("the document %s can't describe the client %.100q: %w", name, document.ClientID, err)
		}
		found[document.ClientID] = document
	}
	return nil
}
