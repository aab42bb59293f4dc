// Package notes has the table that the example is about.
package notes

import (
	"context"
	"database/sql"
	"fmt"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// A Note is a row of the table.
type Note struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Open opens the database in a file, or in memory if the path is ":memory:", and makes
// the table if it isn't there.
func Open(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	// SQLite has one writer at a time, and each connection has a memory of its own.
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE IF NOT EXISTS notes (
		id    INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
		title TEXT NOT NULL,
		text  TEXT NOT NULL
	)`); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return db, nil
}

// Find returns a note, or [sql.ErrNoRows].
func Find(ctx context.Context, db *sql.DB, id int64) (*Note, error) {
	note := &Note{ID: id}
	err := db.QueryRowContext(ctx, `SELECT title, text FROM notes WHERE id = ?`, id).Scan(&note.Title, &note.Text)
	return note, err
}
