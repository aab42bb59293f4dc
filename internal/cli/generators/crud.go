package generators

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/crud"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
)

func newMakeCRUDCommand(i *invocation.Invocation) *cobra.Command {
	m := &making{Invocation: i}
	var added []string
	command := &cobra.Command{
		Use:   "make:crud NAME [FIELD]...",
		Short: "Write a store, tools, a resource and a prompt for one kind of record",
		Long: "Write what an app needs to keep one kind of record, such as posts: a type with a store in an SQL database (app/posts), tools\n" +
			"that list, show, create, update and delete, a resource template, a prompt, and a test of each. The server gets them and a\n" +
			"field for the store, " + routesFile + " sets the field, and " + mainFile + " opens the database.\n\n" +
			"A FIELD is NAME:TYPE or NAME:TYPE,optional. The types are string, text, int, number, bool, date, time, enum=VALUE,VALUE,\n" +
			"strings, uuid, url, email and owner. The owner is the user who makes the record; other users can't see it. The\n" +
			"default fields are " + crud.DefaultFields + ". --add adds a field to records that exist, in all files and with a migration.\n\n" +
			"The stubs in stubs/crud of the app are used instead of the built-in ones; see mcp stubs:publish.\n" +
			"If mcp can't edit a file, it leaves it alone and prints the lines to paste." + makeHelp,
		Example: "  mcp make:crud Post\n" +
			"  mcp make:crud Post title:string body:text due:date,optional status:enum=draft,published tags:strings author:owner\n" +
			"  mcp make:crud Post --add rating:int,optional",
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	m.addRegistrationFlags(command)
	command.Flags().StringArrayVar(&added, "add", nil, "add a `FIELD` to the records of that name")
	m.prepare(command, func(args []string) error {
		if len(added) > 0 {
			return m.addFields(args, added)
		}
		return m.makeCRUD(args)
	})
	return command
}

// makeCRUD makes a new kind of record.
func (m *making) makeCRUD(args []string) error {
	record, err := named(m, args[:min(1, len(args))], "of the records", "What does the app keep?", "For example Post", crud.ParseRecord)
	if err != nil {
		return err
	}
	if record.Fields, err = m.fields(args[min(1, len(args)):]); err != nil {
		return err
	}
	records := m.records(record)
	if err := records.render(); err != nil {
		return err
	}
	if err := records.register(); err != nil {
		return err
	}
	if mod, err := os.ReadFile(filepath.Join(m.app.Root, "go.mod")); err == nil && !bytes.Contains(mod, []byte("modernc.org/sqlite ")) {
		m.tidy = true
	}
	return nil
}

// fields returns the fields that the arguments name, or the answer of a person to a question. Without
// both they are the default ones.
func (m *making) fields(inputs []string) ([]crud.Field, error) {
	if terminal := m.Terminal(); len(inputs) == 0 && terminal != nil {
		answer, err := terminal.Text("Which fields?", "For example title:string due:date,optional; nothing for "+crud.DefaultFields, func(answer string) error {
			_, err := crud.ParseFields(strings.Fields(answer))
			return err
		})
		if err != nil {
			return nil, err
		}
		inputs = strings.Fields(answer)
	}
	if len(inputs) == 0 {
		inputs = strings.Fields(crud.DefaultFields)
	}
	fields, err := crud.ParseFields(inputs)
	return fields, invocation.AsUsage(err)
}

// records are the making of make:crud for one kind of record.
type records struct {
	*making
	record crud.Record
	store  string // the import path of the store
}

func (m *making) records(record crud.Record) records {
	return records{m, record, m.app.Module + "/app/" + record.Package()}
}
