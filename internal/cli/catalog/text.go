package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// Text returns the catalog for people, as Markdown whose lines are broken at a width. The headings
// may be bold.
func (c *Catalog) Text(width int, bold bool) []byte {
	p := &page{width: width, bold: bold}
	c.writeServer(p)
	for _, kind := range kinds() {
		items := *kind.items(c)
		if len(items) == 0 {
			continue
		}
		p.heading(2, kind.title)
		for _, item := range items {
			c.writeItem(p, kind, item)
		}
	}
	return p.Bytes()
}

// writeServer writes what the server says about itself.
func (c *Catalog) writeServer(p *page) {
	of := func(member string) string {
		text, _ := codec.Unquote(spec.Lookup(c.Info, member))
		return text
	}
	name := shown(cmp.Or(of("title"), of("name"), c.Server))
	p.heading(1, strings.TrimSpace(name+" "+shown(of("version"))))
	seen := fmt.Sprintf("%s, as a client of %s gets it", shown(c.Server), c.Version)
	if c.As != "" {
		seen += " for " + shown(c.As)
	}
	p.WriteString("\n")
	p.wrap("", "", seen+".")
	if c.isPart {
		return
	}
	p.paragraph(of("description"))
	p.heading(2, "Instructions")
	p.paragraph(cmp.Or(c.Instructions, "None."))
}

// writeItem writes an item.
func (c *Catalog) writeItem(p *page, kind kind, item Item) {
	title := shown(item.text(kind.key))
	for _, more := range []string{"name", "title"} {
		if text := item.text(more); text != "" && more != kind.key {
			title += ", " + shown(text)
		}
	}
	p.heading(3, title)
	p.paragraph(item.text("description"))
	p.WriteString("\n")
	input, output := spec.Lookup(item.Definition, "inputSchema"), spec.Lookup(item.Definition, "outputSchema")
	if input != nil {
		writeParameters(p, "Parameters", parametersOf(input))
	}
	if output != nil {
		writeParameters(p, "Result", parametersOf(output))
	}
	if kind.list == "prompts" {
		writeParameters(p, "Parameters", argumentsOf(item.Definition))
	}
	p.field("MIME type", shown(item.text("mimeType")))
	if size := spec.Lookup(item.Definition, "size"); size != nil {
		p.field("Size of the contents", shown(string(size))+" bytes")
	}
	p.field("Hints", hints(spec.Lookup(item.Definition, "annotations")))
	p.field("Also", also(item.Definition))
	size := fmt.Sprintf("%d bytes", item.Bytes)
	if item.Tokens > 0 {
		size += fmt.Sprintf(", about %d tokens", item.Tokens)
	}
	p.field("Size", size)
	if c.isPart {
		writeSchema(p, "Input schema", input)
		writeSchema(p, "Output schema", output)
	}
}

// writeParameters writes the parameters of an item, or the members of its result.
func writeParameters(p *page, title string, parameters []parameter) {
	if len(parameters) == 0 {
		p.field(title, "none")
		return
	}
	p.WriteString(title + ":\n\n")
	for _, one := range parameters {
		p.list(one.String())
	}
	p.WriteString("\n")
}

// writeSchema writes a schema as it is, but with indents.
func writeSchema(p *page, title string, schema []byte) {
	if schema == nil {
		return
	}
	if text, err := codec.Indent(codec.Value(schema)); err == nil {
		p.code(title, string(text))
	}
}

// hints returns the members of raw annotations.
func hints(annotations []byte) string {
	var all []string
	for _, hint := range spec.ParseObject(annotations) {
		all = append(all, shown(hint.Name)+" "+value(hint.Value))
	}
	return strings.Join(all, ", ")
}

// also returns the names of the members of a definition that Text doesn't write.
func also(definition []byte) string {
	var others []string
	for _, member := range spec.ParseObject(definition) {
		switch member.Name {
		case "name", "title", "description", "uri", "uriTemplate", "mimeType", "size", "annotations", "arguments", "inputSchema", "outputSchema":
		default:
			others = append(others, shown(member.Name))
		}
	}
	if len(others) == 0 {
		return ""
	}
	slices.Sort(others)
	return strings.Join(others, ", ") + " (--json shows them)"
}
