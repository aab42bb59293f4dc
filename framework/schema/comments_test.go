package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/schema"
)

type commented struct {
	Plain  string            `json:"plain"`
	Tagged string            `json:"tagged" schema:"description='By the tag.'"`
	Called string            `json:"called"`
	Inside []commentedInside `json:"inside,omitempty"`
	Pages  pageOf[int]       `json:"pages"`
	ByID   map[int]string    `json:"byId"`
	Next   *commentedNode    `json:"next,omitempty"`
	money  map[string]float64
	commentedBase
}

type commentedBase struct {
	Base string `json:"base"`
}

type commentedInside struct {
	Deep string `json:"deep"`
}

type pageOf[T any] struct {
	Items []T `json:"items"`
}

type commentedNode struct {
	Value string         `json:"value"`
	Left  *commentedNode `json:"left,omitempty"`
}

func commentsOf(fields map[string]map[string]string) schema.Comments {
	comments := schema.Comments{}
	for name, texts := range fields {
		comments["github.com/bowline-mcp/bowline/framework/schema_test."+name] = texts
	}
	return comments
}

func TestCommentsOfFieldsDescribeThem(t *testing.T) {
	t.Parallel()
	comments := commentsOf(map[string]map[string]string{
		"commented": {
			"Plain": "Plain “text”, it's <b>.", "Tagged": "By the comment.", "Called": "By the comment.",
			"Inside": "What is inside.", "ByID": "The names.", "Next": "The first node.", "Absent": "No such field.",
		},
		"commentedBase":   {"Base": "Of the embedded struct."},
		"commentedInside": {"Deep": "Deep inside."},
		"pageOf":          {"Items": "Those of the page."},
		"commentedNode":   {"Value": "Of the node.", "Left": "Its child."},
	})
	before, after := schema.New().Comments(comments).Struct(commented{}), schema.New().Struct(commented{}).Comments(comments)
	for _, object := range []*schema.Object{before, after} {
		object.String("called").Description("By the call.")
		var first []byte
		for range 2 { // a schema may be written several times
			encoded, err := object.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if first != nil && string(first) != string(encoded) {
				t.Errorf("it is written as\n%s\nand then as\n%s", first, encoded)
			}
			first = encoded
		}
		for _, want := range []string{
			`"plain":{"type":"string","description":"Plain “text”, it's <b>."}`,
			`"tagged":{"type":"string","description":"By the tag."}`,
			`"called":{"type":"string","description":"By the call."}`,
			`"inside":{"type":"array","description":"What is inside.","items":{"type":"object","properties":{"deep":{"type":"string","description":"Deep inside."}}`,
			`"items":{"type":"array","description":"Those of the page."`,
			`"description":"The names. The name of each member is an integer`,
			`"base":{"type":"string","description":"Of the embedded struct."}`,
			`"description":"The first node."`,
			`"value":{"type":"string","description":"Of the node."}`,
			`"description":"Its child."`,
		} {
			if !strings.Contains(string(first), want) {
				t.Errorf("the schema lacks\n%s\nit is\n%s", want, first)
			}
		}
		if !json.Valid(first) || strings.Contains(string(first), "By the comment") {
			t.Errorf("the schema is\n%s", first)
		}
		if _, err := object.Compile(); err != nil {
			t.Error(err)
		}
	}
}

func TestCommentsOfANestedObjectAreThoseOfItsFields(t *testing.T) {
	t.Parallel()
	object := schema.New()
	object.Object("nested").Struct(commentedInside{}).Comments(commentsOf(map[string]map[string]string{"commentedInside": {"Deep": "Nested."}}))
	object.Object("other").Struct(commentedInside{})
	encoded, err := object.MarshalJSON()
	if err != nil || strings.Count(string(encoded), "Nested.") != 1 {
		t.Errorf("the schema is %s, %v", encoded, err)
	}
}
