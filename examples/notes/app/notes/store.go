// Package notes keeps the notes of each user in a database.
package notes

import (
	"context"
	"database/sql"
	"errors"

	"github.com/bowline-mcp/bowline/framework/database/sqldb"
	"github.com/bowline-mcp/bowline/framework/database/sqlite"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// A Note is a record of a Store.
type Note struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// ErrNotFound is the error for a note that doesn't exist, or that belongs to another user.
var ErrNotFound = errors.New("notes: there is no such note")

// A Store keeps notes. The principal of a context is their owner.
type Store struct{ db *sqldb.DB }

// Open opens the store in a file. It makes the file and its folder if they are missing.
func Open(ctx context.Context, path string) (*Store, error) {
	db, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	// Each step runs once. To change the table later, add a step below these.
	err = db.Migrate(ctx, "notes",
		`CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, text TEXT NOT NULL)`,
		`ALTER TABLE notes ADD COLUMN owner TEXT NOT NULL DEFAULT ''`,
	)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Store{db}, nil
}

// Close closes the store.
func (s *Store) Close() error { return s.db.Close() }

// ownerOf returns the ID of the principal of a context. All callers without an ID would share
// their notes, so they have none.
func ownerOf(ctx context.Context) (string, error) {
	id := exchange.PrincipalFrom(ctx).ID
	if id == "" {
		return "", exchange.Errorf("Notes belong to a user. Log in first.")
	}
	return id, nil
}

// Add keeps a new note of the owner, and returns it with its ID.
func (s *Store) Add(ctx context.Context, note Note) (Note, error) {
	owner, err := ownerOf(ctx)
	if err != nil {
		return Note{}, err
	}
	err = s.db.ExecGet(ctx, []any{&note.ID}, `INSERT INTO notes (owner, title, text) VALUES ($1, $2, $3) RETURNING id`, owner, note.Title, note.Text)
	return note, err
}

// List returns at most limit notes of the owner, the newest first.
func (s *Store) List(ctx context.Context, limit int) ([]Note, error) {
	owner, err := ownerOf(ctx)
	if err != nil {
		return nil, err
	}
	found := []Note{}
	err = s.db.Query(ctx, func(scan func(...any) error) error {
		var note Note
		err := scan(&note.ID, &note.Title, &note.Text)
		found = append(found, note)
		return err
	}, `SELECT id, title, text FROM notes WHERE owner = $1 ORDER BY id DESC LIMIT $2`, owner, limit)
	return found, err
}

// Get returns the owner's note with an ID, or ErrNotFound.
func (s *Store) Get(ctx context.Context, id int64) (Note, error) {
	owner, err := ownerOf(ctx)
	if err != nil {
		return Note{}, err
	}
	note := Note{ID: id}
	err = s.db.Get(ctx, []any{&note.Title, &note.Text}, `SELECT title, text FROM notes WHERE owner = $1 AND id = $2`, owner, id)
	if errors.Is(err, sql.ErrNoRows) {
		return Note{}, ErrNotFound
	}
	return note, err
}

// Delete deletes the owner's note with an ID. It returns ErrNotFound if there is none.
func (s *Store) Delete(ctx context.Context, id int64) error {
	owner, err := ownerOf(ctx)
	if err != nil {
		return err
	}
	deleted, err := s.db.Exec(ctx, `DELETE FROM notes WHERE owner = $1 AND id = $2`, owner, id)
	if err == nil && deleted == 0 {
		return ErrNotFound
	}
	return err
}
