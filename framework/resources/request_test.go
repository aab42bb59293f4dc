package resources_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/resources"
)

// looking is a resource that passes its request to a function.
type looking struct {
	resources.Resource
	uri  string
	look func(*resources.Request)
}

func (l *looking) URI() string { return l.uri }

func (l *looking) Handle(_ context.Context, request *resources.Request) (resources.Result, error) {
	l.look(request)
	return resources.Text("read"), nil
}

// read reads a URI of a resource and inspects the request.
func read(t *testing.T, resource, uri string, look func(*resources.Request)) {
	t.Helper()
	mcptest.Resource(t, &looking{uri: resource, look: look}, uri).AssertOK()
}

const posts = "users://{userId}/posts{?page}"

func TestAHandlerReadsTheURIAndItsVariables(t *testing.T) {
	t.Parallel()
	read(t, posts, "users://ada%20l/posts", func(r *resources.Request) {
		if r.URI() != "users://ada%20l/posts" || r.Variable("userId") != "ada l" || r.Variable("page") != "" {
			t.Errorf("got %s, %q, %q", r.URI(), r.Variable("userId"), r.Variable("page"))
		}
	})
}

type postsOf struct {
	UserID int  `uri:"userId"`
	Page   *int `uri:"page"`
}

func TestVariablesAreBoundByTag(t *testing.T) {
	t.Parallel()
	read(t, posts, "users://7/posts?page=2", func(r *resources.Request) {
		var got postsOf
		if err := r.Bind(&got); err != nil || got.UserID != 7 || *got.Page != 2 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	read(t, posts, "users://7/posts", func(r *resources.Request) {
		var got postsOf
		if err := r.Bind(&got); err != nil || got.Page != nil {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestAValueThatDoesNotFitIsNotFound(t *testing.T) {
	t.Parallel()
	read(t, posts, "users://ada/posts", func(r *resources.Request) {
		var got postsOf
		err := r.Bind(&got)
		if !errors.Is(err, exchange.ErrResourceNotFound) || !strings.HasPrefix(err.Error(), `resource not found: the variable "userId" must be a whole number`) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAStructThatDoesNotFitTheTemplateIsTheProgramsMistake(t *testing.T) {
	t.Parallel()
	var typo struct {
		UserID int `uri:"userid"`
	}
	for name, test := range map[string]struct {
		resource, uri string
		target        any
		want          string
	}{
		"unknown variable": {posts, "users://7/posts", &typo, `name the variables "userid", which the resource users://{userId}/posts{?page} doesn't declare; did you mean "userId"?`},
		"no template":      {"docs://handbook", "docs://handbook", &typo, `name the variables "userid", which the resource docs://handbook doesn't declare; its URI has none`},
		"no pointer":       {posts, "users://7/posts", typo, "is not a pointer to a struct"},
	} {
		read(t, test.resource, test.uri, func(r *resources.Request) {
			if err := r.Bind(test.target); err == nil || errors.Is(err, exchange.ErrResourceNotFound) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: got %v, want …%s…", name, err, test.want)
			}
		})
	}
}

func TestErrorfKeepsTheErrorThatItWraps(t *testing.T) {
	t.Parallel()
	cause := errors.New("locked by ada")
	err := resources.Errorf("%s: %w", "a.txt", cause)
	var readable *exchange.PublicError
	if !errors.Is(err, cause) || !errors.As(fmt.Errorf("wrapped: %w", err), &readable) || readable.Error() != "a.txt: locked by ada" {
		t.Errorf("got %v", err)
	}
}
