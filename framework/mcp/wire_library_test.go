package mcp_test

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// wireLibrary is the server of the transcripts of resources, prompts and completion. It
// has an item for each case on the wire, and methods that change its items.
type wireLibrary struct {
	servers.Server
	revealed atomic.Bool // whether the hidden ones are shown
}

func (*wireLibrary) Name() string    { return "library" }
func (*wireLibrary) Version() string { return "1.2.3" }
func (*wireLibrary) PageSize() int   { return 6 }

func (s *wireLibrary) Resources() []servers.Resource {
	return []servers.Resource{
		&wireHandbook{},
		wireResource("docs://logo", func(context.Context, *resources.Request) (resources.Result, error) {
			return resources.Blob([]byte{1, 2, 3}), nil
		}),
		wireResource("docs://several", func(context.Context, *resources.Request) (resources.Result, error) {
			return resources.Contents(
				content.Resource{Text: "one"},
				content.Resource{URI: "docs://several/2", MIMEType: "image/png", Blob: []byte{2}},
				content.Resource{URI: "docs://several/3", Text: "<html>", Name: "three", Title: "Three", Meta: map[string]any{"example.com/a": 1}},
			), nil
		}),
		wireResource("docs://data", func(context.Context, *resources.Request) (resources.Result, error) {
			return resources.JSON(map[string]int{"n": 1})
		}),
		failingResource("docs://locked", resources.Errorf("The page is locked until %s.", "noon")),
		failingResource("docs://broken", errors.New("secret failure")),
		failingResource("docs://lost", exchange.ErrResourceNotFound),
		failingResource("docs://paper", &exchange.Error{Code: 7, Message: "Out of paper", Data: map[string]int{"sheets": 0}}),
		wireResource("docs://boom", func(context.Context, *resources.Request) (resources.Result, error) { panic("secret boom") }),
		resources.New(resources.Definition{URI: "docs://slow", Name: "slow", Timeout: time.Second}, func(ctx context.Context, _ *resources.Request) (resources.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
		&hiddenResource{wireResource("docs://hidden", saysResource("found")), &s.revealed},
		wireResource("files://{+path}", saysVariables("path")),
		wireResource("files://notes/{name}{?page,size}", saysVariables("name", "page", "size")),
		wireResource("files://notes/index", saysResource("the index")),
		&wireUsers{},
		&hiddenResource{wireResource("hidden://{id}", saysVariables("id")), &s.revealed},
	}
}

// Boot adds methods by which a transcript changes the server while it is running.
func (s *wireLibrary) Boot(context.Context) error {
	change := func(name string, do func() (any, error)) error {
		return s.AddMethod("acme/"+name, func(context.Context, *exchange.Request) (any, error) { return do() })
	}
	removed := func(was bool) (any, error) { return map[string]bool{"removed": was}, nil }
	return errors.Join(
		change("reveal", func() (any, error) { s.revealed.Store(true); return nil, nil }),
		change("addResource", func() (any, error) {
			return nil, s.AddResource(wireResource("docs://added", saysResource("added")))
		}),
		change("removeResource", func() (any, error) { return removed(s.RemoveResource("docs://added")) }),
		change("addTemplate", func() (any, error) {
			return nil, s.AddResource(wireResource("added://{id}", saysVariables("id")))
		}),
		change("removeTemplate", func() (any, error) { return removed(s.RemoveResource("added://{id}")) }),
		change("addPrompt", func() (any, error) { return nil, s.AddPrompt(wirePrompt("added", saysPrompt("added"))) }),
		change("removePrompt", func() (any, error) { return removed(s.RemovePrompt("added")) }),
	)
}

// wireHandbook has every field of a definition.
type wireHandbook struct{ resources.Resource }

func (*wireHandbook) URI() string          { return "docs://handbook" }
func (*wireHandbook) Name() string         { return "handbook" }
func (*wireHandbook) Title() string        { return "The handbook" }
func (*wireHandbook) Description() string  { return "How we work." }
func (*wireHandbook) MIMEType() string     { return "text/markdown" }
func (*wireHandbook) Size() int64          { return 5 }
func (*wireHandbook) Meta() map[string]any { return map[string]any{"example.com/tier": 1} }
func (*wireHandbook) Icons() []content.Icon {
	return []content.Icon{{Src: "https://example.com/book.png", MIMEType: "image/png"}}
}

func (*wireHandbook) Annotations() *content.Annotations {
	half := 0.5
	return &content.Annotations{
		Audience: []content.Role{content.User}, Priority: &half, LastModified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

func (*wireHandbook) Handle(context.Context, *resources.Request) (resources.Result, error) {
	return resources.Text("# Hi."), nil
}

// wireUsers is a template whose variables have types and suggestions.
type wireUsers struct{ resources.Resource }

func (*wireUsers) URI() string         { return "users://{team}/{number}" }
func (*wireUsers) Name() string        { return "users" }
func (*wireUsers) Title() string       { return "Users" }
func (*wireUsers) Description() string { return "The members of a team." }
func (*wireUsers) MIMEType() string    { return "text/plain" }
func (*wireUsers) Icons() []content.Icon {
	return []content.Icon{{Src: "https://example.com/user.png"}}
}

func (*wireUsers) Variables(variables *resources.Variables) {
	variables.Variable("team").Enum("red", "green", "grey")
	variables.Variable("number").Complete(completion.Func(func(_ context.Context, r *completion.Request) ([]string, error) {
		return []string{r.Argument("team") + "-" + r.Value}, nil
	}))
}

func (*wireUsers) Handle(_ context.Context, request *resources.Request) (resources.Result, error) {
	var in struct {
		Team   string `uri:"team"`
		Number uint8  `uri:"number"`
	}
	if err := request.Bind(&in); err != nil {
		return nil, err
	}
	return resources.JSON(in)
}

// hiddenResource is hidden from all clients until it is revealed.
type hiddenResource struct {
	servers.Resource
	revealed *atomic.Bool
}

func (h *hiddenResource) VisibleTo(context.Context) bool { return h.revealed.Load() }

// wireResource returns a resource or a template that calls a function.
func wireResource(uri string, handle func(context.Context, *resources.Request) (resources.Result, error)) servers.Resource {
	return resources.New(resources.Definition{URI: uri, Name: uri}, handle)
}

func failingResource(uri string, err error) servers.Resource {
	return wireResource(uri, func(context.Context, *resources.Request) (resources.Result, error) { return nil, err })
}

func saysResource(text string) func(context.Context, *resources.Request) (resources.Result, error) {
	return func(context.Context, *resources.Request) (resources.Result, error) { return resources.Text(text), nil }
}

// saysVariables returns a handler that answers with variables of the URI.
func saysVariables(names ...string) func(context.Context, *resources.Request) (resources.Result, error) {
	return func(_ context.Context, r *resources.Request) (resources.Result, error) {
		text := ""
		for _, name := range names {
			text += name + "=" + r.Variable(name) + ";"
		}
		return resources.Text(text), nil
	}
}
