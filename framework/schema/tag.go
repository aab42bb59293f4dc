package schema

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/rawjson"
)

// A tagKey is one key of the schema tag of a struct field.
type tagKey struct {
	name    string
	keyword string
	value   tagValue
	forms   []form // the forms it applies to; none means all
}

// tagValue is the way in which the text of a key is parsed.
type tagValue int

const (
	tagFlag   tagValue = iota // no value: true
	tagText                   // a string
	tagNumber                 // a number
	tagTyped                  // a value of the type of the field
	tagList                   // several of them, separated by bars
)

func tagKeys() []tagKey {
	str, num := []form{formString}, []form{formInteger, formNumber}
	scalar := []form{formString, formInteger, formNumber, formBoolean, formAny}
	return []tagKey{
		{"title", "title", tagText, nil},
		{"description", "description", tagText, nil},
		{"format", "format", tagText, str},
		{"pattern", "pattern", tagText, str},
		{"minLength", "minLength", tagNumber, str},
		{"maxLength", "maxLength", tagNumber, str},
		{"min", "minimum", tagNumber, num},
		{"max", "maximum", tagNumber, num},
		{"exclusiveMin", "exclusiveMinimum", tagNumber, num},
		{"exclusiveMax", "exclusiveMaximum", tagNumber, num},
		{"multipleOf", "multipleOf", tagNumber, num},
		{"enum", "enum", tagList, scalar},
		{"const", "const", tagTyped, scalar},
		{"default", "default", tagTyped, nil},
		{"examples", "examples", tagList, nil},
		{"minItems", "minItems", tagNumber, []form{formArray}},
		{"maxItems", "maxItems", tagNumber, []form{formArray}},
		{"unique", "uniqueItems", tagFlag, []form{formArray}},
		{"minProperties", "minProperties", tagNumber, []form{formObject}},
		{"maxProperties", "maxProperties", tagNumber, []form{formObject}},
		{"deprecated", "deprecated", tagFlag, nil},
		{"required", "required", tagFlag, nil},
		{"nullable", "nullable", tagFlag, nil},
		{"header", "x-mcp-header", tagText, []form{formString, formInteger, formBoolean}},
	}
}

// otherTag matches the tag jsonschema as other libraries read it: KEY=VALUE, or a list of keys.
var otherTag = regexp.MustCompile(`^([^ \t\n]*=|(-|required|optional|nullable|omitempty|deprecated|readOnly|writeOnly|uniqueItems)(,|$))`)

// inferDescription reads the tag jsonschema as a description, as go-sdk does. It refuses
// the keywords of other libraries, which would be ignored.
func (d *definition) inferDescription(f reflect.StructField) {
	const fix = "write the tag schema, as in schema:\"description='Where to write to.',required\""
	for _, name := range []string{"jsonschema_description", "jsonschema_extras"} {
		if f.Tag.Get(name) != "" {
			d.problem("the tag "+name+" of another library has no meaning here", fix)
		}
	}
	switch text, given := f.Tag.Lookup("jsonschema"); {
	case !given:
	case text == "" || otherTag.MatchString(text):
		d.problem("the tag jsonschema may only hold a description here, not "+codec.Quote(text), fix)
	default:
		d.put(fromType, "description", codec.AppendQuote(nil, text))
	}
}

// tags applies the schema tag of a definition. The form of the definition must be known.
func (w *writer) tags(at string, d *definition) {
	d.keywords[fromTag] = nil
	if d.tag == "" {
		return
	}
	keys := tagKeys()
	for _, part := range splitTag(d.tag) {
		name, text, given := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(keys, func(k tagKey) bool { return k.name == name })
		if i < 0 {
			w.unknownKey(at, name, keys)
			continue
		}
		w.tagged(at, d, keys[i], unquoteTag(text), given)
	}
}

// tagged records one key.
func (w *writer) tagged(at string, d *definition, key tagKey, text string, given bool) {
	form := d.form()
	if form == formRaw && key.keyword != "required" {
		return // the raw schema wins
	}
	if len(key.forms) > 0 && !slices.Contains(key.forms, form) {
		w.problem(at, "the schema tag says "+key.name+", which does not apply to the type "+string(form), "drop it, or describe the items on the builder")
		return
	}
	if given == (key.value == tagFlag) {
		fix := key.name + "=VALUE"
		if key.value == tagFlag {
			fix = key.name + " without a value"
		}
		w.problem(at, "the schema tag has "+key.name+" in the wrong form", "write "+fix)
		return
	}
	switch key.keyword {
	case "required":
		d.required[fromTag] = true
		return
	case "nullable":
		d.nullable[fromTag] = true
		return
	}
	var value []byte
	ok := true
	switch key.value {
	case tagFlag:
		value = []byte("true")
	case tagText:
		value = codec.AppendQuote(nil, text)
	case tagNumber:
		value, ok = typed(formNumber, text)
	case tagTyped:
		value, ok = typed(form, text)
	case tagList:
		value = []byte{'['}
		for i, element := range strings.Split(text, "|") {
			if i > 0 {
				value = append(value, ',')
			}
			v, fits := typed(form, element)
			value, ok = append(value, v...), ok && fits
		}
		value = append(value, ']')
	}
	if !ok {
		w.problem(at, "the schema tag has "+key.name+"="+codec.Quote(text)+", which is not of the type "+string(form), "write a value of that type")
		return
	}
	d.put(fromTag, key.keyword, value)
}

func (w *writer) unknownKey(at, name string, keys []tagKey) {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	fix := "use one of " + strings.Join(names, ", ") + "; put a value with commas in single quotes"
	if known := naming.Nearest(name, names); known != "" {
		fix = "did you mean " + known + "?"
	}
	w.problem(at, "the schema tag has the unknown key "+codec.Quote(name), fix)
}

// typed converts the text of a tag to JSON of a form.
func typed(form form, text string) ([]byte, bool) {
	switch form {
	case formString:
		return codec.AppendQuote(nil, text), true
	case formInteger, formNumber:
		end, _, ok := rawjson.ScanNumber([]byte(text), 0)
		return []byte(text), ok && end == len(text)
	case formBoolean:
		return []byte(text), text == "true" || text == "false"
	default:
		return typedJSON(form, text)
	}
}

// typedJSON parses the text as JSON. If the form allows any value, text that isn't JSON
// is a string.
func typedJSON(form form, text string) ([]byte, bool) {
	value, err := codec.Compact([]byte(text))
	if err != nil && form != formArray && form != formObject {
		return codec.AppendQuote(nil, text), true
	}
	return value, err == nil
}

// splitTag splits a tag at the commas that aren't in single quotes.
func splitTag(tag string) []string {
	var parts []string
	quotes, start := false, 0
	for i := range len(tag) {
		switch {
		case tag[i] == '\'' && (quotes || i > 0 && tag[i-1] == '='):
			quotes = !quotes
		case tag[i] == '\'' && i > 0 && tag[i-1] == '\'': // the second of two quotes
			quotes = true
		case tag[i] == ',' && !quotes:
			parts = append(parts, tag[start:i])
			start = i + 1
		}
	}
	if start < len(tag) {
		parts = append(parts, tag[start:])
	}
	return parts
}

// unquoteTag removes the single quotes around a value.
func unquoteTag(text string) string {
	if len(text) >= 2 && text[0] == '\'' && text[len(text)-1] == '\'' {
		return strings.ReplaceAll(text[1:len(text)-1], "''", "'")
	}
	return text
}
