package server

import (
	"context"
	"testing"

	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/tools"
)

type adminsOwn struct{ tools.Interface }

func (*adminsOwn) VisibleTo(context.Context) bool { return false }

// Lists of items that everyone may see are cached, so VisibleTo must not be called for them.
func TestVisibleToIsCalledOnlyIfOverridden(t *testing.T) {
	t.Parallel()
	made := tools.New(tools.Definition{}, nil)
	for _, thing := range []any{
		made, resources.New(resources.Definition{}, nil), prompts.New(prompts.Definition{}, nil),
		tools.Func("add", "", func(context.Context, struct{}) (int, error) { return 0, nil }),
		tools.Func("ask", "", func(context.Context, struct{}) (*tools.Definition, error) { return nil, nil }),
	} {
		if visibleTo(thing) != nil {
			t.Errorf("%T is asked", thing)
		}
	}
	if asked := visibleTo(&adminsOwn{made}); asked == nil || asked(t.Context()) {
		t.Error("a type that overrides the method isn't asked")
	}
}
