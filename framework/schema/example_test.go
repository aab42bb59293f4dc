package schema_test

import (
	"fmt"

	"github.com/bowline-mcp/bowline/framework/schema"
)

func ExampleObject() {
	object := schema.New()
	object.String("message").Description("The message to repeat.").Required().MaxLength(10000)
	object.Integer("repeat").Min(1).Max(10).Default(1)

	encoded, _ := object.MarshalJSON()
	fmt.Println(string(encoded))
	for _, violation := range object.Validate([]byte(`{"mesage": "hello", "repeat": "3"}`)) {
		fmt.Println(violation)
	}
	// Output:
	// {"type":"object","properties":{"message":{"type":"string","description":"The message to repeat.","maxLength":10000},"repeat":{"type":"integer","minimum":1,"maximum":10,"default":1}},"required":["message"],"additionalProperties":false}
	// /mesage: unknown property; did you mean "message"?
	// /repeat: must be an integer from 1 to 10, got a string
	// /message: required, a string of at most 10000 characters
}

func ExampleObject_Struct() {
	type args struct {
		City string `json:"city" schema:"description='The city, in English.',minLength=1"`
		Unit string `json:"unit" schema:"enum=celsius|fahrenheit,default=celsius"`
	}
	object := schema.New().Struct(args{})
	encoded, _ := object.MarshalJSON()
	fmt.Println(string(encoded))
	// Output:
	// {"type":"object","properties":{"city":{"type":"string","description":"The city, in English.","minLength":1},"unit":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"}},"required":["city"],"additionalProperties":false}
}
