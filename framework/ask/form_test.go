package ask_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/internal/spec"
)

func fields(describe func(form *ask.Fields)) ask.Question { return ask.Form("Please.", describe) }

func TestAFormIsWrittenInTheShapeOfTheVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		describe        func(form *ask.Fields)
		newest, v202506 string // the properties; the older is the same if ""
	}{
		{"nothing", nil, `"properties":{}`, ""},
		{
			"text",
			func(form *ask.Fields) {
				form.String("a").Title("A").Description("First.").MinLength(0).MaxLength(9).Format("email").Default("a@b.c").Required()
				form.String("b").Required()
			},
			`"properties":{"a":{"type":"string","title":"A","description":"First.","minLength":0,"maxLength":9,"format":"email","default":"a@b.c"},"b":{"type":"string"}},"required":["a","b"]`,
			`"properties":{"a":{"type":"string","title":"A","description":"First.","minLength":0,"maxLength":9,"format":"email"},"b":{"type":"string"}},"required":["a","b"]`,
		},
		{
			"numbers",
			func(form *ask.Fields) {
				form.Integer("i").Title("I").Description("Whole.").Min(0).Max(9).Default(0)
				form.Number("n").Title("N").Description("Any.").Min(0.5).Max(1.5).Default(1)
			},
			`"properties":{"i":{"type":"integer","title":"I","description":"Whole.","minimum":0,"maximum":9,"default":0},"n":{"type":"number","title":"N","description":"Any.","minimum":0.5,"maximum":1.5,"default":1}}`,
			`"properties":{"i":{"type":"integer","title":"I","description":"Whole.","minimum":0,"maximum":9},"n":{"type":"number","title":"N","description":"Any.","minimum":0.5,"maximum":1.5}}`,
		},
		{
			"yes or no",
			func(form *ask.Fields) { form.Boolean("b").Title("B").Description("Yes?").Default(false) },
			`"properties":{"b":{"type":"boolean","title":"B","description":"Yes?","default":false}}`, "",
		},
		{
			"defaults of SEP-1034",
			func(form *ask.Fields) {
				form.String("name").Default("John Doe")
				form.Integer("age").Default(30)
				form.Number("score").Default(95.5)
				form.Enum("status", "active", "inactive", "pending").Default("active")
				form.Boolean("verified").Default(true)
			},
			`"properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}`,
			`"properties":{"name":{"type":"string"},"age":{"type":"integer"},"score":{"type":"number"},"status":{"type":"string","enum":["active","inactive","pending"]},"verified":{"type":"boolean","default":true}}`,
		},
		{
			"single choices of SEP-1330",
			func(form *ask.Fields) {
				form.Enum("untitled", "a", "b").Title("U").Description("One.").Required()
				form.Enum("titled").Option("a", "A").Option("b", "B").Default("b")
				form.Enum("mixed", "a").Option("b", "B")
				form.Enum("legacy", "a", "b").EnumNames("A", "B")
			},
			`"properties":{"untitled":{"type":"string","title":"U","description":"One.","enum":["a","b"]},"titled":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}],"default":"b"},"mixed":{"type":"string","oneOf":[{"const":"a","title":"a"},{"const":"b","title":"B"}]},"legacy":{"type":"string","enum":["a","b"],"enumNames":["A","B"]}},"required":["untitled"]`,
			`"properties":{"untitled":{"type":"string","title":"U","description":"One.","enum":["a","b"]},"titled":{"type":"string","enum":["a","b"],"enumNames":["A","B"]},"mixed":{"type":"string","enum":["a","b"],"enumNames":["a","B"]},"legacy":{"type":"string","enum":["a","b"],"enumNames":["A","B"]}},"required":["untitled"]`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			compiled := compile(t, fields(test.describe))
			for _, version := range []spec.Version{modern, v20251125} {
				want := `{"mode":"form","message":"Please.","requestedSchema":{"type":"object",` + test.newest + `}}`
				if got := compiled.Kind.Params([]byte(everything), version); string(got) != want {
					t.Errorf("%s: got\n%s\nwant\n%s", version, got, want)
				}
			}
			older := test.v202506
			if older == "" {
				older = test.newest
			}
			want := `{"message":"Please.","requestedSchema":{"type":"object",` + older + `}}`
			if got := compiled.Kind.Params([]byte(everything), v20250618); string(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestMultipleChoicesOfSEP1330AreEncoded(t *testing.T) {
	t.Parallel()
	got := compile(t, fields(func(form *ask.Fields) {
		form.Enums("untitled", "a", "b").Title("U").Description("Some.").MinItems(1).MaxItems(2).Default("a").Required()
		form.Enums("titled").Option("a", "A").Option("b", "B").Default()
	})).Kind.Params([]byte(everything), modern)
	want := `{"mode":"form","message":"Please.","requestedSchema":{"type":"object","properties":{` +
		`"untitled":{"type":"array","title":"U","description":"Some.","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b"]},"default":["a"]},` +
		`"titled":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},"default":[]}},"required":["untitled"]}}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAFormThatContradictsItselfNamesTheFieldAndTheFix(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		describe func(form *ask.Fields)
		want     string
	}{
		{func(form *ask.Fields) { form.Enum("unit", "c", "f").Default("k") }, `the field "unit": the default is not valid (the value: must be one of "c", "f"`},
		{func(form *ask.Fields) { form.Enum("unit").Option("c", "C").Default("C") }, `the field "unit": the default is not valid`},
		{func(form *ask.Fields) { form.Enum("unit") }, `the field "unit": the enum is empty; list at least one value`},
		{func(form *ask.Fields) { form.Enum("unit", "c", "c") }, `the field "unit": the enum lists "c" twice; list it once`},
		{func(form *ask.Fields) { form.Enum("unit", "c", "f").EnumNames("C") }, `the field "unit": it has 2 values and 1 EnumNames; give each value one`},
		{func(form *ask.Fields) { form.Enum("unit").Option("c", "C").EnumNames("C") }, `the field "unit": it has titles by both Option and EnumNames; drop EnumNames`},
		{func(form *ask.Fields) { form.Enums("units") }, `the field "units": the enum is empty`},
		{func(form *ask.Fields) { form.Enums("units", "c", "f").Default("c", "k") }, `the field "units": the default is not valid (/1: must be one of "c", "f"`},
		{func(form *ask.Fields) { form.Enums("units", "c").MinItems(2).MaxItems(1) }, `the field "units": minItems 2 is greater than maxItems 1`},
		{func(form *ask.Fields) { form.String("a").MinLength(2).MaxLength(1) }, `the field "a": minLength 2 is greater than maxLength 1; swap or change them`},
		{func(form *ask.Fields) { form.String("a").MinLength(2).Default("a") }, `the field "a": the default is not valid`},
		{func(form *ask.Fields) { form.String("a").Format("email").Default("a") }, `the field "a": the default is not valid`},
		{func(form *ask.Fields) { form.String("a").Format("ipv4") }, `the field "a": forms don't have the format "ipv4"; use one of email, uri, date, date-time`},
		{func(form *ask.Fields) { form.Integer("a").Min(2).Max(1) }, `the field "a": no number is allowed by minimum 2 and maximum 1`},
		{func(form *ask.Fields) { form.Integer("a").Min(2).Default(1) }, `the field "a": the default is not valid`},
		{func(form *ask.Fields) { form.Number("a").Max(2).Default(2.5) }, `the field "a": the default is not valid`},
		{func(form *ask.Fields) { form.String("a/b~c"); form.Integer("a/b~c") }, `the field "a/b~c": the property "a/b~c" is declared twice; keep one of the two declarations`},
		{func(form *ask.Fields) { form.String("") }, `the field "": it has no name; give it one`},
	} {
		assertMistake(t, fields(test.describe), test.want)
	}
	assertMistake(t, ask.Form(" ", nil), "it has no message; say what is asked and why")
	assertMistake(t, ask.Confirm(""), "it has no message")
}

func TestAllMistakesOfAFormAreReportedTogether(t *testing.T) {
	t.Parallel()
	q := ask.Form("", func(form *ask.Fields) {
		form.Enum("unit")
		form.Integer("days").Min(2).Max(1)
	})
	for _, want := range []string{"it has no message", `the field "unit"`, `the field "days"`} {
		assertMistake(t, q, want)
	}
}

// trip is a form with a field of each kind.
func trip() ask.Question {
	return ask.Form("Where to?", func(form *ask.Fields) {
		form.String("city").MinLength(1).Required()
		form.String("mail").Format("email")
		form.Enum("unit").Option("c", "Celsius").Option("f", "Fahrenheit").Default("c")
		form.Integer("days").Min(1).Default(3)
		form.Number("budget")
		form.Boolean("remember").Default(true)
		form.Enums("meals", "breakfast", "dinner").Default("dinner")
	})
}

func TestAnAcceptedFormIsRead(t *testing.T) {
	t.Parallel()
	a := answer(t, trip(), `{"action":"accept","content":{"city":"Bergen","unit":"f","days":2.0,"budget":12.5,"remember":false,"meals":[]},"_meta":{"x":1}}`)
	if a.Action() != ask.Accept || !a.Accepted() || a.Declined() || a.Cancelled() {
		t.Errorf("the action is %q", a.Action())
	}
	if a.String("city") != "Bergen" || a.String("unit") != "f" || a.Int("days") != 2 || a.Float("budget") != 12.5 || a.Bool("remember", true) {
		t.Errorf("got %+v", a)
	}
	if got := a.Strings("meals", "lunch"); len(got) != 0 {
		t.Errorf("the meals are %q", got)
	}
	var trip struct {
		City  string   `json:"city"`
		Days  int      `json:"days"`
		Meals []string `json:"meals"`
	}
	trip.Meals = []string{"lunch"}
	if err := a.Bind(&trip); err != nil || trip.City != "Bergen" || trip.Days != 2 || len(trip.Meals) != 0 {
		t.Errorf("bound %+v, %v", trip, err)
	}
	var wrong struct {
		City int `json:"city"`
	}
	if err := a.Bind(&wrong); err == nil || !strings.HasPrefix(err.Error(), `Bind: the form "q" takes a string as /city, but the field City of`) {
		t.Errorf("bound %+v, %v", wrong, err)
	}
}

func TestAnOmittedFieldHasItsDefault(t *testing.T) {
	t.Parallel()
	a := answer(t, trip(), `{"action":"accept","content":{"city":"Bergen"}}`)
	if a.String("unit") != "c" || a.Int("days") != 3 || !a.Bool("remember") || !slices.Equal(a.Strings("meals"), []string{"dinner"}) {
		t.Errorf("got %+v", a)
	}
	if !a.Has("days") || a.Has("mail") || a.Has("budget") || a.Has("other") {
		t.Error("only fields that were sent or have a default are there")
	}
	if a.String("mail", "x@y.z") != "x@y.z" || a.Int("budget", 7) != 7 || a.Float("mail", 1.5) != 1.5 || !a.Bool("mail", true) ||
		!slices.Equal(a.Strings("mail", "a"), []string{"a"}) {
		t.Error("the default of a getter stands for what is absent")
	}
}

func TestFieldsOutsideTheFormAreDropped(t *testing.T) {
	t.Parallel()
	a := answer(t, trip(), `{"action":"accept","content":{"city":"Bergen","admin":true}}`)
	bound := map[string]any{}
	if err := a.Bind(&bound); err != nil || a.Has("admin") || bound["admin"] != nil || bound["city"] != "Bergen" {
		t.Errorf("bound %v, %v", bound, err)
	}
}

func TestContentCountsOnlyInAnAcceptedForm(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"action":"decline"}`,
		`{"action":"cancel","content":{"city":"Bergen"}}`,
		`{"action":"decline","content":{"city":5}}`,
		`{"action":"decline","content":null}`,
	} {
		a := answer(t, trip(), raw)
		if a.Accepted() || a.Declined() == a.Cancelled() || a.Has("city") || a.Has("days") || a.String("city") != "" {
			t.Errorf("%s: got %+v", raw, a)
		}
		var v struct{}
		if err := a.Bind(&v); err == nil || err.Error() != "there is no accepted form to bind; check answer.Accepted first" {
			t.Errorf("%s: bound with %v", raw, err)
		}
	}
}

func TestAnAnswerThatDoesNotFitTheFormIsRefused(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`12345`:                                  "it must be an object, not a number",
		`null`:                                   "/action is missing",
		`{}`:                                     "/action is missing; it is accept, decline or cancel",
		`{"action":"yes"}`:                       `/action must be accept, decline or cancel, not "yes"`,
		`{"action":1}`:                           "/action must be a string, not a number",
		`{"Action":"x"}`:                         "/action is missing",
		`{"action":"acc`:                         "it is not valid JSON",
		`{"action":"accept"}`:                    "/content/city: required",
		`{"action":"accept","content":null}`:     "/content/city: required",
		`{"action":"accept","content":[]}`:       "/content: must be an object",
		`{"action":"accept","content":"Bergen"}`: "/content: must be an object",
		`{"action":"accept","content":{"city":5}}`:                     "/content/city: must be a string",
		`{"action":"accept","content":{"city":""}}`:                    "/content/city: must be",
		`{"action":"accept","content":{"city":null}}`:                  "/content/city: must be a string",
		`{"action":"accept","content":{"city":"B","unit":"Celsius"}}`:  `/content/unit: must be one of "c", "f"`,
		`{"action":"accept","content":{"city":"B","days":0}}`:          "/content/days: must be",
		`{"action":"accept","content":{"city":"B","days":1.5}}`:        "/content/days: must be an integer",
		`{"action":"accept","content":{"city":"B","days":1e400}}`:      "/content/days: must be an integer of at most 64 bits",
		`{"action":"accept","content":{"city":"B","meals":["lunch"]}}`: "/content/meals/0: must be one of",
		`{"action":"accept","content":{"city":"B","mail":"nowhere"}}`:  "/content/mail: must be",
		`{"action":"accept","content":{"city":"B","remember":"true"}}`: "/content/remember: must be a boolean",
		`{"action":"accept","content":{"city":1,"days":"x"}}`:          "/content/days: must be an integer",
	} {
		assertRefused(t, trip(), raw, want)
	}
}

func TestAConfirmationIsAFormWithoutFields(t *testing.T) {
	t.Parallel()
	q := ask.Confirm("Delete page 7?")
	want := `{"mode":"form","message":"Delete page 7?","requestedSchema":{"type":"object","properties":{}}}`
	if got := compile(t, q).Kind.Params([]byte(everything), modern); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for raw, want := range map[string]bool{
		`{"action":"accept","content":{}}`:           true,
		`{"action":"accept"}`:                        true,
		`{"action":"accept","content":{"more":1}}`:   true,
		`{"action":"decline"}`:                       false,
		`{"action":"cancel"}`:                        false,
		`{"action":"decline","content":{"ok":true}}`: false,
	} {
		if got := answer(t, q, raw).Accepted(); got != want {
			t.Errorf("%s is accepted: %t", raw, got)
		}
	}
}
