package completion_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bowline-mcp/bowline/framework/completion"
)

// show prints a source's suggestions for the typed text, with the arguments that are
// already filled in.
func show(source completion.Source, typed string, resolved map[string]string) {
	result, err := source.Complete(context.Background(), asked(typed, resolved))
	if err != nil {
		fmt.Println(err)
		return
	}
	encoded, _ := json.Marshal(result)
	fmt.Println(string(encoded))
}

func ExampleValues() {
	show(completion.Values("go", "java", "javascript"), "ja", nil)
	// Output: {"values":["java","javascript"],"total":2,"hasMore":false}
}

func ExampleList_Fold() {
	show(completion.Values("Go", "Java").Fold(), "go", nil)
	// Output: {"values":["Go"],"total":1,"hasMore":false}
}

func ExampleFunc() {
	cities := map[string][]string{"France": {"Paris", "Nantes"}, "Italy": {"Rome"}}
	source := completion.Func(func(ctx context.Context, request *completion.Request) ([]string, error) {
		var found []string
		for _, city := range cities[request.Argument("country")] {
			if strings.HasPrefix(city, request.Value) {
				found = append(found, city)
			}
		}
		return found, nil
	})
	show(source, "P", map[string]string{"country": "France"})
	// Output: {"values":["Paris"],"total":1,"hasMore":false}
}
