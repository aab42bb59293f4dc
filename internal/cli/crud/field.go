package crud

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

const (
	// maxFields is how many fields a record may have: an AI client shows all of them to a model.
	maxFields = 50
	// maxFieldName is how many characters the name of a field may have.
	maxFieldName = 40
	// maxValues is how many values an enum may have.
	maxValues = 50

	owner    = "owner"
	optional = "optional"
)

// Types returns the types of fields, the most frequent first.
func Types() []string {
	return []string{"string", "text", "int", "number", "bool", "date", "time", "enum", "strings", "uuid", "url", "email", owner}
}

// DefaultFields are the fields of a record if none are given.
const DefaultFields = "title:string text:text"

// A Field is a field of a record.
type Field struct {
	// Name is the name in JSON and that of the column.
	Name string
	// Type is one of Types.
	Type string
	// Choices are the values of an enum.
	Choices []string
	// Optional means that a record may have no value.
	Optional bool

	// Number is the number of its parameter in a statement, and Last says that no field follows.
	Number int
	Last   bool
}

// ParseFields parses fields such as title:string, due:date,optional and
// status:enum=draft,published. The word optional at the end says that a record may have no
// value; it is never a value of an enum.
func ParseFields(inputs []string) ([]Field, error) {
	fields, err := parseFields(inputs)
	if err != nil {
		return nil, err
	}
	return fields, CheckFields(fields)
}

func parseFields(inputs []string) (fields []Field, err error) {
	for _, input := range inputs {
		field, err := parseField(input)
		if err != nil {
			return nil, fmt.Errorf("bad field %q: %w", naming.Printable(naming.Cut(input, 100)), err)
		}
		fields = append(fields, field)
	}
	return fields, nil
}

// CheckFields returns an error if the fields don't fit into one record.
func CheckFields(fields []Field) error {
	if len(fields) > maxFields {
		return fmt.Errorf("%d fields are too many; a record may have %d", len(fields), maxFields)
	}
	names := map[string]string{}
	hasOwner, hasOther := "", false
	for _, field := range fields {
		key := strings.ToLower(field.GoName()) // databases ignore case
		switch other := names[key]; {
		case other == field.Name:
			return fmt.Errorf("the field %s is there twice; leave one out", field.Name)
		case other != "":
			return fmt.Errorf("the fields %s and %s have the same name in Go or in the database; rename one", other, field.Name)
		case field.Type == owner && hasOwner != "":
			return fmt.Errorf("the fields %s and %s are both owners; a record has one", hasOwner, field.Name)
		}
		names[key] = field.Name
		if field.Type == owner {
			hasOwner = field.Name
		} else {
			hasOther = true
		}
	}
	if hasOwner != "" && !hasOther {
		return fmt.Errorf("the record has only its owner %s; add a field, such as title:string", hasOwner)
	}
	return nil
}

func parseField(input string) (field Field, err error) {
	name, described, ok := strings.Cut(input, ":")
	if !ok {
		return field, fmt.Errorf("write NAME:TYPE, such as title:string; the types are %s", strings.Join(Types(), ", "))
	}
	if err := checkName(name); err != nil {
		return field, err
	}
	field.Name = name
	if before, found := strings.CutSuffix(described, ","+optional); found {
		field.Optional, described = true, before
	}
	kind, choices, hasChoices := strings.Cut(described, "=")
	field.Type = kind
	word, _, hasOption := strings.Cut(kind, ",")
	switch {
	case hasOption && slices.Contains(Types(), word):
		return field, fmt.Errorf("only ,optional may follow the type %s", word)
	case !slices.Contains(Types(), kind):
		return field, naming.Unknown("type", kind, Types())
	case hasChoices && kind != "enum":
		return field, fmt.Errorf("only an enum has values; write %s:%s or %s:enum=%s", name, kind, name, choices)
	case kind == owner && field.Optional:
		return field, fmt.Errorf("a record always has its owner; write %s:owner", name)
	case kind == "enum":
		field.Choices = strings.Split(choices, ",")
		return field, checkChoices(name, field.Choices)
	}
	return field, nil
}

