package resources_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing/fstest"

	"github.com/bowline-mcp/bowline/framework/resources"
)

// UserResource is one user of many.
type UserResource struct{ resources.Resource }

func (*UserResource) URI() string { return "users://{userId}" }

func (*UserResource) Handle(ctx context.Context, request *resources.Request) (resources.Result, error) {
	var in struct {
		UserID int `uri:"userId"`
	}
	if err := request.Bind(&in); err != nil {
		return nil, err
	}
	return resources.JSON(map[string]any{"id": in.UserID, "name": "Ada"})
}

func Example() {
	resource := &UserResource{}
	compiled, _ := resources.Compile(resource)
	fmt.Println(string(compiled.JSON))

	for _, uri := range []string{"users://7", "users://seven", "users://7/posts"} {
		variables, ok := compiled.Match(uri)
		if !ok {
			fmt.Println(uri, "is not one of these")
			continue
		}
		request := resources.NewRequest(nil, compiled, uri, variables)
		result, err := resource.Handle(context.Background(), &request)
		if err != nil {
			fmt.Println(err)
			continue
		}
		finished, _ := resources.Finish(compiled, uri, result)
		encoded, _ := json.Marshal(finished)
		fmt.Println(string(encoded))
	}
	// Output:
	// {"uriTemplate":"users://{userId}","name":"user-resource","title":"User Resource"}
	// {"contents":[{"uri":"users://7","mimeType":"application/json","text":"{\n  \"id\": 7,\n  \"name\": \"Ada\"\n}"}]}
	// resource not found: the variable "userId" must be a whole number from -9223372036854775808 to 9223372036854775807, not "seven"
	// users://7/posts is not one of these
}

func ExampleTemplate() {
	template, err := resources.ParseTemplate("files://{host}/{+path}{?rev}")
	if err != nil {
		fmt.Println(err)
		return
	}
	uri, _ := template.Expand(map[string]string{"host": "a", "path": "docs/read me.txt"})
	fmt.Println(uri)
	fmt.Println(template.Match(uri + "?rev=2"))
	fmt.Println(template.Match("files://a/docs/%2e%2e/secret"))
	// Output:
	// files://a/docs/read%20me.txt
	// map[host:a path:docs/read me.txt rev:2] true
	// map[] false
}

func ExampleFSFile() {
	files := fstest.MapFS{"handbook.md": &fstest.MapFile{Data: []byte("# Handbook")}}
	resource := resources.New(resources.Definition{URI: "docs://handbook", Name: "handbook", MIMEType: "text/markdown"},
		func(ctx context.Context, request *resources.Request) (resources.Result, error) {
			return resources.FSFile(files, "handbook.md")
		})
	compiled, _ := resources.Compile(resource)
	request := resources.NewRequest(nil, compiled, "docs://handbook", nil)
	result, err := resource.Handle(context.Background(), &request)
	if err != nil {
		fmt.Println(err)
		return
	}
	finished, _ := resources.Finish(compiled, request.URI(), result)
	encoded, _ := json.Marshal(finished)
	fmt.Println(string(encoded))
	// Output: {"contents":[{"uri":"docs://handbook","mimeType":"text/markdown","text":"# Handbook"}]}
}
