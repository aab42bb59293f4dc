package crud_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/crud"
	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

func TestARecordHasASingularAndAPlural(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ input, singular, plural, folder string }{
		{"Post", "Post", "Posts", "posts"},
		{"posts", "Post", "Posts", "posts"},
		{"blog-entry", "BlogEntry", "BlogEntries", "blogentries"},
		{"Person", "Person", "People", "people"},
		{"Address", "Address", "Addresses", "addresses"},
		{"OrderStatus", "OrderStatus", "OrderStatuses", "orderstatuses"},
		{"Type", "Type", "Types", "types"},
		{"Vendor", "Vendor", "Vendors", "vendors"}, // go ignores a folder vendor, but not vendors
		// These plurals may surprise. They are pinned, because the names of generated code must
		// not change with the version of the library.
		{"API", "API", "APIS", "apis"},
		{"News", "News", "News", "news"},
		{"Series", "Series", "Series", "series"},
		{"Index", "Index", "Indices", "indices"},
		{"Schema", "Schema", "Schemata", "schemata"},
		{"Data", "Datum", "Data", "data"},
		{strings.Repeat("a", 51) + "-data", "A" + strings.Repeat("a", 50) + "Datum", "A" + strings.Repeat("a", 50) + "Data", strings.Repeat("a", 51) + "data"},
	} {
		record, err := crud.ParseRecord(test.input)
		if err != nil || record.Type != test.singular || record.Plural != test.plural || record.Package() != test.folder {
			t.Errorf("%q becomes %+v in %s, error %v, want %s and %s in %s", test.input, record, record.Package(), err, test.singular, test.plural, test.folder)
		}
	}
}

// The generated code has these names for types of the store, for packages and for methods.
func TestNoRecordTakesANameOfTheGeneratedCode(t *testing.T) {
	t.Parallel()
	for _, input := range []string{
		"Query", "Store", "Annotation", "Error", "String", "Prompt", "Resource", "Server", "Testdata", "Tool", "Guardrail", "Icon", "Instruction",
	} {
		if record, err := crud.ParseRecord(input); !errors.Is(err, scaffold.ErrBadName) || !strings.Contains(err.Error(), "has another meaning for ") {
			t.Errorf("%s becomes %+v, error %v", input, record, err)
		}
	}
}

func TestARecordThatCannotBeUsedIsRefused(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"":         "say what the app keeps, for example Post",
		" - ":      "say what the app keeps",
		"../Post":  "nested folders are not supported",
		"2fast":    "has to begin with a letter",
		"Wört":     "'ö' cannot be part of it",
		"Tool":     "another meaning for Tool or Tools",
		"errors":   "another meaning for Error or Errors",
		"Store":    "another meaning for Store",
		"Icon":     "another meaning for Icon or Icons",
		"testdata": "another meaning for Testdatum or Testdata",
		// Data becomes Datum, which is longer.
		strings.Repeat("a", 52) + "-data": "create-" + strings.Repeat("a", 52) + "-datum has 65 characters, and a name may have 64",
		strings.Repeat("a", 52) + "-quiz": "list-" + strings.Repeat("a", 52) + "-quizzes has 65 characters, and a name may have 64",
	} {
		record, err := crud.ParseRecord(input)
		if !errors.Is(err, scaffold.ErrBadName) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: record %+v, error %v, want one with %q", input, record, err, want)
		}
	}
}
