package catalog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/internal/cli/catalog"
	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

func raw(texts ...string) (all [][]byte) {
	for _, text := range texts {
		all = append(all, []byte(text))
	}
	return all
}

// shop returns the catalog of a server with one item of each kind.
func shop() *catalog.Catalog {
	return catalog.New(catalog.About{
		Server: "shop", Version: "2025-11-25", Info: codec.Value(`{"name":"shop","title":"Shop","version":"1.2.0","description":"Sells."}`),
		Instructions: "Look up an order before you change it.\n\n- Ask the user for the number of the order, never guess it.\n\n```\na line of code that is longer than the page is wide\n```",
	}, client.Lists{
		Tools: raw(`{"name":"order","title":"Show order","description":"Shows an order.","inputSchema":{"type":"object","required":["id"],` +
			`"properties":{"id":{"type":"string","minLength":3,"pattern":"^[0-9]+$","description":"The number."},"unit":{"type":["string","null"],"enum":["kg","lb"]}}},` +
			`"outputSchema":{"type":"object","properties":{"lines":{"type":"array","items":{"$ref":"#/$defs/Line"}}},"$defs":{"Line":{"type":"object","required":["sku"],"properties":{"sku":{"type":"string"}}}}},` +
			`"annotations":{"readOnlyHint":true,"openWorldHint":false},"_meta":{"a":1},"icons":[]}`),
		Prompts:   raw(`{"name":"refund","arguments":[{"name":"order","required":true,"description":"The\n  number."},{"name":"tone"}]}`),
		Resources: raw(`{"uri":"shop://terms","name":"terms","mimeType":"text/plain","size":20,"annotations":{"audience":["user"],"priority":0.5}}`),
		Templates: raw(`{"uriTemplate":"shop://orders/{id}","name":"order","description":"An order."}`),
	})
}

const page = `# Shop 1.2.0

shop, as a client of 2025-11-25 gets it.

Sells.

## Instructions

Look up an order before you change it.

- Ask the user for the number of the
  order, never guess it.

` + "```\na line of code that is longer than the page is wide\n```" + `

## Tools

### order, Show order

Shows an order.

Parameters:

- id (string, required, minLength 3,
  pattern "^[0-9]+$"): The number.
- unit (string or null, one of "kg",
  "lb")

Result:

- lines (array of object)
- lines[].sku (string, required)

Hints: readOnlyHint true, openWorldHint
  false
Also: _meta, icons (--json shows them)
Size: 556 bytes, about 54 tokens

## Prompts

### refund

Parameters:

- order (required): The number.
- tone

Size: 111 bytes

## Resources

### shop://terms, terms

MIME type: text/plain
Size of the contents: 20 bytes
Hints: audience ["user"], priority 0.5
Size: 122 bytes

## Resource templates

### shop://orders/{id}, order

An order.

Size: 77 bytes
`

func TestThePageHasWhatAModelSees(t *testing.T) {
	t.Parallel()
	if got := string(shop().Text(40, false)); got != page {
		t.Errorf("the page is\n%s\nwant\n%s", got, page)
	}
	if bold := string(shop().Text(40, true)); !strings.Contains(bold, "\x1b[1m## Tools\x1b[0m\n") {
		t.Errorf("the page with bold headings is\n%q", bold)
	}
}

func TestOneItemHasItsSchemas(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"order":              {"### order, Show order\n", "\nInput schema:\n\n```json\n{\n  \"type\": \"object\",\n", "\nOutput schema:\n", "### shop://orders/{id}, order\n"},
		"shop://terms":       {"### shop://terms, terms\n"},
		"shop://orders/{id}": {"### shop://orders/{id}, order\n"},
		"refund":             {"### refund\n"},
	} {
		c := shop()
		if err := c.Only(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		text := string(c.Text(80, false))
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("the page of %s lacks %q:\n%s", name, part, text)
			}
		}
		if strings.Count(text, "### ") != strings.Count(strings.Join(want, ""), "### ") || strings.Contains(text, "Instructions") {
			t.Errorf("the page of %s has more:\n%s", name, text)
		}
	}
}

func TestAnUnknownNameIsAnErrorThatNamesTheNearest(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ordre":       `there is no tool, prompt or resource "ordre"; did you mean "order"?`,
		"shop://term": `there is no tool, prompt or resource "shop://term"; did you mean "shop://terms"?`,
		"zzz":         `there is no tool, prompt or resource "zzz"; there are: "order", "refund", "shop://terms", "shop://orders/{id}"`,
	} {
		if err := shop().Only(name); err == nil || err.Error() != want {
			t.Errorf("%s: the error is %v, want %s", name, err, want)
		}
	}
}

