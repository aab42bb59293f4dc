package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

type (
	// A Currency is a text of its own, with a description in every form.
	Amount   struct{ *big.Rat }
	Position struct{ Lat, Lon float64 }
	Filter   struct{ Any []Filter }
	Loose    struct{ v any }
	Untrue   struct{ A int }
	Wrong    struct{ A int }
)

func (a Amount) MarshalText() ([]byte, error) { return []byte(a.FloatString(2)), nil }
func (a *Amount) UnmarshalText(text []byte) error {
	var ok bool
	if a.Rat, ok = new(big.Rat).SetString(string(text)); !ok {
		return errors.New("it is no amount")
	}
	return nil
}
func (*Amount) JSONSchema(s *schema.Subschema) {
	s.String().Title("Amount").Description("Such as 9.90.").Pattern(`^\d+\.\d\d$`).Examples("9.90")
}

func (p Position) MarshalJSON() ([]byte, error)  { return json.Marshal([]float64{p.Lat, p.Lon}) }
func (p *Position) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &[]any{&p.Lat, &p.Lon}) }
func (Position) JSONSchema(s *schema.Subschema) {
	s.Numbers().MinItems(2).MaxItems(2).Items().Min(-180).Max(180)
}

func (Filter) JSONSchema(s *schema.Subschema) {
	s.Object().Objects("Any").MinItems(1).Items().Struct(Filter{})
}

func (Loose) MarshalJSON() ([]byte, error)    { return []byte("1"), nil }
func (*Loose) UnmarshalJSON([]byte) error     { return nil }
func (Loose) JSONSchema(s *schema.Subschema)  { s.Raw(`{"type":["integer","string"]}`) }
func (Untrue) JSONSchema(s *schema.Subschema) { s.Object().String("A").Required() }
func (Wrong) JSONSchema(s *schema.Subschema)  { s.Integer().Min(2).Max(1).Required() }

func TestATypeDescribesItself(t *testing.T) {
	t.Parallel()
	type in struct {
		Price  Amount              `json:"price" schema:"description=What it costs."`
		Saved  *Amount             `json:"saved"`
		Places map[string]Position `json:"places"`
		Filter Filter              `json:"filter"`
		Loose  Loose               `json:"loose" schema:"required"`
	}
	const amount = `"title":"Amount","description":%q,"pattern":"^\\d+\\.\\d\\d$","examples":["9.90"]}`
	want := `"price":{"type":"string",` + fmt.Sprintf(amount, "What it costs.") +
		`,"saved":{"type":["string","null"],` + fmt.Sprintf(amount, "Such as 9.90.") +
		`,"places":{"type":"object","properties":{},"additionalProperties":{"type":"array","items":{"type":"number","minimum":-180,"maximum":180},"minItems":2,"maxItems":2}}` +
		`,"filter":{"type":"object","properties":{"Any":{"type":"array","items":{"$ref":"#/$defs/Filter"},"minItems":1}},"additionalProperties":false}` +
		`,"loose":{"type":["integer","string"]}},"required":["price","places","filter","loose"],"additionalProperties":false` +
		`,"$defs":{"Filter":{"type":"object","properties":{"Any":{"type":"array","items":{"$ref":"#/$defs/Filter"},"minItems":1}},"additionalProperties":false}}`
	got := between(t, func(s *schema.Object) { s.Struct(in{}) }, `{"type":"object","properties":{`, `}`)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = between(t, func(s *schema.Object) {
		s.String("price").MinLength(4)
		s.Struct(in{})
	}, `{"type":"object","properties":{`, `}`)
	if !strings.Contains(got, `"pattern":"^\\d+\\.\\d\\d$","minLength":4,`) {
		t.Errorf("a call doesn't add to the description: %s", got)
	}
	if object, err := schema.For(Filter{}); err != nil {
		t.Errorf("the root describes itself: %v", err)
	} else if violations := object.Validate([]byte(`{"Any":[{"Any":[{}]},{}]}`)); violations != nil {
		t.Errorf("the root describes itself: %v", violations)
	} else if violations := object.Validate([]byte(`{"Any":[{"Any":[]}]}`)); len(violations) != 1 || violations[0].Pointer != "/Any/0/Any" {
		t.Errorf("the root describes itself: %v", violations)
	}
}