func checkChoices(name string, choices []string) error {
	example := "such as " + name + ":enum=draft,published"
	if len(choices) > maxValues {
		return fmt.Errorf("%d values are too many; an enum may have %d", len(choices), maxValues)
	}
	for i, choice := range choices {
		switch {
		case choice == "":
			return fmt.Errorf("a value of the enum is empty; list its values, %s", example)
		case choice == optional:
			return fmt.Errorf("optional can't be a value of an enum; write it once, at the end")
		case slices.Contains(choices[:i], choice):
			return fmt.Errorf("the value %s is there twice; leave one out", choice)
		case len(choice) > maxFieldName || strings.Trim(choice, letters+"0123456789_.-") != "":
			return fmt.Errorf("the value %q has a character other than letters, digits, _, . and -, or more than %d of them", naming.Printable(choice), maxFieldName)
		}
	}
	return nil
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// String returns the field as an argument: due:date,optional.
func (f Field) String() string {
	text := f.Name + ":" + f.Type
	if f.Type == "enum" {
		text += "=" + strings.Join(f.Choices, ",")
	}
	if f.Optional {
		text += "," + optional
	}
	return text
}

// IsText reports whether clients search in the field.
func (f Field) IsText() bool { return f.Type == "string" || f.Type == "text" }

// GoName returns the name of the Go field: DueDate.
func (f Field) GoName() string { return naming.Studly(f.Name) }

// Words returns the name for people: due date.
func (f Field) Words() string { return strings.ReplaceAll(naming.Kebab(f.GoName()), "-", " ") }

// GoType returns the Go type: a pointer for an optional field, except for a list.
func (f Field) GoType() string {
	base := "string"
	switch f.Type {
	case "int":
		base = "int64"
	case "number":
		base = "float64"
	case "bool":
		base = "bool"
	case "time":
		base = "time.Time"
	case "strings":
		return "[]string"
	}
	if f.Optional {
		return "*" + base
	}
	return base
}

// JSON returns the json tag.
func (f Field) JSON() string {
	if f.Optional {
		return f.Name + ",omitempty"
	}
	return f.Name
}

// Schema returns the schema tag.
func (f Field) Schema() string {
	keys := []string{"description='The " + f.Words() + ".'"}
	switch f.Type {
	case "string":
		keys = append(keys, "minLength=1", "maxLength=200")
	case "text":
		keys = append(keys, "maxLength=10000")
	case "date", "uuid":
		keys = append(keys, "format="+f.Type)
	case "email":
		keys = append(keys, "format=email", "maxLength=254")
	case "url":
		keys = append(keys, "format=uri", "maxLength=2000")
	case "enum":
		keys = append(keys, "enum="+strings.Join(f.Choices, "|"))
	case "strings":
		keys = append(keys, "maxItems=100", "items.maxLength=200")
	}
	if f.Optional {
		keys = append(keys, "nullable")
	}
	return strings.Join(keys, ",")
}

// FilterSchema returns the schema tag of the argument by which clients filter.
func (f Field) FilterSchema() string {
	tag := "description='Only those with this " + f.Words() + ".'"
	if f.Type == "enum" {
		tag += ",enum=" + strings.Join(f.Choices, "|")
	}
	return tag
}

// Column returns the type of the column.
func (f Field) Column() string {
	column := f.sqlType()
	if !f.Optional || f.Type == "strings" {
		column += " NOT NULL"
	}
	return column
}

func (f Field) sqlType() string {
	switch f.Type {
	case "int":
		return "BIGINT"
	case "number":
		return "DOUBLE PRECISION"
	case "bool":
		return "BOOLEAN"
	}
	return "TEXT"
}

// Parameter returns the Go expression that passes the field of a variable to a statement.
func (f Field) Parameter(variable string) string {
	if wrapped := f.wrapped(variable); wrapped != "" {
		return wrapped
	}
	return variable + "." + f.GoName()
}

// Target returns the Go expression into which a row is scanned.
func (f Field) Target(variable string) string {
	if wrapped := f.wrapped(variable); wrapped != "" {
		return wrapped
	}
	return "&" + variable + "." + f.GoName()
}

func (f Field) wrapped(variable string) string {
	switch f.Type {
	case "time":
		return "sqldb.Time(&" + variable + "." + f.GoName() + ")"
	case "strings":
		return "sqldb.Strings(&" + variable + "." + f.GoName() + ")"
	}
	return ""
}

// Null returns the parameter as an expression of SQL that may be NULL: CAST($4 AS TEXT).
func (f Field) Null() string { return "CAST($" + strconv.Itoa(f.Number) + " AS " + f.sqlType() + ")" }

// Comma returns a comma, unless the field is the last one.
func (f Field) Comma() string {
	if f.Last {
		return ""
	}
	return ","
}
