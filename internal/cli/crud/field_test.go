package crud_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/crud"
)

// every are fields of each type, required and optional.
var every = strings.Fields("title:string subtitle:string,optional body:text note:text,optional count:int most:int,optional price:number rate:number,optional " +
	"done:bool seen:bool,optional due:date paid:date,optional starts:time ends:time,optional status:enum=draft,published mood:enum=good,bad,optional " +
	"tags:strings links:strings,optional ref:uuid other_ref:uuid,optional site:url mirror:url,optional mail:email copy_to:email,optional author:owner")

func TestFieldsAreWrittenAsTheyAreRead(t *testing.T) {
	t.Parallel()
	fields, err := crud.ParseFields(every)
	if err != nil {
		t.Fatal(err)
	}
	var again []string
	for _, field := range fields {
		again = append(again, field.String())
	}
	if !reflect.DeepEqual(again, every) {
		t.Errorf("%q is read as %q", every, again)
	}
	record := crud.Record{Type: "Post", Plural: "Posts", Fields: fields}
	source := "package posts\n\n// Post is one.\n//\n" + record.Directive() + "\ntype Post struct{}\n"
	if read, err := record.ReadDirective("store.go", []byte(source)); err != nil || !reflect.DeepEqual(read, fields) {
		t.Errorf("%s is read as %v, %v", record.Directive(), read, err)
	}
}

// No shell gives these characters a meaning inside of a word: bash expands braces, stars, question marks, brackets, tildes, dollars and
// backticks, zsh also carets, hashes and an equals sign at the beginning, PowerShell also at signs, parentheses and semicolons. It reads a
// comma between words as one argument of a program.
func TestNoShellExpandsAField(t *testing.T) {
	t.Parallel()
	for c := rune(33); c < 127; c++ {
		for _, input := range []string{"na" + string(c) + "me:string", "status:enum=a" + string(c) + "b", "title:te" + string(c) + "xt", "due:date" + string(c) + "optional"} {
			_, err := crud.ParseFields([]string{input})
			if err == nil && !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-,:=", c) {
				t.Errorf("%s is accepted", input)
			}
		}
	}
}

func TestTheWordOptionalIsNoValueOfAnEnum(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]crud.Field{
		"status:enum=draft,published":          {Name: "status", Type: "enum", Choices: []string{"draft", "published"}},
		"status:enum=draft,published,optional": {Name: "status", Type: "enum", Choices: []string{"draft", "published"}, Optional: true},
		"status:enum=Optional":                 {Name: "status", Type: "enum", Choices: []string{"Optional"}},
	} {
		if fields, err := crud.ParseFields([]string{input}); err != nil || !reflect.DeepEqual(fields[0], want) {
			t.Errorf("%s is %+v, %v, want %+v", input, fields, err, want)
		}
	}
}

func TestAFieldThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	many := make([]string, 51)
	for i := range many {
		many[i] = fmt.Sprintf("f%d:int", i)
	}
	for input, want := range map[string]string{
		"title":                                  `bad field "title": write NAME:TYPE, such as title:string; the types are string, text, int,`,
		":string":                                "a name is missing before the colon",
		"due:dat":                                `there is no type "dat"; did you mean "date"?`,
		"due:":                                   `there is no type ""`,
		"due:date,required":                      "only ,optional may follow the type date",
		"due:date,optional,optional":             "only ,optional may follow the type date",
		"due:date=1":                             "only an enum has values; write due:date or due:enum=1",
		"status:enum":                            "a value of the enum is empty; list its values, such as status:enum=draft,published",
		"status:enum=":                           "a value of the enum is empty",
		"status:enum=a,,b":                       "a value of the enum is empty",
		"status:enum=optional":                   "optional can't be a value of an enum",
		"status:enum=optional,a":                 "optional can't be a value of an enum",
		"status:enum=a,b,a":                      "the value a is there twice; leave one out",
		"status:enum=a|b":                        `the value "a|b" has a character other than`,
		"Title:string":                           "has to begin with a letter from a to z",
		"due-date:date":                          "has to begin with a letter from a to z, and to go on with letters, digits or _",
		"wört:int":                               "has to begin with a letter",
		"a__b:int":                               "has a _ without a letter or digit after it",
		"id:int":                                 "the generated code has another meaning for id; choose another name, such as idValue",
		"limit:int":                              "the generated code has another meaning for limit",
		"next_cursor:int":                        "the generated code has another meaning for next_cursor",
		"confirmed:bool":                         "the generated code has another meaning for confirmed",
		"type:string":                            "type is a keyword of Go; choose another name, such as typeName",
		"order:int":                              "order is a keyword of SQL; choose another name, such as orderName",
		"title:string title:text":                "the field title is there twice; leave one out",
		"due_date:date dueDate:date":             "the fields due_date and dueDate have the same name in Go or in the database; rename one",
		"a:owner b:owner c:int":                  "the fields a and b are both owners; a record has one",
		"author:owner":                           "the record has only its owner author; add a field",
		"author:owner,optional":                  "a record always has its owner; write author:owner",
		strings.Repeat("a", 41) + ":int":         "the name has 41 characters; it may have 40",
		strings.Join(many, " "):                  "51 fields are too many; a record may have 50",
		"status:enum=" + strings.Join(many, ","): "51 values are too many; an enum may have 50",
	} {
		if fields, err := crud.ParseFields(strings.Fields(input)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s is %+v, %v, want an error with %q", input, fields, err, want)
		}
	}
}

func TestAFieldThatCannotBeAddedIsRefused(t *testing.T) {
	t.Parallel()
	record := crud.Record{Type: "Post", Plural: "Posts", Fields: []crud.Field{{Name: "title", Type: "string"}}}
	for input, want := range map[string]string{
		"title:text":   "Post has a field title already; choose another name",
		"Title_:text":  "bad field",
		"author:owner": "an owner can't be added: nobody owns the posts that exist",
		"due_at:date":  "the posts that exist have no due at; make it optional: due_at:date,optional",
		"a:int a:int":  "the field a is there twice",
	} {
		added, err := crud.ParseAdded(record, strings.Fields(input))
		if err == nil {
			_, err = record.With(added)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want one with %q", input, err, want)
		}
	}
}

func TestADirectiveThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	record := crud.Record{Type: "Post", Plural: "Posts"}
	for source, want := range map[string]string{
		"package posts\n\ntype Post struct{}\n":                                  "store.go has no comment //mcp:crud above the type Post",
		"package posts\n\n//mcp:crud title:string\ntype Other struct{}\n":        "store.go has no comment //mcp:crud above the type Post",
		"package posts\n\n// Post.\n//\n//mcp:crud title:strin\ntype Post int\n": `store.go:5: bad field "title:strin": there is no type "strin"; did you mean "string"?`,
		"package posts\n\ntype Post struct {\n":                                  "correct the file first",
	} {
		if fields, err := record.ReadDirective("store.go", []byte(source)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", source, fields, err, want)
		}
	}
}
