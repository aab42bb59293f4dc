package arguments_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/arguments"
)

const schema = `{"type":"object","additionalProperties":false,"properties":{
	"name":{"type":"string"}, "count":{"type":"integer"}, "price":{"type":"number"}, "wet":{"type":"boolean"},
	"tags":{"type":"array","items":{"type":"string"}}, "sizes":{"type":"array","items":{"type":"integer"}},
	"place":{"type":"object"}, "any":{}, "limit":{"type":["integer","null"]}, "id":{"type":["string","integer"]},
	"shared":{"$ref":"#/$defs/shared"}, "loop":{"$ref":"#/$defs/loop"},
	"choice":{"anyOf":[{"type":"boolean"},{"type":"null"}]}, "level":{"enum":[1,2]}, "color":{"enum":["red","blue"]}},
	"$defs":{"shared":{"type":"number"},"loop":{"$ref":"#/$defs/loop"}}}`

func TestAPairIsConvertedToTheTypeOfItsProperty(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"":                           `{}`,
		"name=Ana":                   `{"name":"Ana"}`,
		"name=":                      `{"name":""}`,
		"name=3":                     `{"name":"3"}`,
		`name="quoted"`:              `{"name":"\"quoted\""}`,
		"name=a=b":                   `{"name":"a=b"}`,
		"count=3":                    `{"count":3}`,
		"count=12345678901234567890": `{"count":12345678901234567890}`,
		"price=-1.5e3 wet=false":     `{"price":-1.5e3,"wet":false}`,
		`tags=["a","b"]`:             `{"tags":["a","b"]}`,
		"tags=a":                     `{"tags":["a"]}`,
		"tags=a name=x tags=b":       `{"tags":["a","b"],"name":"x"}`,
		"sizes=1 sizes=2":            `{"sizes":[1,2]}`,
		`place={"city":"Bern"}`:      `{"place":{"city":"Bern"}}`,
		"any=3":                      `{"any":3}`,
		"any=three":                  `{"any":"three"}`,
		"limit=null":                 `{"limit":null}`,
		"id=7":                       `{"id":7}`,
		"id=x7":                      `{"id":"x7"}`,
		"shared=1.5":                 `{"shared":1.5}`,
		"loop=x":                     `{"loop":"x"}`,
		"choice=true":                `{"choice":true}`,
		"level=2 color=red":          `{"level":2,"color":"red"}`,
	} {
		got, err := arguments.Parse([]byte(schema), strings.Fields(words))
		if string(got) != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", words, got, err, want)
		}
	}
}

const composed = `{"type":"object","additionalProperties":false,"properties":{
	"tags":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},
	"sizes":{"oneOf":[{"type":"null"},{"$ref":"#/$defs/sizes"}]},
	"names":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/name"},{"type":"null"}]}},
	"either":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]},
	"amount":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]},
	"place":{"anyOf":[{"$ref":"#/$defs/place"},{"type":"null"}]},
	"wet":{"allOf":[{"$ref":"#/$defs/switch"},{"type":["boolean","string"]}]},
	"narrow":{"$ref":"#/$defs/either","type":"integer"},
	"open":{"anyOf":[{"type":"integer"},{}]},
	"path":{"$ref":"#/$defs/a~1b%20c"}, "root":{"$ref":"#"}, "gone":{"$ref":"#/$defs/missing"}, "far":{"$ref":"https://example.com/x"},
	"node":{"$ref":"#/$defs/node"}, "json":{"$ref":"#/$defs/json"}, "contrary":{"type":"string","enum":[1]}, "pair":{"enum":[[1,2],[3,4]]}},
	"$defs":{"sizes":{"type":"array","items":{"$ref":"#/$defs/size"}},"size":{"type":"integer"},"name":{"type":"string"},
		"place":{"type":"object"},"switch":{"type":["boolean","null"]},"either":{"type":["string","integer"]},"a/b c":{"type":"number"},
		"node":{"type":"array","items":{"$ref":"#/$defs/node"}},
		"json":{"anyOf":[{"type":["string","number","null"]},{"type":"array","items":{"$ref":"#/$defs/json"}}]}}}`

