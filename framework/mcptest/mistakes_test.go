package mcptest_test

import (
	"bytes"
	"context"
	"log/slog"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/prompts"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/test/failuretest"
)

// A postTool has a closed schema, and reads its arguments with a function of the test.
type postTool struct {
	tools.Tool
	read func(*tools.Request) error
}

func (*postTool) Description() string { return "Posts." }

func (*postTool) Schema(s *schema.Object) {
	s.String("title").Required()
	s.String("body")
	s.Number("price")
	s.Strings("tags")
	s.RawProperty("free", `{}`)
	s.String("at")
}

func (p *postTool) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	return tools.Text("posted"), p.read(request)
}

func posting(read func(*tools.Request) error) *postTool { return &postTool{read: read} }

func binding[T any](request *tools.Request) error {
	var in T
	return request.Bind(&in)
}

// bookPrompt and bookResource read their arguments with a function of the test.
type bookPrompt struct {
	prompts.Prompt
	read func(*prompts.Request) error
}

func (*bookPrompt) Description() string { return "Reads a book." }

func (*bookPrompt) Arguments(arguments *prompts.Arguments) {
	arguments.Argument("title").Complete(completion.Func(func(_ context.Context, request *completion.Request) ([]string, error) {
		return []string{request.Argument("authr")}, nil
	}))
	arguments.Argument("author")
}

func (p *bookPrompt) Handle(_ context.Context, request *prompts.Request) (prompts.Result, error) {
	return prompts.User("Read."), p.read(request)
}

type bookResource struct {
	resources.Resource
	uri  string
	read func(*resources.Request) error
}

func (r *bookResource) URI() string { return r.uri }

func (r *bookResource) Handle(_ context.Context, request *resources.Request) (resources.Result, error) {
	return resources.Text("A book."), r.read(request)
}

// Otherwise an absent value would look like the zero value, and the test would pass.
func TestANameThatIsNotDeclaredFailsTheTest(t *testing.T) {
	t.Parallel()
	tool := func(t testing.TB, read func(*tools.Request) error) {
		mcptest.Tool(t, posting(read), mcptest.Args{"title": "Knots"})
	}
	for want, test := range map[string]func(t testing.TB){
		`mistakes_test.go:93: the tool post has no argument "titel"; did you mean "title"?`: func(t testing.TB) {
			tool(t, func(request *tools.Request) error {
				_ = request.String("titel")
				return nil
			})
		},
		`the tool post has no argument "xyz"; it has "title", "body", "price", "tags", "free", "at"`: func(t testing.TB) {
			tool(t, func(request *tools.Request) error { _, err := request.Get("xyz", new(int)); return err })
		},
		`the tool post has no argument "tag"; did you mean "tags"?`: func(t testing.TB) {
			tool(t, func(request *tools.Request) error { request.Strings("tag"); return nil })
		},
		`Bind: the field Title of struct { Title string } reads "Title", but the tool post calls it "title"; give the field the tag json:"title"`: func(t testing.TB) {
			tool(t, binding[struct{ Title string }])
		},
		`Bind: the field Title of struct { Title string "json:\"titel\"" } reads "titel", which the tool post doesn't declare; did you mean "title"?`: func(t testing.TB) {
			tool(t, binding[struct {
				Title string `json:"titel"`
			}])
		},
		`the prompt book has no argument "titel"; did you mean "title"?`: func(t testing.TB) {
			mcptest.Prompt(t, &bookPrompt{read: func(request *prompts.Request) error { _ = request.String("titel"); return nil }}, nil)
		},
		`the fields of struct { Titel string "json:\"titel\"" } name the arguments "titel", which the prompt book doesn't declare; did you mean "title"?`: func(t testing.TB) {
			mcptest.Prompt(t, &bookPrompt{read: func(request *prompts.Request) error {
				var in struct {
					Titel string `json:"titel"`
				}
				return request.Bind(&in)
			}}, nil)
		},
		`the prompt book has no argument "authr"; did you mean "author"?`: func(t testing.TB) {
			server := &libraryServer{prompts: []servers.Prompt{&bookPrompt{}}}
			mcptest.New(t, server).CompletePrompt("book", "title", "", nil)
		},
		`the resource books://{id} has no variable "ID"; did you mean "id"?`: func(t testing.TB) {
			mcptest.Resource(t, &bookResource{uri: "books://{id}", read: func(request *resources.Request) error {
				_ = request.Variable("ID")
				return nil
			}}, "books://7")
		},
		`the resource books://all has no variable "id"; its URI has none`: func(t testing.TB) {
			mcptest.Resource(t, &bookResource{uri: "books://all", read: func(request *resources.Request) error {
				_ = request.Variable("id")
				return nil
			}}, "books://all")
		},
		`the form "who" has no field "naem"; did you mean "name"?`: func(t testing.TB) {
			askName(t, func(answer *ask.Answer) error { _ = answer.String("naem"); return nil })
		},
	} {
		if got := failuretest.Of(t, test); !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant …\n%s", got, want)
		}
	}
}

