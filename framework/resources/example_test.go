package resources_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/bowline-mcp/bowline/framework/resources"
)

// UserResource is a template for users.
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

// A resource is a type that embeds resources.Resource. A URI with braces makes it a
// template for many.
func Example() {
	show(&UserResource{}, "users://7", "users://seven", "users://7/posts")
	// Output:
	// {"uriTemplate":"users://{userId}","name":"user","title":"User"}
	// {"contents":[{"uri":"users://7","mimeType":"application/json","text":"{\n  \"id\": 7,\n  \"name\": \"Ada\"\n}"}]}
	// error -32602: Resource not found: users://seven
	// error -32602: Resource not found: users://7/posts
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
	show(resource, "docs://handbook")
	// Output:
	// {"uri":"docs://handbook","name":"handbook","mimeType":"text/markdown"}
	// {"contents":[{"uri":"docs://handbook","mimeType":"text/markdown","text":"# Handbook"}]}
}
