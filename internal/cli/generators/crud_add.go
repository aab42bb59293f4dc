package generators

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/crud"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// addFields adds fields to a kind of record that the app has.
func (m *making) addFields(args, inputs []string) error {
	if len(args) != 1 {
		return invocation.NewUsageError("--add needs the NAME of the records and no other argument; write --add before each field, as in mcp make:crud Post --add due:date,optional")
	}
	for _, other := range []string{"server", "no-register", "force"} {
		if m.command.Flags().Changed(other) {
			return invocation.NewUsageError("--add edits the files of records that exist; leave out --%s", other)
		}
	}
	record, err := crud.ParseRecord(args[0])
	if err != nil {
		return invocation.AsUsage(err)
	}
	added, err := crud.ParseAdded(record, inputs)
	if err != nil {
		return invocation.NewUsageError("--add: %w", err)
	}
	records := m.records(record)
	store := records.folder() + "/store.go"
	content, err := m.app.ReadFile(store)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s, to whose records fields can be added; make them with: mcp make:crud %s %s", store, record.Type, strings.Join(inputs, " "))
	}
	if err != nil {
		return err
	}
	if records.record.Fields, err = record.ReadDirective(store, content); err != nil {
		return err
	}
	larger, err := records.record.With(added)
	if err != nil {
		return invocation.NewUsageError("--add: %w", err)
	}
	return records.add(larger, added)
}

// add adds the files that differ for a record with more fields, and a migration.
func (r records) add(larger crud.Record, added []crud.Field) error {
	for _, source := range r.sources() {
		before, err := r.rendered(source, r.record)
		if err != nil {
			return err
		}
		after, err := r.rendered(source, larger)
		if err != nil {
			return err
		}
		if bytes.Equal(before, after) {
			continue
		}
		edited, err := r.app.ReadFile(source.path)
		if errors.Is(err, fs.ErrNotExist) {
			r.notes += fmt.Sprintf("\n%s is not there, so nothing was added to it.\n", source.path)
			continue
		}
		if err != nil {
			return err
		}
		merged, err := merge(source.path, before, after, edited)
		if err != nil {
			return err
		}
		r.files = append(r.files, scaffold.File{Path: source.path, Content: merged, Before: edited})
	}
	return r.addMigration(larger, added)
}

// merge makes a change of generated code in a file that a person may have edited.
func merge(name string, before, after, edited []byte) ([]byte, error) {
	text := string(edited)
	crlf := strings.Contains(text, "\r\n")
	if crlf {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	merged, err := crud.Merge(string(before), string(after), text)
	if conflict := new(crud.ConflictError); errors.As(err, &conflict) {
		return nil, fmt.Errorf("%s:%d: the code here has been edited, so that %s can't be added; undo the edit of this line, or add the field by hand",
			name, conflict.Line, conflict.What())
	}
	formatted, err := format.Source([]byte(merged))
	if err != nil {
		return nil, fmt.Errorf("%s: the field can't be added: %w; correct the file first", name, err)
	}
	if was, err := format.Source([]byte(text)); err == nil && string(was) == text {
		merged = string(formatted)
	}
	if crlf {
		merged = strings.ReplaceAll(merged, "\n", "\r\n")
	}
	return []byte(merged), nil
}

// addMigration adds the file of the next migration.
func (r records) addMigration(larger crud.Record, added []crud.Field) error {
	name := fmt.Sprintf("%04d_add", r.countMigrations()+1)
	for _, field := range added[:min(3, len(added))] {
		name += "_" + naming.Snake(field.GoName())
	}
	if len(added) > 3 {
		name += fmt.Sprintf("_and_%d_more", len(added)-3)
	}
	source := crudFile{"migration_add", path.Join(r.migrations(), name+".sql"), ""}
	content, err := r.rendered(source, larger.Adding(added))
	if err != nil {
		return err
	}
	r.files = append(r.files, scaffold.File{Path: source.path, Content: content})
	return nil
}

// countMigrations returns how many migrations the app has for the records.
func (r records) countMigrations() int {
	files, err := filepath.Glob(filepath.Join(r.app.Root, filepath.FromSlash(r.migrations()), "*.sql"))
	if err != nil {
		return 0
	}
	return len(files)
}
