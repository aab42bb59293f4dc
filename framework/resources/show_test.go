package resources_test

import (
	"fmt"

	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/internal/engine/server/servertest"
)

// show prints the listed form of a resource, and its contents for the URIs, for the
// examples.
func show(resource resources.Interface, uris ...string) {
	client := servertest.Of(&servertest.Server{ResourceList: []resources.Interface{resource}})
	for _, list := range []string{"resources", "resources/templates"} {
		if definitions := client.List(list); definitions != "" {
			fmt.Println(definitions)
		}
	}
	for _, uri := range uris {
		fmt.Println(client.Read(uri))
	}
}