// askName asks for a name, and reads the answer with a function of the test.
func askName(t testing.TB, read func(*ask.Answer) error) *mcptest.Result {
	tool := &actTool{act: func(ctx context.Context, request *tools.Request) (tools.Result, error) {
		answer, err := request.Ask(ctx, "who", ask.Form("Who?", func(form *ask.Fields) { form.String("name") }))
		if err != nil {
			return nil, err
		}
		return tools.Text("asked"), read(answer)
	}}
	return mcptest.New(t, &boxServer{tools: []servers.Tool{tool}}).Can("elicitation").
		Tool(tool, nil).Respond("who", mcptest.Args{"name": "Ada"})
}

func TestNamesOfAnOpenSchemaDoNotFailTheTest(t *testing.T) {
	t.Parallel()
	type own struct {
		Title string `json:"title"`
		Extra int    // the program's own
		Skip  string `json:"-"`
	}
	got := failuretest.Of(t, func(t testing.TB) {
		mcptest.Tool(t, posting(binding[own]), mcptest.Args{"title": "Knots"}).AssertOK()
		mcptest.Tool(t, posting(func(request *tools.Request) error {
			_, _, _ = request.String("body"), request.Has("at"), request.Raw("free")
			return nil
		}), mcptest.Args{"title": "Knots"}).AssertOK()
		mcptest.Tool(t, answering(tools.Text("open"), nil), nil).AssertOK()
		open := &actTool{act: func(_ context.Context, request *tools.Request) (tools.Result, error) {
			return tools.Text(request.String("anything")), nil
		}}
		mcptest.Tool(t, open, nil).AssertOK()
		askName(t, func(answer *ask.Answer) error { _ = answer.String("name"); return nil }).AssertOK()
	})
	if got != "" {
		t.Errorf("it fails:\n%s", got)
	}
}

// No model could ever call such a tool.
func TestAFieldThatNeverFitsTheSchemaFailsTheTest(t *testing.T) {
	t.Parallel()
	args := mcptest.Args{"title": "Knots", "tags": []string{"a"}}
	for want, test := range map[string]func(t testing.TB){
		`Bind: the schema of the tool post takes a string as /title, but the field Title of struct { Title int "json:\"title\"" } is an int; ` +
			`change the type of the field, or the schema`: func(t testing.TB) {
			mcptest.Tool(t, posting(binding[struct {
				Title int `json:"title"`
			}]), args).AssertError("The tool post failed. The server's log says why.")
		},
		`takes a string as /tags/0, but the field Tags of struct { Tags []bool "json:\"tags\"" } holds a bool`: func(t testing.TB) {
			mcptest.Tool(t, posting(binding[struct {
				Tags []bool `json:"tags"`
			}]), args)
		},
		`Get: the schema of the tool post takes a string as /title, but the variable is an int; change the type of the variable, or the schema`: func(t testing.TB) {
			mcptest.Tool(t, posting(func(request *tools.Request) error { _, err := request.Get("title", new(int)); return err }), args)
		},
		`Bind: the schema of the tool post takes a number as /price, but the field Price of struct { Price int "json:\"price\"" } is an int; change the type`: func(t testing.TB) {
			mcptest.Tool(t, posting(binding[struct {
				Price int `json:"price"`
			}]), mcptest.Args{"title": "Knots", "price": 1.5}).AssertError("The tool post failed. The server's log says why.")
		},
		`Bind: the schema of the tool post takes a string as /free, but the field Free of struct { Free int "json:\"free\"" } is an int`: func(t testing.TB) {
			mcptest.Tool(t, posting(binding[struct {
				Free int `json:"free"`
			}]), mcptest.Args{"title": "Knots", "free": "x"})
		},
		`Bind: the tag json:"title, omitempty" of the field Title of struct { Title string "json:\"title, omitempty\"" } has a blank beside the option omitempty; write json:"title,omitempty"`: func(t testing.TB) {
			mcptest.Tool(t, posting(binding[struct {
				Title string `json:"title, omitempty"`
			}]), args).AssertError("The tool post failed. The server's log says why.")
		},
		`Bind: the form "who" takes a string as /name, but the field Name of struct { Name int "json:\"name\"" } is an int`: func(t testing.TB) {
			askName(t, func(answer *ask.Answer) error {
				var in struct {
					Name int `json:"name"`
				}
				return answer.Bind(&in)
			})
		},
	} {
		if got := failuretest.Of(t, test); !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant …\n%s", got, want)
		}
	}
}

