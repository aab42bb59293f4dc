package elicitation_test

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/elicitation"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/test/terminaltest"
)

// answer asks a question of a person who types the keys, and returns the result and what the
// screen shows.
func answer(t *testing.T, params, keys string) (result, screen string) {
	t.Helper()
	t.Setenv("CI", "")
	terminal, user := terminaltest.Open(t)
	if _, err := io.WriteString(user, keys); err != nil {
		t.Fatal(err)
	}
	var shown bytes.Buffer
	raw, err := elicitation.Answer(questions.Open(terminal, &shown, false), &shown, []byte(params))
	if err != nil {
		t.Fatalf("%s: %v", params, err)
	}
	return string(raw), shown.String()
}

func form(properties, required string) string {
	return `{"message":"Which one?","requestedSchema":{"type":"object","properties":` + properties + `,"required":[` + required + `]}}`
}

func TestEachFieldOfAFormIsAsked(t *testing.T) {
	for name, test := range map[string]struct{ params, keys, want string }{
		"a text":                   {form(`{"name":{"type":"string","title":"Your name"}}`, `"name"`), "1\n\nAna\n", `{"action":"accept","content":{"name":"Ana"}}`},
		"a text that is left out":  {form(`{"name":{"type":"string"}}`, ""), "1\n\n", `{"action":"accept","content":{}}`},
		"a default":                {form(`{"name":{"type":"string","default":"Bo"}}`, `"name"`), "1\n\n", `{"action":"accept","content":{"name":"Bo"}}`},
		"a number":                 {form(`{"age":{"type":"integer"}}`, `"age"`), "1\nold\n7\n", `{"action":"accept","content":{"age":7}}`},
		"yes":                      {form(`{"wet":{"type":"boolean"}}`, `"wet"`), "1\n1\n", `{"action":"accept","content":{"wet":true}}`},
		"no is the default":        {form(`{"wet":{"type":"boolean","default":false}}`, ""), "1\n1\n", `{"action":"accept","content":{"wet":false}}`},
		"an option":                {form(`{"color":{"type":"string","enum":["red","blue"]}}`, `"color"`), "1\n2\n", `{"action":"accept","content":{"color":"blue"}}`},
		"an option with a title":   {form(`{"color":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"b","title":"Blue"}],"default":"b"}}`, ""), "1\n1\n", `{"action":"accept","content":{"color":"b"}}`},
		"no option":                {form(`{"color":{"type":"string","enum":["red","blue"]}}`, ""), "1\n3\n", `{"action":"accept","content":{}}`},
		"several options":          {form(`{"tags":{"type":"array","items":{"type":"string","enum":["a","b","c"]},"default":["c"]}}`, ""), "1\n1\n0\n", `{"action":"accept","content":{"tags":["a","c"]}}`},
		"fields in their order":    {form(`{"z":{"type":"string"},"a":{"type":"string"}}`, `"a","z"`), "1\nfirst\nsecond\n", `{"action":"accept","content":{"z":"first","a":"second"}}`},
		"no fields":                {`{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}`, "1\n", `{"action":"accept","content":{}}`},
		"a person who declines":    {form(`{"name":{"type":"string"}}`, ""), "2\n", `{"action":"decline"}`},
		"a person who cancels":     {form(`{"name":{"type":"string"}}`, ""), "3\n", `{"action":"cancel"}`},
		"the end of the input":     {form(`{"name":{"type":"string"}}`, `"name"`), "1\n\x04", `{"action":"cancel"}`},
		"a page":                   {`{"mode":"url","message":"Log in","url":"https://example.com/x"}`, "1\n", `{"action":"accept"}`},
		"a page that isn't opened": {`{"mode":"url","message":"Log in","url":"https://example.com/x"}`, "2\n", `{"action":"decline"}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got, screen := answer(t, test.params, test.keys); got != test.want {
				t.Errorf("the result is %s, want %s; the screen shows\n%s", got, test.want, screen)
			}
		})
	}
}

// padding fills the lines of a title to one width.
var padding = regexp.MustCompile(` +\n`)

func TestTheScreenShowsTitlesAndDescriptionsOfChoices(t *testing.T) {
	for name, test := range map[string]struct{ params, keys, want, screen string }{
		"oneOf": {
			form(`{"rope":{"type":"string","title":"Rope","description":"What it is made of.","oneOf":[{"const":"pa","title":"Nylon","description":"stretches"},{"const":"pe","title":"Polyester"}]}}`, `"rope"`),
			"1\n2\n", `{"action":"accept","content":{"rope":"pe"}}`, "Rope \nWhat it is made of. Enter alone means 1. \n1. Nylon: stretches\n2. Polyester\n",
		},
		"enumNames": {
			form(`{"rope":{"type":"string","enum":["pa","pe"],"enumNames":["Nylon","Polyester"]}}`, `"rope"`),
			"1\n1\n", `{"action":"accept","content":{"rope":"pa"}}`, "rope Enter alone means 1. \n1. Nylon\n2. Polyester\n",
		},
		"several of anyOf": {
			form(`{"rope":{"type":"array","description":"All that float.","items":{"anyOf":[{"const":"pa","title":"Nylon"},{"const":"pp","title":"Polypropylene","description":"floats"}]}}}`, `"rope"`),
			"1\n2\n0\n", `{"action":"accept","content":{"rope":["pp"]}}`, "rope \nAll that float. \nSelect up to 2 options.\n1.   Nylon\n2.   Polypropylene: floats\n",
		},
		"yes or no": {
			form(`{"wet":{"type":"boolean","title":"Wet","description":"A wet rope slips."}}`, `"wet"`),
			"1\n2\n", `{"action":"accept","content":{"wet":false}}`, "Wet \nA wet rope slips. Enter alone means 1. \n1. Yes\n2. No\n",
		},
		"a message of two lines": {`{"message":"Go on?\nIt takes a minute.\u001b[2J"}`, "1\n", `{"action":"accept","content":{}}`, "Go on? \n\"It takes a minute.\\x1b[2J\" Enter alone means 1. \n1. Accept\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, screen := answer(t, test.params, test.keys)
			screen = padding.ReplaceAllString(screen, " \n")
			if got != test.want || !strings.Contains(screen, test.screen) {
				t.Errorf("the result is %s, want %s; the screen shows %q, want %q", got, test.want, screen, test.screen)
			}
		})
	}
}

func TestTheScreenShowsTheURLAndNoControlCharacters(t *testing.T) {
	_, screen := answer(t, `{"mode":"url","message":"Log\u001b[31m in","url":"https://example.com/\u001b[2J"}`, "2\n")
	if !strings.Contains(screen, `"https://example.com/\x1b[2J"`) || strings.Contains(screen, "\x1b[31m in") {
		t.Errorf("the screen shows %q", screen)
	}
}
