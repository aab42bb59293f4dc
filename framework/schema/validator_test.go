package schema_test

import (
	"sync"
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
)

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		object := schema.New()
		object.String("message").Required().MaxLength(10000)
		object.Integer("repeat").Min(1).Max(10).Default(1)
		object.Strings("tags").Unique()
		if _, err := object.Compile(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestValidatorIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	object := schema.New()
	object.Object("a").String("b").Pattern("^x+$")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				if object.Validate([]byte(`{"a":{"b":"xx"}}`)) != nil || object.Validate([]byte(`{"a":{"b":"y"}}`)) == nil {
					t.Error("a concurrent call goes wrong")
				}
			}
		})
	}
	group.Wait()
}

func TestViolationsNameTheirRule(t *testing.T) {
	t.Parallel()
	object := schema.New()
	object.String("message").Required()
	got := object.Validate([]byte(`{"mesage":1}`))
	want := []schema.Violation{
		{Pointer: "/mesage", Rule: "additionalProperties", Expected: "a declared property", Nearest: "message"},
		{Pointer: "/message", Rule: "required", Expected: "a string"},
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("Validate() = %+v, want %+v", got, want)
	}
}

// The schema that the conformance suite requires a server to publish.
func TestRawSchemaWithEveryKindOfKeyword(t *testing.T) {
	t.Parallel()
	const raw = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
		`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"}}}},` +
		`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"home":{"$ref":"#addressDef"},` +
		`"contactMethod":{"enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},` +
		`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
		`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},` +
		`"additionalProperties":false}`
	object := schema.New().Raw(raw)
	encoded, err := object.MarshalJSON()
	if err != nil || string(encoded) != raw {
		t.Errorf("MarshalJSON() = %s, %v, want it as it is", encoded, err)
	}
	assertViolations(t, object.Validate([]byte(`{"contactMethod":"phone","phone":"1","home":{"street":"x"}}`)), "a phone", nil)
	assertViolations(t, object.Validate([]byte(`{"contactMethod":"phone","email":"1","address":{"street":1}}`)), "no phone", []string{
		"/address/street: must be a string, got the number 1", "/phone: required",
	})
}

func TestUnevaluatedBesideTheBuilder(t *testing.T) {
	t.Parallel()
	object := schema.New()
	object.String("s").Format("email")
	object.RawProperty("r", `{"properties":{"a":{"type":"integer"}},"unevaluatedProperties":false}`)
	for _, tt := range []struct {
		data string
		want []string
	}{
		{`{"s":"a@b.c","r":{"a":1}}`, nil},
		{`{"s":"a","r":{"a":1}}`, []string{"/s: must be an email address, got another string"}},
		{`{"r":{"a":"x"}}`, []string{"/r/a: must be an integer, got a string"}},
		{`{"r":{"b":1}}`, []string{"/r/b: unknown property"}},
	} {
		assertViolations(t, object.Validate([]byte(tt.data)), tt.data, tt.want)
	}
}
