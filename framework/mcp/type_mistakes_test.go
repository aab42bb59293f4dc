package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// The arguments and results of functions. Each has a mistake that would make every call fail.
type (
	blankIn struct {
		Name string `json:"name, omitempty"`
		On   bool   `json:"on,string"`
		Deep []struct {
			N int `json:"n,omitEmpty"`
		} `json:"deep"`
	}
	dashOut struct {
		Total int `json:"-,"`
	}
	secretOut struct {
		Total int
		key   string `json:"key"` //nolint:unused // likewise
	}
	textOut struct {
		Grade readGrade `json:"grade"`
	}
	readGrade string
)

func (*readGrade) UnmarshalText([]byte) error { return nil }

// returning makes a tool that returns a value of a type.
func returning[T any]() servers.Tool {
	return tools.Func("fn", "Returns.", func(context.Context, struct{}) (out T, err error) { return out, nil })
}

func TestATagThatTheCodecRefusesIsFoundAtBoot(t *testing.T) {
	t.Parallel()
	const in = "fn (*tools.function[github.com/bowline-mcp/bowline/framework/mcp_test.blankIn,string]): Schema: "
	err := mcp.Validate(boxOf(function[blankIn]()))
	wants(t, "all mistakes of the arguments", err,
		in+`the root of the schema: the tag json:"name, omitempty" of the field Name of mcp_test.blankIn has a blank beside the option omitempty; write json:"name,omitempty"`,
		in+`the root of the schema: the tag json:"on,string" of the field On of mcp_test.blankIn has the option string, which is for numbers and not for bool; write json:"on"`,
		in+`/properties/deep/items: the tag json:"n,omitEmpty" of the field N of struct { N int "json:\"n,omitEmpty\"" } spells the option omitempty as omitEmpty; write json:"n,omitempty"`)
	wants(t, "a result", mcp.Validate(boxOf(returning[dashOut]())),
		`OutputSchema: the root of the schema: the tag json:"-," of the field Total of mcp_test.dashOut has a comma without an option; write json:"-" to leave the field out, or choose another name`)
	wants(t, "a pointer to a result", mcp.Validate(boxOf(returning[*secretOut]())),
		`OutputSchema: the root of the schema: the field key of mcp_test.secretOut is not exported, but has the tag json:"key"; export the field, or drop its tag`)
	wants(t, "a text that is only read", mcp.Validate(boxOf(returning[textOut]())),
		`the field Grade of mcp_test.textOut is of type mcp_test.readGrade, which is read from a text by UnmarshalText, but not written as one; give mcp_test.readGrade a MarshalText method`)
	wants(t, "no struct", mcp.Validate(boxOf(function[any]())), "Schema: the root of the schema: the type interface {} is not a struct; use a struct such as Args{}, with a field for each property")
}

type describedTool struct{ tools.Tool }

func (*describedTool) Description() string     { return "Describes a struct." }
func (*describedTool) Schema(s *schema.Object) { s.Object("in").Struct(blankIn{}) }
func (*describedTool) Handle(context.Context, *tools.Request) (tools.Result, error) {
	return tools.Text(""), nil
}

func TestATagIsFoundInATypeThatASchemaDescribes(t *testing.T) {
	t.Parallel()
	wants(t, "a type of the program", mcp.Validate(boxOf(&describedTool{})), `/properties/in: the tag json:"name, omitempty" of the field Name of mcp_test.blankIn has a blank`)
}

// The methods of these types fail for the zero value, which is no mistake.
type (
	unsetIn struct {
		Grade unset    `json:"grade"`
		Bad   panicker `json:"bad"`
		Name  string   `json:"name"`
	}
	unset    int
	panicker struct{ *unset }
)

func (u unset) MarshalText() ([]byte, error) {
	if u == 0 {
		return nil, errors.New("the grade is not set")
	}
	return fmt.Appendf(nil, "%d", int(u)), nil
}
func (u *unset) UnmarshalText(text []byte) error { return json.Unmarshal(text, (*int)(u)) }

func (p panicker) MarshalJSON() ([]byte, error)  { return json.Marshal(int(*p.unset)) }
func (p *panicker) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*int)(p.unset)) }

func TestATypeThatHasNoZeroValueIsTaken(t *testing.T) {
	t.Parallel()
	if err := mcp.Validate(boxOf(function[unsetIn](), tools.Func("other", "Returns.", func(context.Context, struct{}) (unsetIn, error) { return unsetIn{}, nil }))); err != nil {
		t.Error(err)
	}
}

func TestNoMistakeNamesWhatAFunctionLacks(t *testing.T) {
	t.Parallel()
	err := mcp.Validate(boxOf(function[struct {
		Tags  []string      `json:"tags" schema:"minLength=3"`
		Data  fmt.Formatter `json:"data" schema:"min=1"`
		Name  string        `json:"name" schema:"pattern='^(?!a)'"`
		Count *int          `json:"count" schema:"const=1"`
		Any   any           `json:"any" schema:"items.min=1"`
	}]()))
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, builder := range []string{"builder", "Raw", "Nullable", "Const ", "a Check"} {
		if strings.Contains(err.Error(), builder) {
			t.Errorf("it names %s, which a function doesn't have:\n%v", builder, err)
		}
	}
}
