// Package notesdb keeps notes in an SQL database.
package notesdb

import (
	"context"
	"database/sql"
	"embed"
	"errors"

	"github.com/bowline-mcp/bowline/framework/database/sqldb"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Store keeps notes in a database.
type Store struct{ db *sqldb.DB }

var _ notes.Store = (*Store)(nil)

// New returns the store in a database, whose table it brings to the newest version. To change the
// table, add a file to the folder migrations: each runs once.
func New(ctx context.Context, db *sqldb.DB) (*Store, error) {
	if err := db.MigrateFiles(ctx, "notes", migrations); err != nil {
		return nil, err
	}
	return &Store{db}, nil
}

// selected are the columns of a record, and targetsOf is where they are read into.
const selected = `
	"id",
	"author",
	"title",
	"body",
	"due",
	"status",
	"done",
	"tags"`

func targetsOf(record *notes.Note) []any {
	return []any{
		&record.ID,
		&record.Author,
		&record.Title,
		&record.Body,
		&record.Due,
		&record.Status,
		&record.Done,
		sqldb.Strings(&record.Tags),
	}
}

// valuesOf returns the parameters of insert and update for the fields.
func valuesOf(input *notes.Fields) []any {
	return []any{
		input.Title,
		input.Body,
		input.Due,
		input.Status,
		input.Done,
		sqldb.Strings(&input.Tags),
	}
}

const (
	selectOne = `SELECT` + selected + `
		FROM "notes" WHERE "id" = $1 AND "author" = $2`

	insert = `
		INSERT INTO "notes" (
			"title",
			"body",
			"due",
			"status",
			"done",
			"tags",
			"author"
		) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING "id"`

	update = `
		UPDATE "notes" SET
			"title" = $1,
			"body" = $2,
			"due" = $3,
			"status" = $4,
			"done" = $5,
			"tags" = $6
		WHERE "id" = $7`

	// lock returns a record, which no other transaction changes until this one ends.
	lock = `
		UPDATE "notes" SET "id" = "id"
		WHERE "id" = $1 AND "author" = $2
		RETURNING` + selected

	remove = `
		DELETE FROM "notes" WHERE "id" = $1 AND "author" = $2`
)

// Get returns the note with the ID, or ErrNotFound.
func (s *Store) Get(ctx context.Context, owner string, id int64) (record notes.Note, err error) {
	err = s.db.Get(ctx, targetsOf(&record), selectOne, id, owner)
	return record, orNotFound(err)
}

// Create keeps a new note, and returns it with its ID.
func (s *Store) Create(ctx context.Context, owner string, input notes.Fields) (notes.Note, error) {
	record := notes.Note{Author: owner, Fields: input}
	err := s.db.ExecGet(ctx, []any{&record.ID}, insert, append(valuesOf(&input), owner)...)
	return record, err
}

// Update calls change with the fields of the note with the ID, and keeps what it makes of them.
func (s *Store) Update(ctx context.Context, owner string, id int64, change func(*notes.Fields) error) (record notes.Note, err error) {
	err = s.db.Transact(ctx, func(tx sqldb.Tx) error {
		if err := tx.Get(ctx, targetsOf(&record), lock, id, owner); err != nil {
			return orNotFound(err)
		}
		if err := change(&record.Fields); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, update, append(valuesOf(&record.Fields), id)...)
		return err
	})
	return record, err
}

// Delete deletes the note with the ID, or returns ErrNotFound.
func (s *Store) Delete(ctx context.Context, owner string, id int64) error {
	count, err := s.db.Exec(ctx, remove, id, owner)
	if err == nil && count == 0 {
		return notes.ErrNotFound
	}
	return err
}

// orNotFound returns ErrNotFound if there is no row.
func orNotFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return notes.ErrNotFound
	}
	return err
}
