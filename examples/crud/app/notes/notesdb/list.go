package notesdb

import (
	"context"
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/examples/crud/app/notes"
)

const (
	selectPage = `SELECT` + selected + `
		FROM "notes"
		WHERE "id" < $1
		AND "author" = $3
		AND (CAST($4 AS TEXT) = ''
			OR lower("title") LIKE lower($4) ESCAPE '!'
			OR lower("body") LIKE lower($4) ESCAPE '!'
		)
		AND (CAST($5 AS TEXT) IS NULL OR "status" = $5)
		AND (CAST($6 AS BOOLEAN) IS NULL OR "done" = $6)
		ORDER BY "id" DESC
		LIMIT $2`

	selectIDs = `
		SELECT "id" FROM "notes"
		WHERE CAST("id" AS TEXT) LIKE $1 ESCAPE '!'
		AND "author" = $3
		ORDER BY "id" DESC
		LIMIT $2`
)

// List returns a page of notes, the newest first. The cursor is the ID of the last one on the page
// before, so that notes that are added or deleted meanwhile move no other to another page.
func (s *Store) List(ctx context.Context, owner string, query notes.Query) (notes.Results, error) {
	before, err := parseCursor(query.Cursor)
	if err != nil {
		return notes.Results{}, err
	}
	page := notes.Results{Notes: []notes.Note{}}
	err = s.db.Query(ctx, func(scan func(...any) error) error {
		var record notes.Note
		err := scan(targetsOf(&record)...)
		page.Notes = append(page.Notes, record)
		return err
	}, selectPage,
		before,
		query.Limit+1, // one more tells whether there is a next page
		owner,
		containing(query.Search),
		query.Status,
		query.Done,
	)
	if err != nil {
		return notes.Results{}, err
	}
	if len(page.Notes) > query.Limit {
		page.Notes = page.Notes[:query.Limit]
		page.NextCursor = formatCursor(page.Notes[query.Limit-1].ID)
	}
	return page, nil
}

// IDs returns at most limit IDs that begin with some digits, the newest first.
func (s *Store) IDs(ctx context.Context, owner, digits string, limit int) (found []string, err error) {
	err = s.db.Query(ctx, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		found = append(found, strconv.FormatInt(id, 10))
		return err
	}, selectIDs, escaped(digits)+"%", limit, owner)
	return found, err
}

// containing returns the pattern of LIKE for what contains a text, or "" for no text.
func containing(text string) string {
	if text == "" {
		return ""
	}
	return "%" + escaped(text) + "%"
}

// escaped returns a text whose characters have no meaning for LIKE.
func escaped(text string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text)
}

func formatCursor(id int64) string {
	return base64.RawURLEncoding.EncodeToString(strconv.AppendInt(nil, id, 10))
}

// parseCursor returns the ID in a cursor. For the first page, it is larger than all others.
func parseCursor(cursor string) (int64, error) {
	if cursor == "" {
		return math.MaxInt64, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, notes.ErrBadCursor
	}
	id, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0, notes.ErrBadCursor
	}
	return id, nil
}
