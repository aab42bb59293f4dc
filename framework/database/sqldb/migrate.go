package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Migrate brings the tables of a component to the newest version: it runs the steps that the
// database has not seen yet, in one transaction, so that a step that fails leaves the database
// as it was. Several programs may call it at once. Steps are only ever added. A step may have
// several statements, and the types {bytes}, {key} and {id} of [Dialect].
func (d *DB) Migrate(ctx context.Context, component string, steps ...string) error {
	return d.Transact(ctx, func(tx Tx) error {
		if d.dialect.Lock != "" {
			if _, err := tx.Exec(ctx, d.dialect.Lock); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS bowline_migrations (component TEXT PRIMARY KEY, version BIGINT NOT NULL)`); err != nil {
			return err
		}
		var version int
		err := tx.Get(ctx, []any{&version}, `SELECT version FROM bowline_migrations WHERE component = $1`, component)
		switch {
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return err
		case version > len(steps):
			return fmt.Errorf("the tables of %s have version %d, but this program knows only %d; use a newer version of the program", component, version, len(steps))
		case version == len(steps):
			return nil
		}
		types := strings.NewReplacer("{bytes}", d.dialect.Bytes, "{key}", d.dialect.Key, "{id}", d.dialect.ID)
		for i, step := range steps[version:] {
			if _, err := tx.Exec(ctx, types.Replace(step)); err != nil {
				return fmt.Errorf("migrate the tables of %s to version %d: %w", component, version+i+1, err)
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO bowline_migrations (component, version) VALUES ($1, $2) ON CONFLICT (component) DO UPDATE SET version = excluded.version`, component, len(steps))
		return err
	})
}

// MigrateFiles calls Migrate with the files *.sql, in the order of their names. The names begin
// with the number of the step: 0001_create_posts.sql, 0002_add_due.sql, and so on without a gap.
func (d *DB) MigrateFiles(ctx context.Context, component string, files fs.FS) error {
	var steps []string
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".sql" {
			return err
		}
		digits, _, _ := strings.Cut(entry.Name(), "_")
		if number, err := strconv.Atoi(digits); err != nil || number != len(steps)+1 {
			return fmt.Errorf("the migration %s of %s has the place of number %d; begin its name with %04[3]d_", name, component, len(steps)+1)
		}
		step, err := fs.ReadFile(files, name)
		steps = append(steps, string(step))
		return err
	})
	if err != nil {
		return fmt.Errorf("read the migrations of %s: %w", component, err)
	}
	return d.Migrate(ctx, component, steps...)
}
