package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients/document"
)

func demo() document.Address { return document.Address{Key: "mcpServers", Name: "demo"} }

func members() []document.Member {
	return []document.Member{{Name: "command", Value: "/usr/local/bin/mcp"}, {Name: "args", Value: []string{"start", "demo"}}}
}

// set adds the entry, and fails the test if that is refused.
func set(t *testing.T, format document.Format, before string) string {
	t.Helper()
	after, err := format.Set([]byte(before), demo(), members())
	if err != nil {
		t.Fatalf("set in %q: %v", before, err)
	}
	return string(after)
}

func remove(t *testing.T, format document.Format, before string) string {
	t.Helper()
	after, err := format.Remove([]byte(before), demo())
	if err != nil {
		t.Fatalf("remove from %q: %v", before, err)
	}
	return string(after)
}

// An edit is a document, the document with the entry, and the document without it again.
type edit struct {
	name, before, after, removed string
}

const entryAt4 = `"demo": {
      "command": "/usr/local/bin/mcp",
      "args": [
        "start",
        "demo"
      ]
    }`

func jsonEdits() []edit {
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	tabs := func(text string) string { return strings.ReplaceAll(text, "  ", "\t") }
	whole := "{\n  \"mcpServers\": {\n    " + entryAt4 + "\n  }\n}\n"
	without := "{\n  \"mcpServers\": {}\n}\n"
	one := "{\n  \"mcpServers\": {\n    \"a\": {\"url\": \"x\"}\n  }\n}\n"
	oneAfter := "{\n  \"mcpServers\": {\n    \"a\": {\"url\": \"x\"},\n    " + entryAt4 + "\n  }\n}\n"
	return []edit{
		{"of 0 bytes", "", whole, without},
		{"of spaces", " \n\t", whole, without},
		{"with an empty object", "{}", strings.TrimSuffix(whole, "\n"), strings.TrimSuffix(without, "\n")},
		{"with no servers", without, whole, without},
		{"with another server", one, oneAfter, one},
		{"with a byte order mark", "\ufeff" + one, "\ufeff" + oneAfter, "\ufeff" + one},
		{"with CRLF", crlf(one), crlf(oneAfter), crlf(one)},
		{"with tabs", tabs(one), tabs(oneAfter), tabs(one)},
		{
			"with other settings", "{\n    \"theme\": \"dark\",\n    \"size\": 1.50\n}",
			"{\n    \"theme\": \"dark\",\n    \"size\": 1.50,\n    \"mcpServers\": {\n        \"demo\": {\n            \"command\": \"/usr/local/bin/mcp\",\n" +
				"            \"args\": [\n                \"start\",\n                \"demo\"\n            ]\n        }\n    }\n}",
			"{\n    \"theme\": \"dark\",\n    \"size\": 1.50,\n    \"mcpServers\": {}\n}",
		},
		{
			"on one line", `{"mcpServers":{"a":{"url":"x"}},"n":1e3}`,
			`{"mcpServers":{"a":{"url":"x"}, "demo": {"command": "/usr/local/bin/mcp", "args": ["start", "demo"]}},"n":1e3}`,
			`{"mcpServers":{"a":{"url":"x"}},"n":1e3}`,
		},
		{
			"on one line without servers", `{"mcpServers":{}}`,
			`{"mcpServers":{"demo": {"command": "/usr/local/bin/mcp", "args": ["start", "demo"]}}}`, `{"mcpServers":{}}`,
		},
		{ // Laravel Boost wrote the comma into the comment.
			"with a comment after the last server", "{\n  \"mcpServers\": {\n    \"a\": {} // keep, this\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // keep, this\n    " + entryAt4 + "\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {} // keep, this\n  }\n}",
		},
		{
			"with comments of both kinds", "{\n  \"mcpServers\": {\n    \"a\": {} /* one */ // two\n    // \"b\": {}\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {}, /* one */ // two\n    " + entryAt4 + "\n    // \"b\": {}\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {} /* one */ // two\n    // \"b\": {}\n  }\n}",
		},
		{
			"with a comment instead of servers", "{\n  \"mcpServers\": {\n    // none yet\n  }\n}",
			"{\n  \"mcpServers\": {\n    // none yet\n    " + entryAt4 + "\n  }\n}",
			"{\n  \"mcpServers\": {\n    // none yet\n  }\n}",
		},
		{
			"with a trailing comma", "{\n  \"mcpServers\": {\n    \"a\": {}, // one\n  },\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // one\n    " + entryAt4 + ",\n  },\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // one\n  },\n}",
		},
		{
			"with a comment at the end", "{\"mcpServers\": {}} // end",
			"{\"mcpServers\": {\"demo\": {\"command\": \"/usr/local/bin/mcp\", \"args\": [\"start\", \"demo\"]}}} // end",
			"{\"mcpServers\": {}} // end",
		},
		{
			"with a comment that has another one in it", "{\n  \"mcpServers\": {\n    \"a\": 1 /* one\n    // two\n    */ } }",
			"{\n  \"mcpServers\": {\n    \"a\": 1, /* one\n    // two\n    */\n    " + entryAt4 + " } }",
			"{\n  \"mcpServers\": {\n    \"a\": 1 /* one\n    // two\n    */ } }",
		},
		{
			"whose braces end a line", "{\n  \"mcpServers\": {\n    \"a\": 1 } }",
			"{\n  \"mcpServers\": {\n    \"a\": 1,\n    " + entryAt4 + " } }",
			"{\n  \"mcpServers\": {\n    \"a\": 1 } }",
		},
	}
}