func TestTheSizesAreThoseOfTheRawDefinitions(t *testing.T) {
	t.Parallel()
	want := "[{instructions 1 160 40} {tools 1 556 54} {prompts 1 111 0} {resources 1 122 0} {templates 1 77 0}]"
	if got := fmt.Sprint(shop().Sizes); got != want {
		t.Errorf("the sizes are %s, want %s", got, want)
	}
	encoded, err := codec.Marshal(catalog.New(catalog.About{Server: "s", Version: "v"}, client.Lists{Prompts: raw(`{"name":"p"}`)}))
	if want := `{"server":"s","protocolVersion":"v","tools":[],"prompts":[{"bytes":12,"definition":{"name":"p"}}],"resources":[],"templates":[],`; err != nil || !strings.HasPrefix(string(encoded), want) {
		t.Errorf("%v: the JSON is %s, want %s…", err, encoded, want)
	}
}

// described returns the page of a tool with a description and a schema.
func described(t *testing.T, description, schema string) string {
	t.Helper()
	c := catalog.New(catalog.About{}, client.Lists{Tools: raw(`{"name":"t","description":` + codec.Quote(description) + `,"inputSchema":` + schema + `}`)})
	return string(c.Text(80, false))
}

func TestTypesAreThoseOfTheSchema(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"properties":{"a":true}}`: "- a (any type)\n",
		`{"properties":{"a":{"type":"array","items":{"type":"string","enum":["x"]},"minItems":1}}}`:       "- a (array of string, minItems 1, each one of \"x\")\n",
		`{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}}}`:              "- a (integer or null, default null)\n",
		`{"properties":{"a":{"title":"A","type":"object","properties":{"b":{"const":1}}}}}`:               "- a (object): A\n- a.b (any type, const 1)\n",
		`{"oneOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"number"}}}]}`:       "- a (string)\n- b (number)\n",
		`{"properties":{"a":{"$ref":"#/$defs/A","description":"Mine."}},"$defs":{"A":{"type":"string"}}}`: "- a (string): Mine.\n",
		`{"properties":{"a":{"$ref":"https://example.com/a"}}}`:                                           "- a (any type)\n",
		`{"type":"object"}`: "Parameters: none\n",
		`7`:                 "Parameters: none\n",
	} {
		if got := described(t, "T.", schema); !strings.Contains(got, want) {
			t.Errorf("%s has the page\n%s\nwant\n%s", schema, got, want)
		}
	}
}

// A stranger's definitions can't take over the terminal, hide words that a model reads, or fill the time and the memory.
func TestTheDefinitionsOfAStrangerAreBounded(t *testing.T) {
	t.Parallel()
	text := described(t, "Red \x1b[31m.\nHidden\u200b\u202e words.\n", `{"properties":{"a\u001b[2J":{"type":"b\u0007","default":"\u009b","description":"c\u001b"}}}`)
	if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r == 0x9b || r == 0x200b || r == 0x202e) }) {
		t.Errorf("the page has control characters: %q", text)
	}
	if !strings.Contains(text, `"Hidden\u200b\u202e words."`) {
		t.Errorf("the page doesn't show the hidden characters: %s", text)
	}
	var properties []string
	for i := range 300 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/A"}`, i))
	}
	all := strings.Join(properties, ",")
	began := time.Now()
	bomb := described(t, "B.", `{"$ref":"#/$defs/A","$defs":{"A":{"properties":{`+all+`},"anyOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A"}]}}}`)
	if lines := strings.Count(bomb, "\n- "); lines < 20 || lines > 201 || !strings.Contains(bomb, "- …: there are more") || time.Since(began) > 10*time.Second {
		t.Errorf("after %s, the page has %d parameters", time.Since(began), lines)
	}
	none := described(t, "B.", `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"anyOf":[`+strings.Repeat(`{"$ref":"#/$defs/A"},`, 999)+`{}]}}}`)
	if !strings.Contains(none, "- a (") || time.Since(began) > 20*time.Second {
		t.Errorf("after %s, the page is\n%.2000s", time.Since(began), none)
	}
}

func TestLinesAreBrokenAtTheWidth(t *testing.T) {
	t.Parallel()
	text := described(t, strings.Repeat("wörter ", 50)+"\n    "+strings.Repeat("indented ", 20)+"\n"+strings.Repeat("x", 100), `{}`)
	long := 0
	for line := range strings.Lines(text) {
		if length := utf8.RuneCountInString(line); length > 81 {
			long++
		} else if strings.HasPrefix(line, "indented") {
			t.Errorf("the line %q has lost its indent", line)
		}
	}
	if long != 1 {
		t.Errorf("%d lines are too long, beside the one with one word:\n%s", long-1, text)
	}
}