func TestAPairIsConvertedByReferencesAndAlternatives(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"tags=3":             `{"tags":["3"]}`,
		"tags=a tags=null":   `{"tags":["a","null"]}`,
		`tags=["a"]`:         `{"tags":["a"]}`,
		"tags=null":          `{"tags":null}`,
		"sizes=3":            `{"sizes":[3]}`,
		"sizes=3 sizes=4":    `{"sizes":[3,4]}`,
		"names=3 names=null": `{"names":["3",null]}`,
		"either=a":           `{"either":"a"}`,
		"either=a either=3":  `{"either":["a","3"]}`,
		"amount=3":           `{"amount":3}`,
		"amount=3 amount=4":  `{"amount":[3,4]}`,
		`place={"city":"B"}`: `{"place":{"city":"B"}}`,
		"place=null":         `{"place":null}`,
		"wet=true":           `{"wet":true}`,
		"narrow=3":           `{"narrow":3}`,
		"open=x":             `{"open":"x"}`,
		"open=3":             `{"open":3}`,
		"path=1.5":           `{"path":1.5}`,
		"root={}":            `{"root":{}}`,
		"gone=3 far=x":       `{"gone":3,"far":"x"}`,
		"node=[[]]":          `{"node":[[]]}`,
		"json=3":             `{"json":3}`,
		"json=[3]":           `{"json":[3]}`,
		"json=a json=3":      `{"json":["a",3]}`,
		"contrary=3":         `{"contrary":3}`,
		"pair=[1,2]":         `{"pair":[1,2]}`,
	} {
		got, err := arguments.Parse([]byte(composed), strings.Fields(words))
		if string(got) != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", words, got, err, want)
		}
	}
	for words, want := range map[string]string{
		"sizes=x":          `an element of the argument "sizes" must be a number, not "x"`,
		"amount=x":         `an element of the argument "amount" must be a number, not "x"`,
		"place=Bern":       `the argument "place" must be an object in JSON or null, not "Bern"`,
		"wet=null":         `the argument "wet" must be true or false, not "null"`,
		"narrow=x":         `the argument "narrow" must be a number, not "x"`,
		"wet=true wet=yes": `the argument "wet" is given several times, but isn't an array`,
	} {
		if got, err := arguments.Parse([]byte(composed), strings.Fields(words)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %s, %v, want %s", words, got, err, want)
		}
	}
}