// Nobody else could find out why the calls of a model fail.
func TestAFieldThatDoesNotFitIsLoggedAsAnError(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	failuretest.Of(t, func(t testing.TB) {
		mcptest.Configured(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, &boxServer{tools: []servers.Tool{posting(binding[struct {
			Tags []struct{ N uint8 } `json:"free"`
		}])}}).Call("post", mcptest.Args{"title": "Knots", "free": []any{map[string]int{"N": 256}}})
	})
	for _, want := range []string{"level=ERROR msg=call", "tool=post", "takes a number as /free/0/N, but the field N of struct { N uint8 } is a uint8; change the type"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log.String())
		}
	}
}

// A grade has a rule of its own, and an error that the model may read.
type grade string

func (g *grade) UnmarshalText(text []byte) error {
	if *g = grade(text); len(text) != 1 {
		return tools.Errorf("a grade is one letter, such as A")
	}
	return nil
}

func (g *grade) MarshalText() ([]byte, error) { return []byte(*g), nil }

// The model can correct these values, which a decoder of the program refuses, so it reads the
// error. The text of the decoder's error isn't meant for it, unless the program says so.
func TestAValueThatTheModelCanCorrectIsExplainedToIt(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]struct {
		read func(*tools.Request) error
		args mcptest.Args
	}{
		"/at must be a date and time such as 2026-01-31T09:30:00Z": {binding[struct {
			At time.Time `json:"at"`
		}], mcptest.Args{"at": "noon"}},
		"The arguments are not valid: /at is a string that can't be read": {binding[struct {
			At netip.Addr `json:"at"`
		}], mcptest.Args{"at": "1.2.3"}},
		"The arguments are not valid: /free/0/a is a number that can't be read": {binding[struct {
			Free []map[string]*big.Int `json:"free"`
		}], mcptest.Args{"free": []map[string]float64{{"a": 1.5}}}},
		"The arguments are not valid: /tags/1: a grade is one letter, such as A": {binding[struct {
			Tags []grade `json:"tags"`
		}], mcptest.Args{"tags": []string{"A", "AB"}}},
		"The arguments are not valid: /body: a grade is one letter, such as A": {func(request *tools.Request) error {
			_, err := request.Get("body", new(grade))
			return err
		}, mcptest.Args{"body": "AB"}},
	} {
		test.args["title"] = "Knots"
		got := failuretest.Of(t, func(t testing.TB) { mcptest.Tool(t, posting(test.read), test.args).AssertError(want) })
		if got != "" {
			t.Errorf("it fails:\n%s", got)
		}
	}
}

// A program may drop its log in tests. It still hears of its mistakes, of each once.
func TestAMistakeFailsTheTestThoughTheLogDropsIt(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	for what, handler := range map[string]slog.Handler{
		"nothing":     slog.DiscardHandler,
		"errors only": slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}),
	} {
		got := failuretest.Of(t, func(t testing.TB) {
			client := mcptest.Configured(t, mcp.Config{Logger: slog.New(handler)},
				&boxServer{tools: []servers.Tool{posting(func(request *tools.Request) error { _ = request.String("titel"); return nil }), &EchoTool{}}})
			client.Call("post", mcptest.Args{"title": "Knots"})
			client.Call("echo", mcptest.Args{"message": "a"})
		})
		if want := `the tool post has no argument "titel"; did you mean "title"?`; strings.Count(got, want) != 1 || strings.Count(got, "\n") != 0 {
			t.Errorf("with a log of %s, the test fails with\n%s\nwant … %s", what, got, want)
		}
	}
	if log.Len() > 0 {
		t.Errorf("the log of errors has a warning: %s", log.String())
	}
}

// In production, each name is logged once.
func TestANameThatIsNotDeclaredIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	failuretest.Of(t, func(t testing.TB) {
		client := mcptest.Configured(t, mcp.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))},
			&boxServer{tools: []servers.Tool{posting(func(request *tools.Request) error { _ = request.String("titel"); return nil })}})
		for range 3 {
			client.Call("post", mcptest.Args{"title": "Knots"})
		}
	})
	if n := strings.Count(log.String(), `level=WARN msg="the program reads a name that isn't declared"`); n != 1 {
		t.Errorf("it is logged %d times:\n%s", n, log.String())
	}
}
