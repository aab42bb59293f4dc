// Package notes keeps the notes of the app.
package notes

import (
	"context"
	"errors"
)

// Note is a record in a Store. The command mcp make:crud Note --add FIELD reads its fields
// from the next line.
//
//mcp:crud title:string body:text due:date,optional status:enum=draft,published done:bool tags:strings author:owner
type Note struct {
	ID     int64  `json:"id" schema:"description='The ID of the note.',min=1"`
	Author string `json:"author" schema:"description='The user to whom it belongs.'"`
	Fields
}

// Fields are what clients write.
type Fields struct {
	Title  string   `json:"title" schema:"description='The title.',minLength=1,maxLength=200"`
	Body   string   `json:"body" schema:"description='The body.',maxLength=10000"`
	Due    *string  `json:"due,omitempty" schema:"description='The due.',format=date,nullable"`
	Status string   `json:"status" schema:"description='The status.',enum=draft|published"`
	Done   bool     `json:"done" schema:"description='The done.'"`
	Tags   []string `json:"tags" schema:"description='The tags.',maxItems=100,items.maxLength=200"`
}

// Query says which notes to list.
type Query struct {
	Search string  `json:"search,omitempty" schema:"description='Only those that contain this text.',maxLength=200"`
	Status *string `json:"status,omitempty" schema:"description='Only those with this status.',enum=draft|published"`
	Done   *bool   `json:"done,omitempty" schema:"description='Only those with this done.'"`
	Limit  int     `json:"limit" schema:"description='The largest number of notes to list.',min=1,max=100,default=20"`
	Cursor string  `json:"cursor,omitempty" schema:"description='The nextCursor of the page before.',maxLength=100"`
}

// Results are a page of notes.
type Results struct {
	Notes      []Note `json:"notes"`
	NextCursor string `json:"nextCursor,omitempty" schema:"description='The cursor of the next page, if there is one.'"`
}

var (
	// ErrNotFound is the error if a Store has no record with an ID that belongs to the owner.
	ErrNotFound = errors.New("notes: not found")
	// ErrBadCursor is the error if a Store didn't make a cursor.
	ErrBadCursor = errors.New("notes: bad cursor")
)

// Store keeps notes. For an owner, those of others don't exist.
type Store interface {
	// List returns a page of notes, the newest first.
	List(ctx context.Context, owner string, query Query) (Results, error)

	// IDs returns at most limit IDs that begin with some digits, the newest first.
	IDs(ctx context.Context, owner, digits string, limit int) ([]string, error)

	// Get returns the note with the ID, or ErrNotFound.
	Get(ctx context.Context, owner string, id int64) (Note, error)

	// Create keeps a new note, and returns it with its ID.
	Create(ctx context.Context, owner string, input Fields) (Note, error)

	// Update calls change with the fields of the note with the ID, or returns ErrNotFound. It
	// keeps what change makes of them, unless that returns an error, and returns the note.
	Update(ctx context.Context, owner string, id int64, change func(*Fields) error) (Note, error)

	// Delete deletes the note with the ID, or returns ErrNotFound.
	Delete(ctx context.Context, owner string, id int64) error
}
