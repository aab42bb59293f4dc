package clientrules_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/clientrules"
)

// An example is a list that breaks one rule, and the nearest list that doesn't.
type example struct {
	server        string
	broken, sound []string
	at            string // where the rule is broken
	soundIsModern bool
}

const search = `"name":"search"`

func named(name string) []string {
	return []string{fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{},"additionalProperties":false}}`, name)}
}

func many(n int) (definitions []string) {
	for i := range n {
		definitions = append(definitions, named(fmt.Sprintf("tool%d", i))...)
	}
	return definitions
}

func described(length int) []string {
	return []string{fmt.Sprintf(`{%s,"description":%q,"inputSchema":{"type":"object","properties":{}}}`, search, strings.Repeat("ä", length))}
}

// root returns a tool whose schema has more keywords at the root.
func root(keywords string) []string {
	return []string{`{` + search + `,"inputSchema":{` + keywords + `}}`}
}

// argument returns a tool with one argument, q, of a schema.
func argument(schema string) []string {
	return root(`"type":"object","properties":{"q":` + schema + `}`)
}

// result returns a tool with an output schema.
func result(schema string) []string {
	return []string{`{` + search + `,"inputSchema":{"type":"object","properties":{}},"outputSchema":` + schema + `}`}
}

func examples() map[string]example {
	const text = `{"type":"string"}`
	return map[string]example{
		"tool-name-characters":          {broken: named("notes.search"), sound: named("notes_search-2"), at: "/name"},
		"tool-name-start":               {broken: named("2fa"), sound: named("_2fa"), at: "/name"},
		"tool-name-over-64":             {broken: named(strings.Repeat("a", 65)), sound: named(strings.Repeat("a", 64)), at: "/name"},
		"tool-name-with-prefix-over-64": {server: "demo", broken: named(strings.Repeat("a", 54)), sound: named(strings.Repeat("a", 53)), at: "/name"},
		"tool-name-with-server-over-59": {server: "demo", broken: named(strings.Repeat("a", 56)), sound: named(strings.Repeat("a", 55)), at: "/name"},
		"tool-name-repeated":            {broken: append(named("a"), named("a")...), sound: append(named("a"), named("A")...), at: "/name"},
		"tools-over-80":                 {broken: many(81), sound: many(80)},
		"tools-over-100":                {broken: many(101), sound: many(100)},
		"tools-over-128":                {broken: many(129), sound: many(128)},
		"input-not-object":              {broken: root(`"properties":{}`), sound: root(`"type":"object","properties":{}`), at: "/inputSchema"},
		"input-combination": {
			broken: root(`"type":"object","properties":{"a":` + text + `,"b":` + text + `},"anyOf":[{"required":["a"]},{"required":["b"]}]`),
			sound:  argument(`{"type":"object","properties":{"a":` + text + `},"anyOf":[{"type":"object"}]}`), at: "/inputSchema/anyOf",
		},
		"input-without-properties": {broken: root(`"type":"object"`), sound: root(`"type":"object","properties":{}`), at: "/inputSchema"},
		"input-reference": {
			broken: root(`"type":"object","properties":{"q":{"$ref":"#/$defs/a"}},"$defs":{"a":` + text + `}`),
			sound:  root(`"type":"object","properties":{"$ref":` + text + `},"$defs":{"a":` + text + `}`), at: "/inputSchema/properties/q/$ref",
		},
		"property-name": {
			broken: root(`"type":"object","properties":{"a[]":` + text + `}`),
			sound:  root(`"type":"object","properties":{"q":{"type":"object","properties":{"a[]":` + text + `}},"` + strings.Repeat("a", 64) + `":` + text + `}`), at: "/inputSchema/properties/a[]",
		},
		"array-without-items": {
			broken: argument(`{"anyOf":[{"type":["array","null"]},{"type":"string"}]}`),
			sound:  argument(`{"anyOf":[{"type":["array","null"],"items":{}},{"type":"string"}]}`), at: "/inputSchema/properties/q/anyOf/0",
		},
		"boolean-schema": {
			broken: result(`{"type":"object","properties":{"result":true}}`),
			sound:  result(`{"type":"object","properties":{"result":{}},"additionalProperties":true}`), at: "/outputSchema/properties/result",
		},
		"enum-not-string":   {broken: argument(`{"enum":["a",1]}`), sound: argument(`{"enum":["a",null]}`), at: "/inputSchema/properties/q/enum"},
		"enum-empty-string": {broken: argument(`{"type":"string","enum":["a",""]}`), sound: argument(`{"type":"string","enum":["a"," "]}`), at: "/inputSchema/properties/q/enum"},
		"required-undeclared": {
			broken: argument(`{"type":"array","items":{"type":"object","required":["a"]}}`),
			sound:  argument(`{"type":"array","items":{"type":"object","properties":{"a":` + text + `},"required":["a"]}}`), at: "/inputSchema/properties/q/items/required",
		},
		"bound-boolean": {
			broken: argument(`{"type":"integer","minimum":0,"exclusiveMinimum":true}`), sound: argument(`{"type":"integer","exclusiveMinimum":0}`),
			at: "/inputSchema/properties/q/exclusiveMinimum",
		},
		"output-not-object": {
			broken: result(`{"type":["object","null"]}`), sound: result(`{"type":["object","null"]}`), soundIsModern: true, at: "/outputSchema",
		},
		"output-reference": {
			broken: result(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/b"}}},"b":{"items":{"$ref":"#/$defs/a"}}}}`),
			sound:  result(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/b"},"c":{"$ref":"#/$defs/b"}}},"b":{"items":{"type":"string"}}}}`),
			at:     "/outputSchema/$defs/a/properties/b",
		},
		"output-dialect": {
			broken: result(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{}}`),
			sound:  root(`"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{}`), at: "/outputSchema/$schema",
		},
		"input-dialect": {
			broken: root(`"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{}`),
			sound:  root(`"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{}`), at: "/inputSchema/$schema",
		},
		"type-list":                 {broken: argument(`{"type":["string","null"]}`), sound: argument(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), at: "/inputSchema/properties/q/type"},
		"type-missing":              {broken: argument(`{"description":"anything"}`), sound: root(`"type":"object","properties":{"q":{"const":"a"},"r":{"type":"string","allOf":[{"minLength":3}]}}`), at: "/inputSchema/properties/q"},
		"object-without-properties": {broken: argument(`{"type":"object"}`), sound: argument(`{"type":"object","properties":{"a":` + text + `}}`), at: "/inputSchema/properties/q"},
		"description-over-1024":     {broken: described(1025), sound: described(1024), at: "/description"},
		"gemini-subset":             {broken: argument(`{"type":"string","format":"email"}`), sound: argument(`{"type":"string","format":"date-time","maxLength":9}`), at: "/inputSchema/properties/q"},
		"gemini-property-name": {
			broken: root(`"type":"object","properties":{"user-id":` + text + `}`), sound: root(`"type":"object","properties":{"user_id":` + text + `}`),
			at: "/inputSchema/properties/user-id",
		},
		"openai-strict": {
			broken: root(`"type":"object","properties":{"q":` + text + `},"additionalProperties":false`),
			sound:  root(`"type":"object","properties":{"q":` + text + `},"required":["q"],"additionalProperties":false`), at: "/inputSchema",
		},
	}
}

