package request

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Subject declares the names that a handler may read: the arguments of a tool or prompt, the
// variables of a template, or the fields of a form.
type Subject struct {
	Of        string                // such as "the tool post"
	What      string                // the kind of name: "argument", "variable" or "field"
	Name      string                // the name of the tool or prompt, or the URI
	Declared  []string              // the names
	Open      bool                  // whether other names may be read too
	Schema    *jsonschema.Validator // the schema of the values; nil if all are strings
	Validator Validator             // checks the structs to which arguments are bound; may be nil
	Typed     any                   // what runs the calls of a typed tool, of its [Types]; nil for other tools

	lock     sync.Mutex
	reported []string
	bound    sync.Map // the types that CheckBinding has checked
}

// A Validator checks a struct beyond what the schema says.
type Validator interface {
	Validate(v any) error
}

// Expect logs a mistake, once for each name, if the subject doesn't declare the name. A
// nil subject declares all names.
func (s *Subject) Expect(call Call, name string) {
	if s == nil || s.Open || slices.Contains(s.Declared, name) {
		return
	}
	s.report(call, name, func() *Mistake { return NewMistake("%s has no %s %q; %s", s.Of, s.What, name, s.suggestion(name)) })
}

// suggestion suggests a declared name, or lists them.
func (s *Subject) suggestion(name string) string {
	nearest := naming.Nearest(name, s.Declared)
	switch {
	case nearest != "":
		return fmt.Sprintf("did you mean %q?", nearest)
	case len(s.Declared) > 0:
		return "it has " + naming.Quoted(s.Declared)
	case s.What == "variable":
		return "its URI has none"
	}
	return "it has none"
}

// Undeclared returns the mistake of binding the subject's values to v, whose fields have
// undeclared names.
func (s *Subject) Undeclared(v any, names []string) error {
	slices.Sort(names)
	return NewMistake("Bind: the fields of %s name the %ss %s, which %s doesn't declare; %s",
		strings.TrimPrefix(fmt.Sprintf("%T", v), "*"), s.What, naming.Quoted(slices.Compact(names)), s.Of, s.suggestion(names[0]))
}

// report logs a mistake, once for each key.
func (s *Subject) report(call Call, key string, mistake func() *Mistake) {
	s.lock.Lock()
	again := slices.Contains(s.reported, key) || len(s.reported) == limits.MaxMistakes
	if !again {
		s.reported = append(s.reported, key)
	}
	s.lock.Unlock()
	if !again {
		found := mistake()
		call.Logger().WarnContext(call.Context(), "the program reads a name that isn't declared", "error", found, "at", found.Place)
	}
}

// CheckBinding logs a mistake, once for each type, if v is a pointer to a struct with a
// field that would stay empty, because its tag names an undeclared argument, or because
// it has no tag and an argument has a similar name. Other fields without a tag may belong
// to the program.
func (s *Subject) CheckBinding(call Call, v any) {
	if s == nil || s.Open {
		return
	}
	t := reflect.TypeOf(v)
	if _, checked := s.bound.Load(t); checked || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return
	}
	s.bound.Store(t, true)
	fields := codec.Fields(t.Elem())
	for _, field := range fields {
		text := s.misnamed(t.Elem(), field, fields)
		if text != "" {
			s.report(call, field.Name+" of "+t.String(), func() *Mistake { return NewMistake("Bind: %s", text) })
		}
	}
}

// misnamed says what is wrong with the name of a field, or returns "".
func (s *Subject) misnamed(of reflect.Type, field codec.Field, all []codec.Field) string {
	what := fmt.Sprintf("the field %s of %s", field.GoName, of)
	if slices.Contains(s.Declared, field.Name) {
		return ""
	}
	if field.Tagged {
		return fmt.Sprintf("%s reads %q, which %s doesn't declare; %s", what, field.Name, s.Of, s.suggestion(field.Name))
	}
	meant := naming.Nearest(field.Name, s.Declared)
	taken := slices.ContainsFunc(all, func(other codec.Field) bool { return other.Name == meant })
	if meant == "" || taken {
		return ""
	}
	return fmt.Sprintf("%s reads %q, but %s calls it %q; give the field the tag json:%q", what, field.Name, s.Of, meant, meant)
}

// Misfit returns the mistake of decoding a value that the schema allows into a type that can't
// hold it: no client can know better. It returns nil if the type has a decoder of its own, such
// as UnmarshalText, and that refused the value: the client may send another one. The method
// decoded the value at the pointer.
func (s *Subject) Misfit(method string, err error, pointer string, into reflect.Type) error {
	refusal, ok := codec.RefusalOf(err, into)
	if !ok || s == nil || s.Schema == nil || refusal.Place.Own != nil {
		return nil
	}
	schema, noun, place, verb := "the schema of "+s.Of, "field", "", "holds"
	if s.What == "field" {
		schema = s.Of
	}
	if refusal.Place.Owner != nil {
		place = fmt.Sprintf("the field %s of %s", refusal.Place.Field, refusal.Place.Owner)
	} else {
		noun, place = "variable", "the variable"
	}
	if refusal.Place.Exact {
		verb = "is"
	}
	if err := codec.Try(refusal.Type); err != nil { // whatever the value
		return NewMistake("%s: %v", method, err)
	}
	return NewMistake("%s: %s takes %s as %s, but %s %s %s; change the type of the %s, or the schema",
		method, schema, refusal.Have, cmp.Or(pointer+refusal.Pointer, "its value"), place, verb, withArticle(refusal.Type.String()), noun)
}

func withArticle(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) && !strings.HasPrefix(noun, "uint") {
		return "an " + noun
	}
	return "a " + noun
}