// Without a memory of the references, each of these takes longer than anyone waits.
func TestReferencesThatLeadBackEnd(t *testing.T) {
	t.Parallel()
	var defs strings.Builder
	for i := range 60 {
		fmt.Fprintf(&defs, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	schema := `{"type":"object","properties":{"wide":{"$ref":"#/$defs/d0"},"self":{"$ref":"#/$defs/self"},"ring":{"$ref":"#/$defs/ring"}},"$defs":{` +
		defs.String() + `"d60":{"type":"integer"},
		"self":{"anyOf":[{"$ref":"#/$defs/self"},{"$ref":"#/$defs/self"},{"$ref":"#/$defs/self"},{"type":"boolean"}]},
		"ring":{"$ref":"#/$defs/gnir"},"gnir":{"$ref":"#/$defs/ring"}}}`
	got, err := arguments.Parse([]byte(schema), []string{"wide=3", "self=true", "ring=x"})
	if want := `{"wide":3,"self":true,"ring":"x"}`; string(got) != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := arguments.Parse([]byte(schema), []string{"wide=x"}); err == nil || err.Error() != `the argument "wide" must be a number, not "x"` {
		t.Errorf("the error is %v", err)
	}
}

func TestAJSONObjectIsNotChanged(t *testing.T) {
	t.Parallel()
	const object = `{"count": "three", "unknown": [1.0]}`
	if got, err := arguments.Parse([]byte(schema), []string{" " + object + "\n"}); string(got) != object || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestAWrongArgumentIsNamed(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"naem=Ana":           `there is no argument "naem"; did you mean "name"?`,
		"zzz=1":              `there is no argument "zzz"; there are: "name", "count"`,
		"count=three":        `the argument "count" must be a number, not "three"`,
		"wet=yes":            `the argument "wet" must be true or false, not "yes"`,
		"limit=x":            `the argument "limit" must be a number or null, not "x"`,
		"place=Bern":         `the argument "place" must be an object in JSON, not "Bern"`,
		`place={"city"`:      `the argument "place" must be an object in JSON`,
		"sizes=1 sizes=x":    `an element of the argument "sizes" must be a number, not "x"; write the array as JSON, or one pair for each element`,
		"tags=[1":            `the argument "tags" must be an array in JSON, not "[1"`,
		"name=a name=b":      `the argument "name" is given several times, but isn't an array`,
		"Ana":                `the argument "Ana" is neither NAME=VALUE nor the only argument, a JSON object`,
		"=3":                 `the argument "=3" is neither`,
		`{"name":"x"} wet=1`: `the argument "{\"name\":\"x\"}" is neither`,
		`{"name":`:           `the argument "{\"name\":" begins as a JSON object, but isn't one: its end is missing`,
		`{"a":1,"a":2}`:      `begins as a JSON object, but isn't one: a name is there twice, or a text isn't UTF-8`,
		`{'a':1}`:            `begins as a JSON object, but isn't one: the mistake is at "'a':1}"`,
		`{"a":1}}`:           `begins as a JSON object, but isn't one: the mistake is at "}"`,
		"{\"a\":\"\xff\"}":   `begins as a JSON object, but isn't one: a name is there twice, or a text isn't UTF-8`,
	} {
		if _, err := arguments.Parse([]byte(schema), strings.Fields(words)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", words, err, want)
		}
	}
	if _, err := arguments.Parse([]byte(`{"type":"object","properties":{}}`), []string{"a=1"}); err == nil || err.Error() != `there is no argument "a": it takes none` {
		t.Errorf("without properties: %v", err)
	}
}

func TestAnOpenSchemaTakesOtherNames(t *testing.T) {
	t.Parallel()
	for _, open := range []string{`{}`, `{"type":"object"}`, `{"properties":{"a":{}},"additionalProperties":true}`, `{"properties":{},"patternProperties":{"^x-":{}}}`} {
		if got, err := arguments.Parse([]byte(open), []string{"x-count=3"}); string(got) != `{"x-count":3}` || err != nil {
			t.Errorf("%s: %s, %v", open, got, err)
		}
	}
}

func TestTheArgumentsOfAPromptAreTexts(t *testing.T) {
	t.Parallel()
	schema := arguments.Texts([]arguments.Text{{Name: "code", Description: "What to review.", Required: true}, {Name: "level"}})
	if got, err := arguments.Parse(schema, []string{"level=3", "code={}"}); string(got) != `{"level":"3","code":"{}"}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := arguments.Parse(schema, []string{"cod=x"}); err == nil || err.Error() != `there is no argument "cod"; did you mean "code"?` {
		t.Errorf("the error is %v", err)
	}
	if got, want := arguments.Missing(schema, []string{"level=3"}), []arguments.Argument{{Name: "code", Description: "What to review."}}; !reflect.DeepEqual(got, want) {
		t.Errorf("missing are %v, want %v", got, want)
	}
}

func TestRequiredArgumentsThatAreMissingAreFound(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","required":["name","wet","color","size","gone"],"properties":{
		"name":{"type":"string","description":"Whose."},"wet":{"$ref":"#/$defs/wet"},"color":{"$ref":"#/$defs/color"},"size":{"enum":[1,2]},
		"free":{"type":"string"}},"$defs":{"wet":{"type":"boolean"},"color":{"$ref":"#/$defs/colors"},"colors":{"enum":["red","blue"]}}}`
	all := []arguments.Argument{
		{Name: "name", Description: "Whose."}, {Name: "wet", Values: []string{"true", "false"}},
		{Name: "color", Values: []string{"red", "blue"}}, {Name: "size", Values: []string{"1", "2"}}, {Name: "gone"},
	}
	for words, want := range map[string][]arguments.Argument{
		"":                                     all,
		"free=x":                               all,
		"name= wet=true":                       all[2:],
		"name=x wet=true color=x size=3 gone=": nil,
		`{}`:                                   nil,
		"name":                                 nil, // no pair: Parse says so
	} {
		if got := arguments.Missing([]byte(schema), strings.Fields(words)); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: missing are %v, want %v", words, got, want)
		}
	}
	if got := arguments.Missing([]byte(`{}`), nil); got != nil {
		t.Errorf("without a schema, missing are %v", got)
	}
}