func TestADescriptionThatTheTypeDoesNotKeepIsAMistake(t *testing.T) {
	t.Parallel()
	for want, of := range map[string]any{
		"/untrue/A: the schema allows a string, but the field A of schema_test.Untrue is of type int; change the type": struct {
			Untrue Untrue `json:"untrue"`
		}{},
		"/wrong: no number is allowed by minimum 2 and maximum 1": struct {
			Wrong Wrong `json:"wrong"`
		}{},
		"the method JSONSchema of schema_test.Wrong says Required; call it where the type is a property": struct {
			Wrong Wrong `json:"wrong"`
		}{},
		"the type schema_test.Amount is not written as a JSON object; use a struct without JSON or text methods, or give it a method JSONSchema": Amount{},
	} {
		if _, err := schema.New().Struct(of).Compile(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// A call that gives a property another type is the program's own business.
	if _, err := func() (*schema.Validator, error) {
		object := schema.New().Struct(struct{ N int }{})
		object.String("N")
		return object.Compile()
	}(); err != nil {
		t.Errorf("a call of another type: %v", err)
	}
}

func TestRecursiveTypesRefer(t *testing.T) {
	t.Parallel()
	type node struct {
		Name string           `json:"name" schema:"minLength=1"`
		Next *node            `json:"next" schema:"description='the next one'"`
		More []node           `json:"more,omitempty" schema:"maxItems=3"`
		Dict map[string]*node `json:"dict,omitempty" schema:"maxProperties=1"`
	}
	const fields = `"name":{"type":"string","minLength":1},"next":{"$ref":"#/$defs/nodeOrNull","description":"the next one"},` +
		`"more":{"type":"array","items":{"$ref":"#/$defs/node"},"maxItems":3},` +
		`"dict":{"type":"object","properties":{},"maxProperties":1,"additionalProperties":{"$ref":"#/$defs/nodeOrNull"}}},` +
		`"required":["name"],"additionalProperties":false`
	object, err := schema.For(node{})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{` + fields + `,"$defs":{"nodeOrNull":{"type":["object","null"],"properties":{` + fields + `},` +
		`"node":{"type":"object","properties":{` + fields + `}}}`
	if got, err := object.MarshalJSON(); err != nil || string(got) != want {
		t.Errorf("got\n%s, %v\nwant\n%s", got, err, want)
	}
	for data, violations := range map[string]string{
		`{"name":"a","next":{"name":"b","next":null,"more":[{"name":"c"}]}}`: "[]",
		`{"name":"a","more":[{"name":"b"},null]}`:                            "[/more/1: must be an object with \"name\", got null]",
		`{"name":"a","next":{"name":"b","next":{"nam":"c"}}}`:                "[/next/next/nam: unknown property; did you mean \"name\"? /next/next/name: required, a string of at least 1 character]",
		`{"name":"a","more":[{"name":"b","more":[{"name":""}]}]}`:            "[/more/0/more/0/name: must be a string of at least 1 character, got 0 characters]",
	} {
		if got := fmt.Sprint(object.Validate([]byte(data))); got != violations {
			t.Errorf("%s: got %s, want %s", data, got, violations)
		}
	}
}

type (
	// Each of these contains all; written out in each other, they need millions of schemas.
	WebA struct{ Web }
	WebB struct{ Web }
	WebC struct{ Web }
	WebD struct{ Web }
	WebE struct{ Web }
	WebF struct{ Web }
	WebG struct{ Web }
	WebH struct{ Web }
	WebI struct{ Web }
	WebJ struct{ Web }
	Web  struct {
		A *WebA
		B *WebB
		C *WebC
		D *WebD
		E *WebE
		F *WebF
		G *WebG
		H *WebH
		I *WebI
		J *WebJ
	}
)

func TestTypesThatContainEachOtherReferToEachOther(t *testing.T) {
	t.Parallel()
	object, err := schema.For(Web{})
	if err != nil {
		t.Fatal(err)
	}
	validator, err := object.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if size := len(validator.Schema()); size > 20_000 {
		t.Errorf("the schema has %d bytes", size)
	}
	if violations := fmt.Sprint(validator.Validate([]byte(`{"A":{"B":{"A":null,"J":{"A":7}}}}`))); violations != "[/A/B/J/A: must be an object or null, got the number 7]" {
		t.Errorf("got %s", violations)
	}
	if err := codec.CheckDecoded(reflect.TypeFor[Web]()); err != nil {
		t.Error(err)
	}
}

// Names in $defs have the characters that all clients take, and are unique.
func TestReferencesHaveNamesThatClientsTake(t *testing.T) {
	t.Parallel()
	type Äste struct{ A []Äste }
	type in struct {
		A Ring[Pair[Count]]
		B Ring[Pair[Octet]]
		C Äste
		D Ring[map[string]*big.Int]
	}
	object, err := schema.For(in{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := object.Compile(); err != nil {
		t.Error(err)
	}
	encoded, err := object.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var root struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(encoded, &root); err != nil || len(root.Defs) != 4 {
		t.Errorf("got %d definitions, %v: %s", len(root.Defs), err, encoded)
	}
	for name := range root.Defs {
		if len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != "" {
			t.Errorf("the name %q", name)
		}
	}
}

func TestCallsCannotDescribeARecursiveTypeInPart(t *testing.T) {
	t.Parallel()
	type node struct {
		Next []*node `json:"next"`
	}
	object := schema.New()
	object.Struct(node{})
	object.Objects("next").Items().String("a")
	if _, err := object.Compile(); err == nil || !strings.Contains(err.Error(), "/properties/next/items: the recursive type schema_test.node is described elsewhere, so that calls can't describe its parts here; drop the calls") {
		t.Errorf("got %v", err)
	}
	if _, err := schema.For(struct {
		Trees map[string]Tree `schema:"values.values.values.minProperties=1"`
	}{}); err == nil || !strings.Contains(err.Error(), "the schema tag has values.minProperties, but the recursive type schema_test.Tree is described elsewhere; write a tag in schema_test.Tree itself") {
		t.Errorf("got %v", err)
	}
}

// A mistake in a type that is in several places is told once.
func TestMistakesInTagsAreToldAtOnceAndOnce(t *testing.T) {
	t.Parallel()
	type inner struct {
		A int  `json:"a, omitempty"`
		B bool `json:"b,string"`
		N []inner
	}
	_, err := schema.New().Struct(struct {
		X inner
		Y []inner
		Z int `json:"z,"`
	}{}).Compile()
	for _, want := range []string{
		`/properties/X: the tag json:"a, omitempty" of the field A of schema_test.inner has a blank beside the option omitempty; write json:"a,omitempty"`,
		`/properties/X: the tag json:"b,string" of the field B of schema_test.inner has the option string, which is for numbers and not for bool; write json:"b"`,
		`has a comma without an option; write json:"z"`,
	} {
		if err == nil || strings.Count(err.Error(), want) != 1 {
			t.Errorf("got\n%v\nwant once\n%s", err, want)
		}
	}
	if err != nil && strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got\n%v", err)
	}
	var definition *schema.DefinitionError
	if !errors.As(err, &definition) || definition.Path != "" && definition.Path != "/properties/X" {
		t.Errorf("got %#v", definition)
	}
}

func TestTheTextOfNumbersIsChecked(t *testing.T) {
	t.Parallel()
	type in struct {
		Small  int8             `json:"small,string,omitempty"`
		Float  *float32         `json:"float,string,omitempty"`
		Single float32          `json:"single,omitempty"`
		ByAge  map[uint8]string `json:"byAge,omitempty" schema:"description='names by age'"`
		ByDay  map[int32]bool   `json:"byDay,omitempty"`
	}
	object, err := schema.For(reflect.TypeFor[*in]())
	if err != nil {
		t.Fatal(err)
	}
	for data, want := range map[string]string{
		`{"small":"-128","float":"1.5e3","single":3.4e38,"byAge":{"0":"a","255":"b"}}`: "[]",
		`{"small":"128"}`:         `[/small: must be an integer from -128 to 127, as text that matches ^(0|-?[1-9][0-9]*)$, got another string]`,
		`{"small":"01"}`:          `[/small: must be an integer from -128 to 127, as text that matches ^(0|-?[1-9][0-9]*)$, got another string]`,
		`{"float":"1e39"}`:        `[/float: must be a number of 32 bits, as text that matches ^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$, got another string]`,
		`{"single":1e39}`:         `[/single: must fit a 32-bit floating-point number]`,
		`{"byAge":{"-1":"a"}}`:    `[/byAge/-1: its name must be an integer from 0 to 255, as text]`,
		`{"byDay":{"x":true}}`:    `[/byDay/x: its name must be an integer from -2147483648 to 2147483647, as text]`,
		`{"byDay":{"x":1,"1":2}}`: `[/byDay/x: its name must be an integer from -2147483648 to 2147483647, as text /byDay/x: must be a boolean, got the number 1 /byDay/1: must be a boolean, got the number 2]`,
	} {
		if got := fmt.Sprint(object.Validate([]byte(data))); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", data, got, want)
		}
	}
	encoded, err := object.MarshalJSON()
	if err != nil || !strings.Contains(string(encoded), `"byAge":{"type":"object","description":"names by age",`) ||
		!strings.Contains(string(encoded), `"byDay":{"type":"object","description":"The name of each member is an integer from -2147483648 to 2147483647, as text.",`) {
		t.Errorf("got %s, %v", encoded, err)
	}
}
