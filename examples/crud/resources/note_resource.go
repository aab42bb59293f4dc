// Package resources has the example's resources.
package resources

import (
	"context"
	"database/sql"
	"errors"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/resources"

	"github.com/bowline-mcp/bowline/examples/crud/notes"
)

// NoteResource is a template: one resource for each row.
type NoteResource struct {
	resources.Resource
	db *sql.DB
}

// NewNoteResource returns the resource for the notes of a database.
func NewNoteResource(db *sql.DB) *NoteResource { return &NoteResource{db: db} }

// URI is what clients read a note by.
func (*NoteResource) URI() string { return "notes://{id}" }

// Description says what the resources hold.
func (*NoteResource) Description() string { return "A note." }

// MIMEType is the type of the contents.
func (*NoteResource) MIMEType() string { return content.MIMEMarkdown }

// Variables says how the id is completed.
func (r *NoteResource) Variables(variables *resources.Variables) {
	variables.Variable("id").Complete(completion.Func(r.suggest))
}

// suggest returns the ids that begin with what was typed.
func (r *NoteResource) suggest(ctx context.Context, request *completion.Request) ([]string, error) {
	rows, err := r.db.QueryContext(ctx, `SELECT id FROM notes WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT ?2`,
		request.Value, completion.Max)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// Handle reads a note.
func (r *NoteResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	var in struct {
		ID int64 `uri:"id"`
	}
	if err := request.Bind(&in); err != nil {
		return nil, err
	}
	note, err := notes.Find(ctx, r.db, in.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, exchange.ErrResourceNotFound
	}
	return resources.Text("# " + note.Title + "\n\n" + note.Text), err
}