func TestAnEntryIsAddedToAndRemovedFromJSON(t *testing.T) {
	t.Parallel()
	addsAndRemoves(t, document.JSON, jsonEdits())
}

// addsAndRemoves checks that the entry is added to each document, and removed.
func addsAndRemoves(t *testing.T, format document.Format, edits []edit) {
	t.Helper()
	for _, edit := range edits {
		t.Run(edit.name, func(t *testing.T) {
			t.Parallel()
			after := set(t, format, edit.before)
			if after != edit.after {
				t.Errorf("after adding the entry to %q:\n%s\nwant\n%s", edit.before, after, edit.after)
			}
			if again := set(t, format, after); again != after {
				t.Errorf("adding the entry again changes the document to\n%s", again)
			}
			if removed := remove(t, format, after); removed != edit.removed {
				t.Errorf("after removing the entry:\n%s\nwant\n%s", removed, edit.removed)
			}
		})
	}
}

func TestAnEntryInTheMiddleIsRemovedFromJSON(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		"{\"mcpServers\": {\"demo\": {}, \"b\": 1}}":                                        "{\"mcpServers\": {\"b\": 1}}",
		"{\"mcpServers\": {\"a\": 1, \"demo\": {}, \"b\": 2}}":                              "{\"mcpServers\": {\"a\": 1, \"b\": 2}}",
		"{\"mcpServers\": {\n  \"demo\": {},\n  \"b\": 2\n}}":                               "{\"mcpServers\": {\n  \"b\": 2\n}}",
		"{\"mcpServers\": {\n  // about a\n  \"a\": 1, // a\n  \"demo\": {},\n  \"b\": 2}}": "{\"mcpServers\": {\n  // about a\n  \"a\": 1, // a\n  \"b\": 2}}",
		"{\"mcpServers\": {\n  // mine\n  \"demo\": {}, // too\n  \"b\": 2}}":               "{\"mcpServers\": {\n  // mine\n  // too\n  \"b\": 2}}",
		"{\"mcpServers\": {\n  \"a\": 1, // a\n  \"demo\": {} }}":                           "{\"mcpServers\": {\n  \"a\": 1 // a\n }}",
		"{\"mcpServers\": {\n  \"a\": 1 // a\n  , \"demo\": {}\n}}":                         "{\"mcpServers\": {\n  \"a\": 1 // a\n  \n}}",
	} {
		if got := remove(t, document.JSON, before); got != want {
			t.Errorf("%q without the entry is %q, want %q", before, got, want)
		}
	}
}

func TestADocumentWithoutTheEntryStays(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "{}", `{"mcpServers": {"a": 1}}`, `{"demo": {}}`} {
		if got := remove(t, document.JSON, before); got != before {
			t.Errorf("%q becomes %q", before, got)
		}
	}
}

