// Package catalog describes what an MCP server offers to one client: its instructions, and each
// tool, prompt, resource and template as the client gets it, with the sizes. Text writes the
// description for people; for programs, a Catalog encodes as JSON.
package catalog

import (
	"github.com/bowline-mcp/bowline/internal/cli/assessment"
	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// About says which server a client sees, and what the server says about itself.
type About struct {
	Server       string      `json:"server"`       // its handle or URL
	As           string      `json:"as,omitempty"` // the principal, if one was named
	Version      string      `json:"protocolVersion"`
	Info         codec.Value `json:"serverInfo,omitzero"`
	Instructions string      `json:"instructions,omitempty"`
}

// A Catalog is what a server offers to a client.
type Catalog struct {
	About

	Tools     []Item `json:"tools"`
	Prompts   []Item `json:"prompts"`
	Resources []Item `json:"resources"`
	Templates []Item `json:"templates"`

	// Sizes are those of the instructions and of each list.
	Sizes []assessment.Size `json:"sizes"`

	isPart bool // whether it has only the items with one name
}

// An Item is a tool, prompt, resource or template. Tokens is an estimate, for tools only.
type Item struct {
	Bytes      int         `json:"bytes"`
	Tokens     int         `json:"estimatedTokens,omitempty"`
	Definition codec.Value `json:"definition"` // as the client gets it
}

// A kind is a kind of items.
type kind struct {
	list  string // its name among the sizes
	title string
	key   string // the member of a definition that identifies an item
	items func(*Catalog) *[]Item
}

func kinds() []kind {
	return []kind{
		{assessment.ListTools, "Tools", "name", func(c *Catalog) *[]Item { return &c.Tools }},
		{"prompts", "Prompts", "name", func(c *Catalog) *[]Item { return &c.Prompts }},
		{"resources", "Resources", "uri", func(c *Catalog) *[]Item { return &c.Resources }},
		{"templates", "Resource templates", "uriTemplate", func(c *Catalog) *[]Item { return &c.Templates }},
	}
}

// New returns the catalog of a server with its raw lists.
func New(about About, lists client.Lists) *Catalog {
	c := &Catalog{About: about}
	raw := map[string][][]byte{assessment.ListTools: lists.Tools, "prompts": lists.Prompts, "resources": lists.Resources, "templates": lists.Templates}
	for _, kind := range kinds() {
		items := []Item{} // JSON has a list, even if it is empty
		for _, definition := range raw[kind.list] {
			size := assessment.SizeOf(kind.list, [][]byte{definition})
			items = append(items, Item{size.Bytes, size.Tokens, definition})
		}
		*kind.items(c) = items
	}
	c.measure()
	return c
}

// measure sets the sizes.
func (c *Catalog) measure() {
	c.Sizes = nil
	if c.Instructions != "" {
		bytes := len(c.Instructions)
		c.Sizes = append(c.Sizes, assessment.Size{List: "instructions", Entries: 1, Bytes: bytes, Tokens: assessment.Tokens(bytes)})
	}
	for _, kind := range kinds() {
		var entries [][]byte
		for _, item := range *kind.items(c) {
			entries = append(entries, item.Definition)
		}
		c.Sizes = append(c.Sizes, assessment.SizeOf(kind.list, entries))
	}
}

// Only leaves the items with a name, or with the URI of a resource or template. If there are none,
// the error names what is probably meant.
func (c *Catalog) Only(name string) error {
	part, found := *c, false
	part.Instructions, part.isPart = "", true
	var known []string
	for _, kind := range kinds() {
		named := []Item{}
		for _, item := range *kind.items(c) {
			known = append(known, item.text(kind.key))
			if item.text(kind.key) == name || item.text("name") == name {
				named = append(named, item)
			}
		}
		*kind.items(&part) = named
		found = found || len(named) > 0
	}
	if !found {
		return naming.Unknown("tool, prompt or resource", name, known)
	}
	*c = part
	c.measure()
	return nil
}

// text returns a member of the definition that is a text, or "".
func (i Item) text(member string) string {
	text, _ := codec.Unquote(spec.Lookup(i.Definition, member))
	return text
}
