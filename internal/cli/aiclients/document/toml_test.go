package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients/document"
)

const tableDemo = "[mcpServers.demo]\ncommand = \"/usr/local/bin/mcp\"\nargs = [\"start\", \"demo\"]\n"

func tomlEdits() []edit {
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	one := "model = \"x\" # the one\n\n# about a\n[mcpServers.a]\nurl = 'x'\n"
	return []edit{
		{"of 0 bytes", "", tableDemo, ""},
		{"with other keys", "n = 1_000\n", "n = 1_000\n\n" + tableDemo, "n = 1_000\n"},
		{"with another server", one, one + "\n" + tableDemo, one},
		{"with a byte order mark", "\ufeff" + one, "\ufeff" + one + "\n" + tableDemo, "\ufeff" + one},
		{"with CRLF", crlf(one), crlf(one + "\n" + tableDemo), crlf(one)},
		{"without a last newline", "n = 1", "n = 1\n\n" + tableDemo, "n = 1\n"},
		{"that ends with a comment", "n = 1\n# end\n", "n = 1\n# end\n\n" + tableDemo, "n = 1\n# end\n"},
		{"with a table of servers", "[mcpServers]\na = {url = \"x\"}\n", "[mcpServers]\na = {url = \"x\"}\n\n" + tableDemo, "[mcpServers]\na = {url = \"x\"}\n"},
		{"with dates", "d = 2026-11-23T10:00:00+01:00\n", "d = 2026-11-23T10:00:00+01:00\n\n" + tableDemo, "d = 2026-11-23T10:00:00+01:00\n"},
	}
}

func TestAnEntryIsAddedToAndRemovedFromTOML(t *testing.T) {
	t.Parallel()
	addsAndRemoves(t, document.TOML, tomlEdits())
}

func TestTheTablesOfAnEntryAreRemovedWithIt(t *testing.T) {
	t.Parallel()
	before := "[mcpServers.demo]\ncommand = \"mcp\"\n\n[mcpServers.demo.env]\nA = \"1\"\n\n# about b\n[mcpServers.b]\nurl = \"x\"\n\n[mcpServers.\"demo\".tools.echo]\nask = true\n\n" +
		"[mcpServers.demonstration]\nurl = \"y\"\n"
	want := "# about b\n[mcpServers.b]\nurl = \"x\"\n\n[mcpServers.demonstration]\nurl = \"y\"\n"
	if got := remove(t, document.TOML, before); got != want {
		t.Errorf("without the entry:\n%s\nwant\n%s", got, want)
	}
}

func TestATableKeepsWhatAPersonAdded(t *testing.T) {
	t.Parallel()
	before := "[mcpServers.demo]\ncommand = \"/old/mcp\" # moved\nstartup_timeout_sec = 20\n\n[mcpServers.demo.env]\nA = \"1\"\n"
	want := "[mcpServers.demo]\ncommand = \"/usr/local/bin/mcp\" # moved\nstartup_timeout_sec = 20\nargs = [\"start\", \"demo\"]\n\n[mcpServers.demo.env]\nA = \"1\"\n"
	if got := set(t, document.TOML, before); got != want {
		t.Errorf("the document is\n%s\nwant\n%s", got, want)
	}
}

func TestANameThatIsNoKeyIsQuotedInTOML(t *testing.T) {
	t.Parallel()
	at := document.Address{Key: "mcpServers", Name: "my.demo"}
	after, err := document.TOML.Set(nil, at, members())
	if err != nil || !strings.HasPrefix(string(after), `[mcpServers."my.demo"]`) {
		t.Fatalf("the document is %q, %v", after, err)
	}
	if after, err = document.TOML.Remove(after, at); err != nil || len(after) > 0 {
		t.Errorf("without the entry it is %q, %v", after, err)
	}
}

func TestATableThatIsNotEditedIsNamed(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]struct {
		err  error
		text string
	}{
		"a = \n":                     {document.ErrSyntax, "line 1, column"},
		"a = 1\na = 2\n":             {document.ErrSyntax, "a"},
		"mcpServers = {}\n":          {document.ErrForm, `"mcpServers" is an inline table or has a dotted key`},
		"mcpServers.b.url = \"x\"\n": {document.ErrForm, `"mcpServers.b.url" is an inline table or has a dotted key`},
		"[mcpServers]\ndemo = {command = \"mcp\"}\n": {document.ErrForm, `"mcpServers.demo" is an inline table or has a dotted key`},
		"[mcpServers]\ndemo.command = \"mcp\"\n":     {document.ErrForm, `"mcpServers.demo.command" is an inline table or has a dotted key`},
		"[mcpServers.demo.env]\nA = \"1\"\n":         {document.ErrForm, "mcpServers.demo has no header [mcpServers.demo]"},
		"mcpServers = []\n":                          {document.ErrShape, `"mcpServers" is a list, not a table`},
		"[[mcpServers]]\na = 1\n":                    {document.ErrShape, `"mcpServers" is a list, not a table`},
		"[[mcpServers.demo]]\na = 1\n":               {document.ErrShape, `"demo" is a list, not a table`},
		"[mcpServers]\ndemo = 1\n":                   {document.ErrShape, `"demo" is a value, not a table`},
	} {
		after, err := document.TOML.Set([]byte(before), demo(), members())
		if !errors.Is(err, want.err) || !strings.Contains(err.Error(), want.text) || after != nil {
			t.Errorf("%q: the error is %v, want %q; the text is %q", before, err, want.text, after)
		}
	}
}
