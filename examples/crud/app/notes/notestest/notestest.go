// Package notestest has a store and records for tests.
package notestest

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/bowline-mcp/bowline/framework/database/sqlite"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
	"github.com/bowline-mcp/bowline/examples/crud/app/notes/notesdb"
)

// Two users.
const (
	Ana = "ana"
	Ben = "ben"
)

// Open returns an empty store, whose database ends with the test.
func Open(t testing.TB) notes.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store, err := notesdb.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// Client returns a client of a server, logged in as a user.
func Client(t testing.TB, user string, definition servers.Definition) *mcptest.Client {
	t.Helper()
	definition.Name = "test"
	return mcptest.New(t, servers.New(definition)).As(exchange.Principal{ID: user})
}

// Create keeps a new note.
func Create(t testing.TB, store notes.Store, owner string, input notes.Fields) notes.Note {
	t.Helper()
	record, err := store.Create(t.Context(), owner, input)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// First has a value in each field.
func First() notes.Fields {
	return notes.Fields{
		Title:  "(title 1)",
		Body:   "(body 1)",
		Due:    new("2026-01-01"),
		Status: "draft",
		Done:   true,
		Tags:   []string{"tags 1", "x"},
	}
}

// Second has another value than First in each field.
func Second() notes.Fields {
	return notes.Fields{
		Title:  "(title 2)",
		Body:   "(body 2)",
		Due:    new("2026-01-02"),
		Status: "published",
		Done:   false,
		Tags:   []string{"tags 2", "x"},
	}
}

// Least has no value in optional fields.
func Least() notes.Fields {
	return notes.Fields{
		Title:  "(title 1)",
		Body:   "(body 1)",
		Status: "draft",
		Done:   true,
		Tags:   []string{"tags 1", "x"},
	}
}

// JSON returns a value as clients write and read it.
func JSON(t testing.TB, value any) map[string]any {
	t.Helper()
	var members map[string]any
	encoded, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(encoded, &members)
	}
	if err != nil {
		t.Fatal(err)
	}
	return members
}