// Laravel Boost reverted what people had changed in an entry.
func TestAnEntryKeepsWhatAPersonAdded(t *testing.T) {
	t.Parallel()
	before := "{\n  \"mcpServers\": {\n    \"demo\": {\n      \"command\": \"/old/mcp\", // moved\n      \"env\": {\"KEY\": \"x\"},\n" +
		"      \"disabled\": true\n    },\n    \"b\": 1\n  }\n}"
	after, err := document.JSON.Set([]byte(before), demo(), append(members(), document.Member{Name: "disabled", Value: false, Default: true}))
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"mcpServers\": {\n    \"demo\": {\n      \"command\": \"/usr/local/bin/mcp\", // moved\n      \"env\": {\"KEY\": \"x\"},\n" +
		"      \"disabled\": true,\n      \"args\": [\n        \"start\",\n        \"demo\"\n      ]\n    },\n    \"b\": 1\n  }\n}"
	if string(after) != want {
		t.Errorf("the document is\n%s\nwant\n%s", after, want)
	}
}

// Laravel Boost split a path with a space into arguments.
func TestAValueWithASpaceStaysOneValue(t *testing.T) {
	t.Parallel()
	for _, format := range []document.Format{document.JSON, document.TOML} {
		path := `C:\Program Files\Bowline "1"\mcp.exe`
		after, err := format.Set(nil, demo(), []document.Member{{Name: "command", Value: path}})
		if err != nil {
			t.Fatal(err)
		}
		entries, err := format.Entries(after, "mcpServers")
		if err != nil || len(entries) != 1 || entries[0].Members["command"] != path {
			t.Errorf("%s: the entries are %v, %v, want the command %q", format, entries, err, path)
		}
	}
}

func TestADocumentThatIsNotEditedIsNamed(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]struct {
		err  error
		text string
	}{
		`{"a": 1`:                             {document.ErrSyntax, "line 1, column 8: parsing object after value: unexpected EOF"},
		"{\n  'a': 1}":                        {document.ErrSyntax, "line 2, column 3"},
		"// nothing":                          {document.ErrSyntax, "unexpected EOF"},
		`[]`:                                  {document.ErrShape, "the file holds a list, not an object"},
		`{"mcpServers": []}`:                  {document.ErrShape, `"mcpServers" is a list, not an object`},
		`{"mcpServers": null}`:                {document.ErrShape, `"mcpServers" is null, not an object`},
		`{"mcpServers": {"demo": "x"}}`:       {document.ErrShape, `"demo" is a string, not an object`},
		`{"mcpServers": {}, "mcpServers": 1}`: {document.ErrForm, `"mcpServers" is there twice`},
		`{"mcpServers": {"demo": {}, "demo": {}}}`: {document.ErrForm, `"demo" is there twice`},
	} {
		after, err := document.JSON.Set([]byte(before), demo(), members())
		if !errors.Is(err, want.err) || !strings.Contains(err.Error(), want.text) || after != nil {
			t.Errorf("%q: the error is %v, want %q; the text is %q", before, err, want.text, after)
		}
	}
}

func TestOnlyStrictJSONIsStrict(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":   "",
		"{}": "",
		"{\"a\": [1, 2, {}], \"b\": {\"c\": null}}\n": "",
		`{"a": "// /* , } \\\" // ,]", "b": "\\"}`:    "",
		"{\n  \"a\": 1\n  // why\n}":                  "the comment in line 3 is not strict JSON",
		"{\r\n\"a\": 1 /* why */\r\n}":                "the comment in line 2 is not strict JSON",
		"// first\n{}":                                "the comment in line 1 is not strict JSON",
		"{} // last":                                  "the comment in line 1 is not strict JSON",
		"{\n\"a\": [1, 2,]\n}":                        "the trailing comma in line 2 is not strict JSON",
		"{\n\"a\": 1,\n\n}":                           "the trailing comma in line 2 is not strict JSON",
		"{\n\"a\": 1, // why\n}":                      "the comment in line 2 is not strict JSON",
		"{\"a\": \"\\\\\",\n\"b\": \"//\",}":          "the trailing comma in line 2 is not strict JSON",
		"{\"u\": \"https://x\"}":                      "",
	} {
		got := ""
		if err := document.CheckStrict([]byte(text)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
