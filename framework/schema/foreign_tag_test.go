package schema_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
)

// An author has the fields of a type that other libraries describe too.
type author struct {
	Email string `json:"email" description:"Where to write to."`
	Unit  string `json:"unit,omitempty" enum:"celsius, fahrenheit" default:"celsius"`
	Fine  int    `json:"fine" schema:"min=1" description:"ours wins" minimum:"3"`
	identified
}

type identified struct {
	ID string `json:"id" doc:"Its ID."`
}

func TestTagsOfOtherLibrariesAreRefused(t *testing.T) {
	t.Parallel()
	for tag, fix := range map[string]string{
		`description:"Where to write to."`:             `description='Where to write to.'`,
		`description:"Ann's, if any"`:                  `description='Ann''s, if any'`,
		`doc:"Where."`:                                 `description='Where.'`,
		`desc:"Where."`:                                `description='Where.'`,
		`title:"Mail"`:                                 `title='Mail'`,
		`enum:"a,b"`:                                   `enum=a|b`,
		`enum:"[\"a\",\"b\"]"`:                         `enum=a|b`,
		`enums:"a, b"`:                                 `enum=a|b`,
		`default:"a"`:                                  `default=a`,
		`default:"a,b"`:                                `default='a,b'`,
		`const:"a"`:                                    `const=a`,
		`example:"a,b"`:                                `examples='a,b'`,
		`examples:"[\"a\", \"b\"]"`:                    `examples=a|b`,
		`format:"email"`:                               `format=email`,
		`pattern:"^\\d{1,2}$"`:                         `pattern='^\\d{1,2}$'`,
		`minLength:"1" maxLength:"9"`:                  `minLength=1,maxLength=9`,
		`minimum:"1" maximum:"9"`:                      `min=1,max=9`,
		`exclusiveMinimum:"1" exclusiveMaximum:"9"`:    `exclusiveMin=1,exclusiveMax=9`,
		`multipleOf:"2"`:                               `multipleOf=2`,
		`minItems:"1" maxItems:"2" uniqueItems:"true"`: `minItems=1,maxItems=2,unique`,
		`minProperties:"1" maxProperties:"2"`:          `minProperties=1,maxProperties=2`,
		`deprecated:"true" nullable:"true"`:            `deprecated,nullable`,
		`jsonschema:"the order's number"`:              `description='the order''s number'`,
		`jsonschema:"required,title=T,description=A\\, b,enum=a,enum=b"`: `required,title='T',description='A, b',enum=a|b`,
		`jsonschema:"minimum=1,maximum=9,example=3,oneof_required=x"`:    `min=1,max=9,examples=3`,
		`jsonschema_description:"Where."`:                                `description='Where.'`,
		`jsonschema_extras:"minimum=1,x-order=2"`:                        `min=1`,
		`description:"Where." doc:"There."`:                              `description='Where.'`,
	} {
		of := reflect.StructOf([]reflect.StructField{{Name: "X", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`json:"x" ` + tag)}})
		_, err := schema.For(of)
		if want := `write schema:"` + fix + `"`; err == nil || !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), "the field X of ") {
			t.Errorf("%s: got\n%v\nwant …%s", tag, err, want)
		}
	}
}

func TestTagsWithoutAMeaningAreDropped(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{`jsonschema:""`, `jsonschema:"-"`, `jsonschema_extras:"x-order=2"`, `uniqueItems:"false"`, `description:""`} {
		of := reflect.StructOf([]reflect.StructField{{Name: "X", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`json:"x" ` + tag)}})
		if _, err := schema.For(of); err == nil || !strings.HasSuffix(err.Error(), "has no effect here; drop it") {
			t.Errorf("%s: got %v", tag, err)
		}
	}
}

func TestAllTagsOfOtherLibrariesAreReportedTogether(t *testing.T) {
	t.Parallel()
	const other = " of another schema library, which has no effect here; write schema:"
	_, err := schema.For(author{})
	want := "the root of the schema: the field Email of schema_test.author has the tag description" + other + `"description='Where to write to.'"` +
		"\nthe root of the schema: the field Unit of schema_test.author has the tags enum and default" + other + `"enum=celsius|fahrenheit,default=celsius"` +
		"\nthe root of the schema: the field ID of schema_test.identified has the tag doc" + other + `"description='Its ID.'"`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestTagsOfDatabasesAndEncodersAreIgnored(t *testing.T) {
	t.Parallel()
	type row struct {
		ID string `json:"id" db:"id" gorm:"primaryKey;default:1" bson:"_id" yaml:"id" xml:"id,attr" toml:"id" form:"id" query:"id" uri:"id" header:"X-ID" env:"ID" validate:"required" binding:"required" protobuf:"bytes,1" msgpack:"id" mapstructure:"id"`
		_  string `jsonschema:"title=unexported"`
		No string `json:"-" description:"left out"`
		OK string `json:"ok" schema:"" description:"an empty schema tag is one of ours"`
	}
	if _, err := schema.For(row{}); err != nil {
		t.Error(err)
	}
}
