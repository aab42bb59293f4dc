package resources_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/resources"
)

// read returns the request that reading a URI makes.
func read(t *testing.T, resource resources.Interface, uri string) *resources.Request {
	t.Helper()
	compiled := compile(t, resource)
	variables, ok := compiled.Match(uri)
	if !ok {
		t.Fatalf("%s is not the resource's", uri)
	}
	request := resources.NewRequest(nil, compiled, uri, variables)
	return &request
}

func TestAHandlerReadsTheURIAndItsVariables(t *testing.T) {
	t.Parallel()
	r := read(t, &UserPostsResource{}, "users://ada%20l/posts")
	if r.URI() != "users://ada%20l/posts" || r.Variable("userId") != "ada l" || r.Variable("page") != "" || r.Variable("other") != "" {
		t.Errorf("got %s, %q, %q", r.URI(), r.Variable("userId"), r.Variable("page"))
	}
}

type postsOf struct {
	UserID int  `uri:"userId"`
	Page   *int `uri:"page"`
}

func TestVariablesAreBoundByTag(t *testing.T) {
	t.Parallel()
	var got postsOf
	if err := read(t, &UserPostsResource{}, "users://7/posts?page=2").Bind(&got); err != nil || got.UserID != 7 || *got.Page != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	got = postsOf{}
	if err := read(t, &UserPostsResource{}, "users://7/posts").Bind(&got); err != nil || got.Page != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAValueThatDoesNotFitIsNotFound(t *testing.T) {
	t.Parallel()
	var got postsOf
	err := read(t, &UserPostsResource{}, "users://ada/posts").Bind(&got)
	if !errors.Is(err, exchange.ErrResourceNotFound) || !strings.HasPrefix(err.Error(), `resource not found: the variable "userId" must be a whole number`) {
		t.Errorf("got %v", err)
	}
}

func TestAStructThatDoesNotFitTheTemplateIsTheProgramsMistake(t *testing.T) {
	t.Parallel()
	var typo struct {
		UserID int `uri:"userid"`
	}
	for name, test := range map[string]struct {
		request *resources.Request
		target  any
		want    string
	}{
		"unknown variable": {read(t, &UserPostsResource{}, "users://7/posts"), &typo, `fields for the variables "userid", which the URI doesn't have`},
		"no template":      {read(t, &HandbookResource{}, "docs://handbook"), &typo, `fields for the variables "userid"`},
		"no pointer":       {read(t, &UserPostsResource{}, "users://7/posts"), typo, "is not a pointer to a struct"},
	} {
		if err := test.request.Bind(test.target); err == nil || errors.Is(err, exchange.ErrResourceNotFound) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want …%s…", name, err, test.want)
		}
	}
}

func TestErrorfKeepsTheErrorThatItWraps(t *testing.T) {
	t.Parallel()
	cause := errors.New("locked by ada")
	err := resources.Errorf("%s: %w", "a.txt", cause)
	var readable *resources.ReadError
	if !errors.Is(err, cause) || !errors.As(fmt.Errorf("wrapped: %w", err), &readable) || readable.Error() != "a.txt: locked by ada" {
		t.Errorf("got %v", err)
	}
}
