package ask

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A FormQuestion asks the user to fill in a form (MCP 2026-07-28, elicitation in form
// mode). [Form] makes one.
type FormQuestion struct{ early[FormQuestion] }

// Form asks the user to fill in a form. The message says why; the function describe
// declares the fields. Never ask for secrets in a form: see [URL].
func Form(message string, describe func(form *Fields)) *FormQuestion {
	fields := &Fields{form: schema.New().Open()}
	if describe != nil {
		describe(fields)
	}
	compile := sync.OnceValues(func() (*compiledForm, error) { return compileForm(message, fields) })
	q := &FormQuestion{}
	q.self, q.draft = q, request.NewDraft(func() (*checked, error) {
		form, err := compile()
		if err != nil {
			return nil, err
		}
		return &checked{Method: methodElicit, Early: q.isEarly, Kind: form}, nil
	})
	return q
}

// compileForm checks a form, and takes what is sent from the schema of its answers.
func compileForm(message string, fields *Fields) (*compiledForm, error) {
	problems := checkMessage(message)
	for _, f := range fields.list {
		problems = append(problems, f.check()...)
	}
	validator, err := fields.form.Compile()
	problems = append(problems, schemaProblems(err)...)
	if len(problems) > 0 {
		return nil, fmt.Errorf("the form %.60q: %w", message, errors.Join(problems...))
	}
	form := &compiledForm{message: message, fields: fields.list, schema: (*jsonschema.Validator)(validator)}
	for _, schema := range rawjson.Members(spec.Lookup(validator.Schema(), "properties")) { // in the order of the fields
		var p property
		_ = codec.Unmarshal(schema, &p) // has the keywords that the fields allow
		form.properties = append(form.properties, p)
	}
	return form, nil
}

func checkMessage(message string) []error {
	if strings.TrimSpace(message) == "" {
		return []error{errors.New("it has no message; say what is asked and why")}
	}
	return nil
}

// check returns the mistakes that a schema allows but a form doesn't.
func (f *field) check() []error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("the field %q: "+format, append([]any{f.name}, args...)...))
	}
	formats := []string{"email", "uri", "date", "date-time"}
	if f.format != nil && !slices.Contains(formats, *f.format) {
		problem("forms don't have the format %q; use one of %s", *f.format, strings.Join(formats, ", "))
	}
	if f.names != nil && isTitled(f.options) {
		problem("it has titles by both Option and EnumNames; drop EnumNames")
	}
	if f.names != nil && len(f.names) != len(f.options) {
		problem("it has %d values and %d EnumNames; give each value one", len(f.options), len(f.names))
	}
	return problems
}

// schemaProblems rewrites the schema builder's errors so that they name the form's
// fields.
func schemaProblems(err error) []error {
	var problems []error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			problems = append(problems, schemaProblems(err)...)
		}
		return problems
	}
	var mistake *schema.DefinitionError
	if errors.As(err, &mistake) {
		name, _, _ := strings.Cut(strings.TrimPrefix(mistake.Path, "/properties/"), "/")
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		return []error{fmt.Errorf("the field %q: %s; %s", name, mistake.Problem, mistake.Fix)}
	}
	if err != nil {
		problems = append(problems, err)
	}
	return problems
}

// A compiledForm is a form that has been checked.
type compiledForm struct {
	message    string
	fields     []*field
	properties []property // of the fields, in order
	schema     *jsonschema.Validator
}

// Since returns the first version that supports the form, which is later for a form with
// an Enums.
func (f *compiledForm) Since() spec.Version {
	if slices.ContainsFunc(f.properties, func(p property) bool { return p.Type == "array" }) {
		return spec.Version20251125
	}
	return spec.Version20250618
}

// Missing follows MCP 2025-11-25: elicitation without modes means forms, and neither mode
// implies the other.
func (f *compiledForm) Missing(client []byte, version spec.Version) string {
	switch {
	case version < spec.Version20251125:
		if !capabilities(client).declare("elicitation") {
			return `{"elicitation":{}}`
		}
	case !capabilities(client).declare("elicitation", "form") && (!capabilities(client).declare("elicitation") || capabilities(client).declare("elicitation", "url")):
		return `{"elicitation":{"form":{}}}`
	}
	return ""
}

func (f *compiledForm) Params(_ []byte, version spec.Version) []byte {
	dst := []byte(`{`)
	if version >= spec.Version20251125 {
		dst = append(dst, `"mode":"form",`...)
	}
	dst = codec.AppendQuote(append(dst, `"message":`...), f.message)
	dst = append(dst, `,"requestedSchema":{"type":"object","properties":{`...)
	var required []string
	for i, field := range f.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		if field.required {
			required = append(required, field.name)
		}
		encoded, _ := codec.Marshal(f.properties[i].in(version, field)) // raw JSON and strings always encode
		dst = append(append(codec.AppendQuote(dst, field.name), ':'), encoded...)
	}
	dst = append(dst, '}')
	if required != nil {
		encoded, _ := codec.Marshal(required) // strings always encode
		dst = append(append(dst, `,"required":`...), encoded...)
	}
	return append(dst, "}}"...)
}

func (f *compiledForm) Answer(call request.Call, key string, raw []byte) (*Answer, error) {
	answer, content, err := readElicited(raw)
	if err != nil || !answer.Accepted() {
		return answer, err
	}
	if len(content) == 0 || content.Kind() == 'n' {
		content = codec.Value(`{}`)
	}
	if violations := f.schema.Validate(content); len(violations) > 0 {
		wrong := make([]error, len(violations))
		for i, v := range violations {
			v.Pointer = "/content" + v.Pointer
			wrong[i] = errors.New(v.String())
		}
		return nil, errors.Join(wrong...)
	}
	content = f.schema.Coerce(f.schema.WithDefaults(content), jsonschema.Coercion{}) // 2.0 is the integer 2
	_ = codec.Unmarshal(content, &answer.values)                                     // a value that isn't an object had a violation
	answer.call, answer.form = call, &request.Subject{Of: fmt.Sprintf("the form %q", key), What: "field", Name: key, Schema: f.schema}
	for _, field := range f.fields {
		answer.form.Declared = append(answer.form.Declared, field.name)
	}
	maps.DeleteFunc(answer.values, func(name string, _ codec.Value) bool {
		return !slices.Contains(answer.form.Declared, name) // the schema doesn't check it
	})
	return answer, nil
}

// A ConfirmQuestion asks the user for confirmation (MCP 2026-07-28, elicitation in form
// mode). [Confirm] makes one.
//
// It has no method Early: an answer is accepted only with a sealed state that proves
// that the server asked the question.
type ConfirmQuestion struct{ draft }

// Confirm asks the user to allow something, with a form without fields. [Answer.Accepted]
// means yes; any other answer means no.
func Confirm(message string) *ConfirmQuestion {
	return &ConfirmQuestion{Form(message, nil).draft}
}
