package elicitation

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A form asks for the properties of a schema, one after the other.
type form struct {
	terminal *questions.Terminal
	schema   []byte // requestedSchema
}

// A field is one property of a form.
type field struct {
	name     string
	required bool
	Type     string      `json:"type"`
	Title    string      `json:"title"`
	Text     string      `json:"description"`
	Default  codec.Value `json:"default"`
	Enum     []string    `json:"enum"`
	Names    []string    `json:"enumNames"`
	OneOf    []choice    `json:"oneOf"`
	Items    struct {
		Enum  []string `json:"enum"`
		AnyOf []choice `json:"anyOf"`
	} `json:"items"`
}

// A choice is a value with its title and description.
type choice struct {
	Const string `json:"const"`
	Title string `json:"title"`
	Text  string `json:"description"`
}

// ask returns the content of the answer.
func (f form) ask(fields spec.Object) (spec.Object, error) {
	content := spec.Object{}
	for _, member := range fields {
		one := field{name: member.Name}
		if err := codec.Unmarshal(member.Value, &one); err != nil {
			return nil, fmt.Errorf("the question of the server has an invalid field %q: %w", member.Name, err)
		}
		for _, name := range spec.ParseArray(spec.Lookup(f.schema, "required")) {
			text, _ := codec.Unquote(name)
			one.required = one.required || text == member.Name
		}
		value, err := f.value(one)
		if err != nil {
			return nil, err
		}
		if value != nil {
			content.Set(member.Name, value)
		}
	}
	return content, nil
}

// value asks for one field. The value is nil if the person leaves it out.
func (f form) value(one field) ([]byte, error) {
	switch {
	case one.Type == "array":
		chosen, err := f.terminal.ChooseSome(one.heading(), one.options())
		if err != nil {
			return nil, err
		}
		return codec.Marshal(chosen)
	case one.Type == "boolean":
		yes, no := questions.Option{Value: "true", Label: "Yes"}, questions.Option{Value: "false", Label: "No"}
		options := []questions.Option{yes, no}
		if string(one.Default) == "false" {
			options = []questions.Option{no, yes} // the first one is what Enter chooses
		}
		chosen, err := f.terminal.Choose(one.heading(), options)
		return []byte(chosen), err
	case len(one.options()) > 0:
		options := one.options()
		if !one.required {
			options = append(options, questions.Option{Label: "(no answer)"})
		}
		chosen, err := f.terminal.Choose(one.heading(), options)
		if err != nil || chosen == "" {
			return nil, err
		}
		return codec.AppendQuote(nil, chosen), nil
	}
	text, err := f.terminal.Text(one.title(), one.description(), one.check)
	switch {
	case err != nil:
		return nil, err
	case text == "" && one.Default != nil:
		return one.Default, nil
	case text == "":
		return nil, nil
	}
	return one.convert(text), nil
}

func (f field) title() string {
	return naming.Printable(cmp.Or(f.Title, f.name))
}

// heading returns the title of a choice, with the description on its own lines.
func (f field) heading() string {
	if f.Text == "" {
		return f.title()
	}
	return f.title() + "\n" + naming.PrintableLines(f.Text)
}

func (f field) description() string {
	parts := []string{naming.Printable(f.Text)}
	switch {
	case f.Default != nil:
		parts = append(parts, "Enter alone means "+string(f.Default)+".")
	case !f.required:
		parts = append(parts, "Enter alone leaves it out.")
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// options returns the values to choose from, with the default first.
func (f field) options() (options []questions.Option) {
	isDefault := func(value string) bool {
		quoted := codec.Quote(value)
		if string(f.Default) == quoted {
			return true
		}
		for _, chosen := range spec.ParseArray(f.Default) {
			if string(chosen) == quoted {
				return true
			}
		}
		return false
	}
	add := func(one choice) {
		label := naming.Printable(cmp.Or(one.Title, one.Const))
		if one.Text != "" {
			label += ": " + naming.Printable(one.Text)
		}
		option := questions.Option{Value: one.Const, Label: label, Selected: isDefault(one.Const)}
		if option.Selected && f.Type != "array" {
			options = append([]questions.Option{option}, options...)
			return
		}
		options = append(options, option)
	}
	for i, value := range append(f.Enum, f.Items.Enum...) {
		one := choice{Const: value}
		if i < len(f.Names) {
			one.Title = f.Names[i]
		}
		add(one)
	}
	for _, one := range append(f.OneOf, f.Items.AnyOf...) {
		add(one)
	}
	return options
}

// check says what is wrong with a text. The server checks the rest.
func (f field) check(text string) error {
	switch {
	case text == "" && f.required && f.Default == nil:
		return errors.New("an answer is required")
	case text != "" && f.isNumber() && codec.Value(strings.TrimSpace(text)).Kind() != '0',
		text != "" && f.isNumber() && !codec.Valid([]byte(strings.TrimSpace(text))):
		return fmt.Errorf("%q is not a number", text)
	}
	return nil
}

func (f field) isNumber() bool { return f.Type == "number" || f.Type == "integer" }

func (f field) convert(text string) []byte {
	if f.isNumber() {
		return []byte(strings.TrimSpace(text))
	}
	return codec.AppendQuote(nil, text)
}
