package retry_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/retry"
)

func Example() {
	unknown := errors.New("no such page")
	err := retry.Do(context.Background(), func(context.Context) error {
		fmt.Println("asking for the page")
		return retry.Permanent(unknown)
	})
	fmt.Println(err)
	// Output:
	// asking for the page
	// no such page
}
