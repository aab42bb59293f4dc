package schema

import (
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/json/rawjson"
	"github.com/bowline-mcp/bowline/internal/naming"
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

// keyType is the key that gives a form to a type whose JSON form isn't known.
const keyType = "type"

// tagForms returns the forms that the key type may give.
func tagForms() []form {
	return []form{formString, formInteger, formNumber, formBoolean, formArray, formObject}
}

// tags applies the schema tag of a definition, and what the tag of the array or map that holds
// it says about it. The form of the definition must be known, unless the tag has the key type.
func (w *writer) tags(at string, d *definition) {
	d.keywords[fromTag], d.forms[fromTag], d.open[fromTag] = nil, formUnset, false
	if d.tag == "" && len(d.passed) == 0 {
		return
	}
	parts := append(splitTag(d.tag), d.passed...)
	for _, part := range parts {
		if name, text, _ := cutTag(part); name == keyType {
			w.typed(at, d, text)
		}
	}
	inner := map[*definition][]string{}
	keys := tagKeys()
	for _, part := range parts {
		name, text, given := cutTag(part)
		if prefix, rest, nested := strings.Cut(name, "."); nested {
			if child := w.inner(at, d, prefix, name); child != nil {
				inner[child] = append(inner[child], rest+strings.TrimPrefix(strings.TrimSpace(part), name))
			}
			continue
		}
		i := slices.IndexFunc(keys, func(k tagKey) bool { return k.name == name })
		switch {
		case name == keyType:
		case i < 0:
			w.unknownKey(at, name, keys)
		default:
			w.tagged(at, d, keys[i], text, given)
		}
	}
	for _, child := range []*definition{d.items, d.additional, d.keys} {
		if child != nil {
			child.passed = inner[child]
		}
	}
}

// typed gives a definition the form that a tag names.
func (w *writer) typed(at string, d *definition, text string) {
	form := form(text)
	switch {
	case d.form() == formRaw:
	case !slices.Contains(tagForms(), form):
		w.problem(at, "the schema tag has the type "+codec.Quote(text), "use string, integer, number, boolean, array or object")
	case d.form() != formAny:
		w.problem(at, "the schema tag has a type, but the Go type says that it is "+string(d.form()), "drop the key type")
	default:
		d.forms[fromTag] = form
		d.open[fromTag] = form == formObject // nothing says what is in it
	}
}

// inner returns the definition that the keys with a prefix are about, or nil after a mistake.
func (w *writer) inner(at string, d *definition, prefix, name string) *definition {
	switch form := d.form(); {
	case form == formRaw:
		return nil
	case d.refer != nil:
		w.problem(at, "the schema tag has "+name+", but the recursive type "+d.refer.String()+" is described elsewhere", "write a tag in "+d.refer.String()+" itself")
	case prefix == "items" && form == formArray:
		return d.item(fromTag, formUnset)
	case prefix == "values" && form == formObject && (d.additional != nil || d.isOpen()):
		if d.additional == nil {
			d.additional = d.child()
		}
		return d.additional
	case prefix == "keys" && form == formObject && (d.additional != nil || d.isOpen()):
		if d.keys == nil {
			d.keys = d.child()
			d.keys.forms[fromType] = formString
		}
		return d.keys
	case prefix == "items" || prefix == "values" || prefix == "keys":
		w.problem(at, "the schema tag has "+name+", which does not apply to the type "+string(form), "use items. for slices, and keys. and values. for maps")
	default:
		w.problem(at, "the schema tag has the unknown key "+codec.Quote(name), "begin it with items., values. or keys.")
	}
	return nil
}

// cutTag cuts a part of a tag into a key and its value.
func cutTag(part string) (name, text string, given bool) {
	name, text, given = strings.Cut(part, "=")
	return strings.TrimSpace(name), unquoteTag(text), given
}

// tagged records one key.
func (w *writer) tagged(at string, d *definition, key tagKey, text string, given bool) {
	form := d.form()
	if form == formRaw && key.keyword != "required" {
		return // the raw schema wins
	}
	if len(key.forms) > 0 && !slices.Contains(key.forms, form) {
		fix := "drop it"
		switch {
		case form == formAny:
			fix = "write the type too, as in type=" + string(key.forms[0])
		case form == formArray:
			fix = "drop it, or write items." + key.name + " for the items"
		case form == formObject && d.additional != nil:
			fix = "drop it, or write values." + key.name + " for the values"
		}
		w.problem(at, "the schema tag says "+key.name+", which does not apply to the type "+string(form), fix)
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
		value, ok = valueOf(formNumber, text)
	case tagTyped:
		value, ok = valueOf(form, text)
	case tagList:
		value = []byte{'['}
		for i, element := range strings.Split(text, "|") {
			if i > 0 {
				value = append(value, ',')
			}
			v, fits := valueOf(form, element)
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
	names := make([]string, len(keys), len(keys)+1)
	for i, k := range keys {
		names[i] = k.name
	}
	names = append(names, keyType)
	fix := "use one of " + strings.Join(names, ", ") + "; put a value with commas in single quotes"
	if key, ok := keyOf(name, keys); ok {
		fix = "write " + key.name
	} else if known := naming.Nearest(name, names); known != "" {
		fix = "did you mean " + known + "?"
	}
	w.problem(at, "the schema tag has the unknown key "+codec.Quote(name), fix)
}

// valueOf converts the text of a tag to JSON of a form.
func valueOf(form form, text string) ([]byte, bool) {
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
