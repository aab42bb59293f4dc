package clientrules_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/clientrules"
)

func TestIgnoredRulesAndSmallLossesDoNotCount(t *testing.T) {
	t.Parallel()
	l := list("", argument(`{"type":"array","enum":[1]}`), false)
	for _, test := range []struct {
		ignored []string
		least   clientrules.Loss
		want    string
	}{
		{nil, 0, "array-without-items enum-not-string openai-strict"},
		{nil, clientrules.LosesTool, "array-without-items enum-not-string"},
		{[]string{"enum-not-string", "openai-strict"}, 0, "array-without-items"},
	} {
		l.Ignored, l.Least = test.ignored, test.least
		ids := map[string]bool{}
		for _, finding := range clientrules.Check(l) {
			ids[finding.Rule.ID] = true
		}
		for _, id := range strings.Fields(test.want) {
			if !ids[id] {
				t.Errorf("ignoring %q from %v on: %s is missing in %v", test.ignored, test.least, id, ids)
			}
		}
		if len(ids) != len(strings.Fields(test.want)) {
			t.Errorf("ignoring %q from %v on: the findings are %v, want %s", test.ignored, test.least, ids, test.want)
		}
	}
}

// Refusals are reported at each place, advice once for each tool.
func TestARefusalIsReportedAtEachPlace(t *testing.T) {
	t.Parallel()
	l := list("", root(`"type":"object","properties":{"a":{"type":"array"},"b/c":{"type":"array"},"d":{},"e":{}}`), false)
	places := ""
	for _, finding := range clientrules.Check(l) {
		if finding.Rule.ID == "array-without-items" || finding.Rule.ID == "type-missing" {
			places += finding.At + " "
		}
	}
	if want := "/inputSchema/properties/a /inputSchema/properties/b~1c /inputSchema/properties/d "; places != want {
		t.Errorf("the places are %s, want %s", places, want)
	}
}

func TestAReferenceThatLeadsNowhereIsFound(t *testing.T) {
	t.Parallel()
	for ref, bad := range map[string]bool{
		"#/$defs/a": false, "#/$defs/b%20c": false, "#anchor": false, "#/x-own/y": false, "#/$defs/x": true, "https://example.com/a": true, "#": true,
		"#/properties/q": true, "#/properties": true,
	} {
		schema := fmt.Sprintf(`{"type":"object","properties":{"q":{"items":{"$ref":%q}}},"$defs":{"a":{},"b c":{}},"x-own":{"y":{}}}`, ref)
		if found := about("output-reference", clientrules.Check(list("", result(schema), true))); (len(found) > 0) != bad {
			t.Errorf("the reference %s has the findings %+v", ref, found)
		}
	}
}

// Entries of a stranger's list may be anything that is JSON.
func TestEntriesThatAreNotToolsAreChecked(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{
		``, `null`, `[]`, `"x"`, `{}`, `{"name":1,"description":{"a":1},"inputSchema":[],"outputSchema":3}`, `{"name":"","inputSchema":{"properties":[],"required":{},"enum":{},"type":{}}}`,
		`{"name":"a","inputSchema":{"type":[1],"items":[true],"anyOf":{},"$ref":1,"$schema":1,"exclusiveMinimum":null,"const":null}}`,
		`{`, `{"name"`, `{"name":"a","inputSchema":{"type"`, `{"name":"a","inputSchema":{"properties":{"a":{"additionalProperties":fals}}}}`, `{"name":"a","inputSchema":{"x":[}}`, // no JSON
		`{"name":"a","inputSchema":{"properties":{"a":1,"b":"x","c":null}},"outputSchema":{"$ref":1,"properties":{"$ref":{"$ref":"#/%zz"}}}}`,
	} {
		clientrules.Check(list("", []string{entry}, false)) // must not panic
	}
}

func TestNamesOfArgumentsHave64Characters(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]int{0: 1, 1: 0, 64: 0, 65: 1} {
		schema := fmt.Sprintf(`"type":"object","properties":{%q:{"type":"string"}}`, strings.Repeat("a", length))
		if found := about("property-name", clientrules.Check(list("", root(schema), true))); len(found) != want {
			t.Errorf("a name of %d characters has the findings %+v", length, found)
		}
	}
}

// The work is bounded by the size of the list, and so are the findings.
func TestALargeListIsCheckedInTime(t *testing.T) {
	t.Parallel()
	var definitions strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&definitions, `"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
	}
	var properties strings.Builder
	for i := range 500 {
		fmt.Fprintf(&properties, `"p%d":%s{}%s,`, i, strings.Repeat(`{"properties":{"a":`, 60), strings.Repeat(`}}`, 60))
	}
	l := list("", append(result(`{"$defs":{`+definitions.String()+`"d20000":{}}}`), root(`"properties":{`+properties.String()+`"b":{}}`)...), false)
	names := strings.Builder{}
	for i := range 100_000 {
		fmt.Fprintf(&names, `,"p%d"`, i)
	}
	l.Tools = append(l.Tools, []byte(root(`"properties":{"a":{}` + strings.ReplaceAll(names.String(), `",`, `":{},`) + `:{}},"required":["a"` + names.String() + `]`)[0]))
	for range 3000 {
		l.Tools = append(l.Tools, []byte(argument(`{"type":"array"}`)[0]))
	}
	start := time.Now()
	if found := clientrules.Check(l); len(found) != 1000 {
		t.Errorf("there are %d findings", len(found))
	}
	if took := time.Since(start); took > 20*time.Second { // a second, if nothing else runs
		t.Errorf("the check took %v", took)
	}
}

func TestTheRefusalsOfARuleAreWords(t *testing.T) {
	t.Parallel()
	if got := clientrules.RefusedBy([]clientrules.Refusal{{Client: clientrules.Gemini, Loses: clientrules.LosesList}, {Client: clientrules.VSCode, Loses: clientrules.LosesTool}}); got != "Gemini API (the whole list), VS Code (the tool)" {
		t.Errorf("the refusals are %s", got)
	}
}
