package schema

import (
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// Comments are the comments of struct fields in the source of a program. The keys are a type, as
// its import path and its name without type arguments, and a field:
//
//	schema.Comments{
//		"example.com/demo/app/notes.Note": {"Title": "At most 80 characters."},
//	}
//
// The command mcp generate writes them.
type Comments map[string]map[string]string

// Comments describes the fields of the structs that [Object.Struct] gets, and of those inside
// them, by the comments of the fields. It may be called before Struct or after it. Any other
// description of a field wins over its comment.
func (o *Object) Comments(comments Comments) *Object {
	o.definition.comments = comments
	return o
}

// comment describes a definition by the comment of its field, unless it has a description.
func (d *definition) comment(comments Comments) {
	if comments == nil || d.field.Owner == nil {
		return
	}
	name, _, _ := strings.Cut(d.field.Owner.Name(), "[")
	text := comments[d.field.Owner.PkgPath()+"."+name][d.field.GoName]
	if text == "" {
		return
	}
	if described, ok := d.keyword("description"); ok {
		about, _ := codec.Unquote(described)
		if !strings.HasPrefix(about, aboutNames) {
			return
		}
		text += " " + about
	}
	d.put(fromType, "description", codec.AppendQuote(nil, text))
}
