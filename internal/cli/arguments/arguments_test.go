package arguments_test

import (
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
		`{"name":`:           `begins as a JSON object, but isn't one`,
		`{"a":1,"a":2}`:      `begins as a JSON object, but isn't one`,
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
	if got, err := arguments.Texts([]string{"code", "level"}, []string{"level=3", "code={}"}); string(got) != `{"level":"3","code":"{}"}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := arguments.Texts([]string{"code"}, []string{"cod=x"}); err == nil || err.Error() != `there is no argument "cod"; did you mean "code"?` {
		t.Errorf("the error is %v", err)
	}
}