func list(server string, definitions []string, modern bool) clientrules.List {
	l := clientrules.List{Server: server, Modern: modern}
	for _, definition := range definitions {
		l.Tools = append(l.Tools, []byte(definition))
	}
	return l
}

// about returns the findings of one rule.
func about(id string, findings []clientrules.Finding) []clientrules.Finding {
	return slices.DeleteFunc(findings, func(f clientrules.Finding) bool { return f.Rule.ID != id })
}

func TestEachRuleIsBrokenByItsExampleOnly(t *testing.T) {
	t.Parallel()
	tried := examples()
	for _, rule := range clientrules.All() {
		test, known := tried[rule.ID]
		if !known {
			t.Errorf("the rule %s has no example", rule.ID)
			continue
		}
		found := about(rule.ID, clientrules.Check(list(test.server, test.broken, false)))
		if len(found) != 1 || found[0].At != test.at || found[0].Problem == "" {
			t.Errorf("%s: the example has the findings %+v, want one at %q", rule.ID, found, test.at)
		}
		if found := about(rule.ID, clientrules.Check(list(test.server, test.sound, test.soundIsModern))); len(found) > 0 {
			t.Errorf("%s: the neighbour of the example has the findings %+v", rule.ID, found)
		}
		delete(tried, rule.ID)
	}
	for id := range maps.Keys(tried) {
		t.Errorf("there is no rule %s", id)
	}
}

// A rule without a source is a guess.
func TestEachRuleHasASource(t *testing.T) {
	t.Parallel()
	source := regexp.MustCompile(`^(https://\S+|[\w.-]+/[\w.-]+#\d+)$`)
	for _, rule := range clientrules.All() {
		if len(rule.Sources) == 0 || slices.ContainsFunc(rule.Sources, func(s string) bool { return !source.MatchString(s) }) {
			t.Errorf("the sources of %s are %q", rule.ID, rule.Sources)
		}
		if rule.Problem == "" || rule.Fix == "" || len(rule.Refusals) == 0 {
			t.Errorf("the rule %s is incomplete: %+v", rule.ID, rule)
		}
		for _, refusal := range rule.Refusals {
			if !slices.Contains(clientrules.Clients(), refusal.Client) {
				t.Errorf("%s: %s isn't in the list of clients", rule.ID, refusal.Client)
			}
			if (refusal.Loses == clientrules.LosesQuality) != (rule.Loss() == clientrules.LosesQuality) {
				t.Errorf("%s mixes advice and refusals", rule.ID)
			}
		}
	}
}

func TestEachClientHasARule(t *testing.T) {
	t.Parallel()
	for _, client := range clientrules.Clients() {
		if !slices.ContainsFunc(clientrules.All(), func(r clientrules.Rule) bool {
			return slices.ContainsFunc(r.Refusals, func(refusal clientrules.Refusal) bool { return refusal.Client == client })
		}) {
			t.Errorf("%s has no rule", client)
		}
	}
}
