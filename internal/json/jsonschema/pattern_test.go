package jsonschema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/json/jsonschema"
)

func TestNamesMatchPatternsOfECMA262(t *testing.T) {
	t.Parallel()
	names, problems := jsonschema.Compile([]byte(`{"patternProperties":{"^\\u0061\\s$":{"type":"string"}},"additionalProperties":false}`), jsonschema.Options{})
	if problems != nil || names.Validate([]byte(`{"a\u00a0":""}`)) != nil || names.Validate([]byte(`{"b ":""}`)) == nil {
		t.Errorf("the pattern of names is %v", problems)
	}
}

func TestAPatternThatIsNotValidIsAMistake(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{`(?`: `the pattern "(?" is not valid`, `(?=a)`: "has no look-around such as (?="} {
		_, problems := jsonschema.Compile([]byte(`{"pattern":"`+pattern+`"}`), jsonschema.Options{})
		if !strings.Contains(fmt.Sprint(problems), want) {
			t.Errorf("%s: %v, want %s", pattern, problems, want)
		}
	}
}

// The time of a match is proportional to the text and to the 1805 instructions of the pattern.
const costly = `,[^;]{0,900};$`

func TestWorkOfPatternsIsLimited(t *testing.T) {
	t.Parallel()
	commas := strings.Repeat(",", 2_000_000)
	var names []string
	for i := range 5_000 {
		names = append(names, fmt.Sprintf(`"%d%s":1`, i, commas[:20]))
	}
	for name, test := range map[string]struct{ schema, data string }{
		"a text":            {`{"pattern":"` + costly + `"}`, `"` + commas + `"`},
		"many texts":        {`{"items":{"pattern":"` + costly + `"}}`, `["` + strings.Repeat(`,;","`, 100_000) + `,;"]`},
		"empty texts":       {`{"items":{"not":{"pattern":"` + costly + `"}}}`, `[` + strings.Repeat(`"",`, 200_000) + `""]`},
		"contains":          {`{"contains":{"pattern":"` + costly + `"}}`, `[1,"` + commas + `"]`},
		"a member":          {`{"anyOf":[{"pattern":"` + costly + `"},true]}`, `"` + commas + `"`},
		"patternProperties": {`{"patternProperties":{"` + costly + `":true}}`, "{" + strings.Join(names, ",") + "}"},
		"propertyNames":     {`{"propertyNames":{"not":{"pattern":"` + costly + `"}}}`, "{" + strings.Join(names, ",") + "}"},
	} {
		got := compile(t, test.schema).Validate([]byte(test.data))
		if len(got) != 1 || got[0].Rule != "work" || !strings.Contains(got[0].Expected, "the pattern "+costly) {
			t.Errorf("%s: the work of a pattern results in %.300v, want one violation of work", name, got)
		}
	}
}

func TestAPatternOfUsualSizeMatchesAnyText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 4<<20)
	for _, test := range []struct{ schema, data string }{
		{`{"pattern":"^data:[a-z]+/[a-z]{1,9};base64,[A-Za-z0-9+/]*={0,2}$"}`, `"data:image/png;base64,` + long + `"`},
		{`{"items":{"pattern":"^[a-zA-Zäöü -]{1,255}$"}}`, `["` + strings.Repeat(long[:250]+`","`, 200) + `a"]`},
		{`{"items":{"pattern":"^([a-z0-9]{1,20}-?)?$"}}`, `["` + strings.Repeat(`","`, 1<<20) + `"]`},
	} {
		if got := compile(t, test.schema).Validate([]byte(test.data)); got != nil {
			t.Errorf("%s: %v", test.schema, got)
		}
	}
}

func TestATextThatIsTooLongIsNotMatched(t *testing.T) {
	t.Parallel()
	v, problems := jsonschema.Compile([]byte(`{"type":"string","maxLength":100,"pattern":"^a+$"}`), jsonschema.Options{
		Checks: map[string]jsonschema.Checks{"": {Format: "date", String: func(string) error {
			t.Error("a check runs for a text that is too long")
			return nil
		}}},
	})
	if problems != nil {
		t.Fatal(problems)
	}
	got := v.Validate([]byte(`"` + strings.Repeat("b", 200) + `"`))
	if len(got) != 1 || got[0].Rule != "maxLength" {
		t.Errorf("a text that is too long results in %v, want only maxLength", got)
	}
}
