package tools_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// A section contains sections.
type section struct {
	Title string    `json:"title" schema:"minLength=1"`
	Parts []section `json:"parts,omitempty" schema:"maxItems=2"`
}

// turned reverses the parts of a section, and of its parts.
func (s section) turned() section {
	out := section{Title: s.Title}
	for _, part := range s.Parts {
		out.Parts = append([]section{part.turned()}, out.Parts...)
	}
	return out
}

func TestAFunctionTakesAndReturnsARecursiveType(t *testing.T) {
	t.Parallel()
	turn := tools.Func("turn", "Turns a section.", func(_ context.Context, in section) (section, error) { return in.turned(), nil })
	nested := mcptest.Args{"title": "a", "parts": []mcptest.Args{{"title": "b", "parts": []mcptest.Args{{"title": "c"}, {"title": "d"}}}, {"title": "e"}}}
	mcptest.Tool(t, turn, nested).AssertOK().AssertStructured(section{"a", []section{{Title: "e"}, {"b", []section{{Title: "d"}, {Title: "c"}}}}})
	mcptest.Tool(t, turn, mcptest.Args{"title": "a", "parts": []mcptest.Args{{"title": "b", "parts": []mcptest.Args{{"titel": "c"}}}}}).
		AssertError(`/parts/0/parts/0/titel: unknown property; did you mean "title"?`)
	mcptest.Tool(t, turn, mcptest.Args{"title": "a", "parts": []mcptest.Args{{"title": "b", "parts": []mcptest.Args{{"title": ""}}}}}).
		AssertError("/parts/0/parts/0/title: must be a string of at least 1 character")
}

func TestAFunctionConstrainsItems(t *testing.T) {
	t.Parallel()
	type in struct {
		Tags   []string         `json:"tags,omitempty" schema:"items.enum=new|sale"`
		Grid   [][]int          `json:"grid,omitempty" schema:"items.maxItems=2,items.items.min=0"`
		Prices map[string]int   `json:"prices,omitempty" schema:"keys.pattern=^[A-Z]+$,values.max=9"`
		ByYear map[uint16]*bool `json:"byYear,omitempty"`
		Point  any              `json:"point,omitempty" schema:"type=array,items.type=number"`
	}
	take := tools.Func("take", "Takes.", func(_ context.Context, in in) (string, error) {
		return fmt.Sprint(len(in.Tags), in.Grid, in.Prices), nil
	})
	mcptest.Tool(t, take, mcptest.Args{"tags": []string{"new"}, "grid": [][]int{{1, 2}}, "prices": map[string]int{"EUR": 9}, "byYear": map[string]any{"2026": nil}, "point": []float64{1, 2}}).
		AssertOK().AssertSee("1 [[1 2]] map[EUR:9]")
	mcptest.Tool(t, take, mcptest.Args{"tags": []string{"old"}, "grid": [][]int{{-1}, {1, 2, 3}}, "prices": map[string]int{"eur": 10}, "byYear": map[string]bool{"soon": true}, "point": []any{"x"}}).
		AssertError(`/tags/0: must be one of "new", "sale"`, "/grid/0/0: must be an integer of at least 0", "/grid/1: must be an array of at most 2 items",
			"/prices/eur: must be a string that matches ^[A-Z]+$", "/prices/eur: must be an integer of at most 9",
			"/byYear/soon: its name must be an integer from 0 to 65535, as text", "/point/0: must be a number")
}

// An amount of money is a text of its own.
type amount struct{ cents int }

func (a amount) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", a.cents/100, a.cents%100), nil
}

func (a *amount) UnmarshalText(text []byte) error {
	var whole, cents int
	if _, err := fmt.Sscanf(string(text), "%d.%02d", &whole, &cents); err != nil {
		return err
	}
	if whole > 1000 {
		return tools.Errorf("more than 1000 is too much")
	}
	a.cents = 100*whole + cents
	return nil
}

func (amount) JSONSchema(s *schema.Subschema) { s.String().Pattern(`^\d+\.\d\d$`) }

// A span is an object of its own.
type span struct{ from, to int }

func (s span) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"from":%d,"to":%d}`, s.from, s.to), nil
}

func (s *span) UnmarshalJSON(data []byte) error {
	_, err := fmt.Sscanf(string(data), `{"from":%d,"to":%d}`, &s.from, &s.to)
	return err
}

func (*span) JSONSchema(s *schema.Subschema) {
	object := s.Object()
	object.Integer("from").Required()
	object.Integer("to").Max(9).Required()
}

func TestAFunctionTakesAndReturnsTypesWithTheirOwnJSON(t *testing.T) {
	t.Parallel()
	type in struct {
		Price amount `json:"price"`
	}
	pay := tools.Func("pay", "Pays.", func(_ context.Context, in in) (amount, error) { return amount{in.Price.cents + 1}, nil })
	mcptest.Tool(t, pay, mcptest.Args{"price": "9.90"}).AssertOK().AssertSee(`"9.91"`)
	mcptest.Tool(t, pay, mcptest.Args{"price": "free"}).AssertError(`/price: must be a string that matches ^\d+\.\d\d$`)
	mcptest.Tool(t, pay, mcptest.Args{"price": "1001.00"}).AssertError("The arguments are not valid: /price: more than 1000 is too much")
	mcptest.Tool(t, pay, mcptest.Args{"price": "99999999999999999999.00"}).AssertError("The arguments are not valid: /price is a string that can't be read")

	widen := tools.Func("widen", "Widens.", func(_ context.Context, in span) (*span, error) { return &span{in.from, in.to + 5}, nil })
	client := mcptest.New(t, &server{tools: []servers.Tool{widen}})
	client.Call("widen", mcptest.Args{"from": 1, "to": 2}).AssertOK().AssertStructured(map[string]int{"from": 1, "to": 7})
	client.Call("widen", mcptest.Args{"from": 1, "to": 9}).AssertError("The tool widen failed. The server's log says why (request ") // its own output schema
	client.Call("widen", mcptest.Args{"from": 1}).AssertError("/to: required")
	definition := client.Tools()[0]
	const want = `{"type":"object","properties":{"from":{"type":"integer"},"to":{"type":"integer","maximum":9}},"required":["from","to"],"additionalProperties":false}`
	if string(definition.InputSchema) != want || string(definition.OutputSchema) != want {
		t.Errorf("the schemas are\n%s\n%s", definition.InputSchema, definition.OutputSchema)
	}
	if definition := mcptest.New(t, &server{tools: []servers.Tool{pay}}).Tools()[0]; definition.OutputSchema != nil {
		t.Errorf("a text has the output schema %s", definition.OutputSchema)
	}
}
