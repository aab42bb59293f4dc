package notes

import (
	"context"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// Owner returns the user who makes a request. The notes of others don't exist for that user.
func Owner(ctx context.Context) (string, error) {
	principal := exchange.PrincipalFrom(ctx)
	if principal.ID == "" {
		return "", exchange.Errorf("Log in first: each note belongs to a user, and this request has none.")
	}
	return principal.ID, nil
}

// CompleteIDs suggests the IDs of notes of the user who makes the request.
func CompleteIDs(store Store) completion.Source {
	return completion.Func(func(ctx context.Context, request *completion.Request) ([]string, error) {
		owner, err := Owner(ctx)
		if err != nil {
			return nil, err
		}
		return store.IDs(ctx, owner, request.Value, completion.Max)
	})
}
