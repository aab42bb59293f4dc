package tools_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// askTool passes its request to a function. It accepts any arguments unless it has a
// schema.
type askTool struct {
	tools.Tool
	schema func(*schema.Object)
	ask    func(*tools.Request)
}

func (*askTool) Description() string { return "Looks at its request." }

func (a *askTool) Schema(s *schema.Object) {
	if a.schema != nil {
		a.schema(s)
		return
	}
	s.Open()
}

func (a *askTool) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	a.ask(request)
	return tools.Text("asked"), nil
}

// asked calls a tool with JSON arguments and inspects the request.
func asked(t *testing.T, arguments mcptest.Args, ask func(*tools.Request)) {
	t.Helper()
	mcptest.Tool(t, &askTool{ask: ask}, arguments).AssertOK()
}

func TestGettersReturnTheArgument(t *testing.T) {
	t.Parallel()
	arguments := mcptest.Args{
		"text": "a\n\"é\"", "int": 3, "whole": 3.0, "big": 1 << 53, "negative": -2, "float": 2.5, "yes": true, "no": false,
		"list": []string{"a", ""}, "null": nil, "empty": "", "zero": 0, "none": []string{},
	}
	asked(t, arguments, func(r *tools.Request) {
		for _, test := range []struct {
			what      string
			got, want any
		}{
			{"text", r.String("text"), "a\n\"é\""},
			{"int", r.Int("int"), 3},
			{"3.0 as a whole number", r.Int("whole"), 3},
			{"big", r.Int("big"), 1 << 53},
			{"negative", r.Int("negative"), -2},
			{"float", r.Float("float"), 2.5},
			{"a whole number as a float", r.Float("int"), 3.0},
			{"true", r.Bool("yes"), true},
			{"false", r.Bool("no", true), false},
			{"list", r.Strings("list"), []string{"a", ""}},

			{"an empty text is no default", r.String("empty", "else"), ""},
			{"a zero is no default", r.Int("zero", 7), 0},
			{"an empty list is no default", r.Strings("none", "else"), []string{}},

			{"absent text", r.String("absent"), ""},
			{"absent text with a default", r.String("absent", "else"), "else"},
			{"absent int", r.Int("absent"), 0},
			{"absent int with a default", r.Int("absent", 7), 7},
			{"absent float with a default", r.Float("absent", 1.5), 1.5},
			{"absent bool with a default", r.Bool("absent", true), true},
			{"absent list with a default", r.Strings("absent", "a", "b"), []string{"a", "b"}},
			{"absent list", r.Strings("absent"), []string(nil)},

			{"null is absent", r.String("null", "else"), "else"},
			{"a number is no text", r.String("int", "else"), "else"},
			{"a text is no number", r.Int("text", 7), 7},
			{"a text is no float", r.Float("text", 7), 7.0},
			{"a text is no bool", r.Bool("text", true), true},
			{"a text is no list", r.Strings("text", "else"), []string{"else"}},

			{"has", r.Has("text"), true},
			{"has a false", r.Has("no"), true},
			{"has not", r.Has("absent"), false},
			{"has not a null", r.Has("null"), false},
			{"raw", string(r.Raw("list")), `["a",""]`},
			{"raw of what is absent", r.Raw("absent"), []byte(nil)},
		} {
			if !reflect.DeepEqual(test.got, test.want) {
				t.Errorf("%s: got %#v, want %#v", test.what, test.got, test.want)
			}
		}
	})
}

func TestANumberNeverBecomesAnotherOne(t *testing.T) {
	t.Parallel()
	asked(t, mcptest.Args{"least": math.MinInt64, "exact": codec.Value("9007199254740993.0")}, func(r *tools.Request) {
		if got := r.Int("least"); got != math.MinInt64 {
			t.Errorf("the least int64 is %d", got)
		}
		if got := r.Int("exact"); got != 9007199254740993 {
			t.Errorf("9007199254740993.0 is %d", got)
		}
	})
	integer := func(r *tools.Request) { r.Int("n", 7) }
	float := func(r *tools.Request) { r.Float("n", 7) }
	const notAnInt = "The arguments are not valid: n must be an integer from -9223372036854775808 to 9223372036854775807"
	for _, test := range []struct {
		number codec.Value
		read   func(*tools.Request)
		want   string
	}{
		{codec.Value("1e300"), integer, notAnInt},
		{codec.Value("10000000000000000000"), integer, notAnInt},
		{codec.Value("2.5"), integer, notAnInt},
		{codec.Value("1e400"), float, "The arguments are not valid: n must be a number that fits a floating-point number of 64 bits"},
	} {
		mcptest.Tool(t, &askTool{ask: test.read}, mcptest.Args{"n": test.number}).AssertError(test.want)
	}
	built := func(object *schema.Object) {
		object.Integer("n")
		object.Number("f")
	}
	never := func(*tools.Request) { t.Error("the handler runs") }
	for _, test := range []struct {
		arguments mcptest.Args
		want      string
	}{
		{mcptest.Args{"n": codec.Value("9223372036854775808")}, "/n: must be an integer from -9223372036854775808 to 9223372036854775807"},
		{mcptest.Args{"f": codec.Value("1e400")}, "/f: must fit a 64-bit floating-point number"},
	} {
		mcptest.Tool(t, &askTool{schema: built, ask: never}, test.arguments).AssertError(test.want)
	}
}

func TestGetDecodesAnyArgument(t *testing.T) {
	t.Parallel()
	asked(t, mcptest.Args{"point": map[string]any{"x": 1, "y": 2}, "null": nil}, func(r *tools.Request) {
		point := struct {
			X int `json:"x"`
		}{}
		if found, err := r.Get("point", &point); !found || err != nil || point.X != 1 {
			t.Errorf("got %+v, %t, %v", point, found, err)
		}
		point.X = 5
		for _, name := range []string{"absent", "null"} {
			if found, err := r.Get(name, &point); found || err != nil || point.X != 5 {
				t.Errorf("%s: got %+v, %t, %v", name, point, found, err)
			}
		}
		text := ""
		if found, err := r.Get("point", &text); !found || err == nil || !strings.HasPrefix(err.Error(), "Get: the schema of the tool ask takes an object as /point, but the variable is a string; ") {
			t.Errorf("an object as a text: %t, %v", found, err)
		}
	})
}

func TestBindDecodesAllArguments(t *testing.T) {
	t.Parallel()
	asked(t, mcptest.Args{"a": 1, "b": map[string]any{"c": []string{"d"}}, "other": true}, func(r *tools.Request) {
		var in struct {
			A int `json:"a"`
			B struct {
				C []string `json:"c"`
			} `json:"b"`
			D string `json:"d"`
		}
		in.D = "kept"
		if err := r.Bind(&in); err != nil || in.A != 1 || !reflect.DeepEqual(in.B.C, []string{"d"}) || in.D != "kept" {
			t.Errorf("got %+v, %v", in, err)
		}
		var wrong struct {
			A string `json:"a"`
		}
		if err := r.Bind(&wrong); err == nil || !strings.Contains(err.Error(), "/a") {
			t.Errorf("a number as a text returns the error %v", err)
		}
	})
}

// A model can't correct the program's target, so the error is logged and the model
// doesn't read it.
func TestATargetThatCannotBeBoundIsTheProgramsMistake(t *testing.T) {
	t.Parallel()
	type in struct {
		A int `json:"a"`
	}
	asked(t, mcptest.Args{"a": 1}, func(r *tools.Request) {
		var none *in
		for want, err := range map[string]error{
			"Bind: tools_test.in is not a pointer to a struct; pass the address of one":  r.Bind(in{}),
			"Bind: *tools_test.in is not a pointer to a struct; pass the address of one": r.Bind(none),
			"Bind: <nil> is not a pointer to a struct; pass the address of one":          r.Bind(nil),
			"Bind: *string is not a pointer to a struct; pass the address of one":        r.Bind(new("")),
			`Get("a"): int is not a pointer; pass the address of a variable`:             second(r.Get("a", 1)),
			`Get("a"): *int is not a pointer; pass the address of a variable`:            second(r.Get("a", (*int)(nil))),
		} {
			var readable *exchange.PublicError
			if err == nil || err.Error() != want || errors.As(err, &readable) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

// refuser is a validator that refuses everything.
type refuser struct{ saw *[]any }

func (r refuser) Validate(v any) error {
	*r.saw = append(*r.saw, v)
	return fmt.Errorf("end must be after start")
}

type bindTool struct{ tools.Tool }

func (*bindTool) Description() string     { return "Binds." }
func (*bindTool) Schema(s *schema.Object) { s.Open() }

func (*bindTool) Handle(_ context.Context, request *tools.Request) (tools.Result, error) {
	var in struct {
		Start int `json:"start"`
	}
	if err := request.Bind(&in); err != nil {
		return nil, err
	}
	return tools.Text("bound"), nil
}

// server is a server of some tools.
type server struct {
	servers.Server
	tools []servers.Tool
}

func (s *server) Tools() []servers.Tool { return s.tools }

func TestBindAsksTheValidatorOfTheConfiguration(t *testing.T) {
	t.Parallel()
	var saw []any
	client := mcptest.Configured(t, mcp.Config{Validator: refuser{&saw}}, &server{tools: []servers.Tool{&bindTool{}}})
	client.Call("bind", mcptest.Args{"start": 3}).AssertError("The arguments are not valid: end must be after start")
	if len(saw) != 1 {
		t.Errorf("the validator saw %v", saw)
	}
	mcptest.Tool(t, &bindTool{}, mcptest.Args{"start": 3}).AssertOK()
}

func TestDefaultsOfTheSchemaAreFilledIn(t *testing.T) {
	t.Parallel()
	tool := &askTool{
		schema: func(s *schema.Object) {
			s.Integer("limit").Default(10)
			s.String("unit").Default("celsius")
			s.Strings("tags").Default("a", "b")
			s.Boolean("deep").Default(true)
			s.Object("page").Integer("size").Default(5)
		},
		ask: func(r *tools.Request) {
			if got := r.Int("limit", 99); got != 10 {
				t.Errorf("the limit is %d", got)
			}
			if !r.Has("unit") || r.String("unit") != "celsius" || !r.Bool("deep") || len(r.Strings("tags")) != 2 {
				t.Errorf("the arguments are %s", r.Arguments())
			}
			var in struct {
				Limit int `json:"limit"`
			}
			if err := r.Bind(&in); err != nil || in.Limit != 10 {
				t.Errorf("bound are %+v, %v", in, err)
			}
		},
	}
	mcptest.Tool(t, tool, nil).AssertOK()
	tool.ask = func(r *tools.Request) {
		if r.Int("limit") != 3 || r.Bool("deep") {
			t.Errorf("the arguments are %s", r.Arguments())
		}
	}
	mcptest.Tool(t, tool, mcptest.Args{"limit": 3, "deep": false}).AssertOK()
}

func TestARequestKnowsItsClient(t *testing.T) {
	t.Parallel()
	asked(t, mcptest.Args{"secret": "hunter2"}, func(r *tools.Request) {
		if client := r.Client(); client.Name != "mcptest" || client.Version != "1" {
			t.Errorf("the client is %+v", client)
		}
		token := ""
		if r.ProtocolVersion() != "2026-07-28" || r.Method() != "tools/call" || !r.Meta("progressToken", &token) || token != "mcptest" {
			t.Errorf("it is %s, %s, with the token %q", r.ProtocolVersion(), r.Method(), token)
		}
		if r.PathValue("team") != "" {
			t.Error("a path without parameters has a value")
		}
		if shown := fmt.Sprintf("%#v", r); strings.Contains(shown, "hunter2") {
			t.Errorf("arguments are shown in a log: %s", shown)
		}
	})
}

func TestPathParametersReachTheHandler(t *testing.T) {
	t.Parallel()
	var team, room string
	tool := &askTool{ask: func(r *tools.Request) { team, room = r.PathValue("team"), r.PathValue("room") }}
	app := mcp.New(mcp.Config{Logger: quiet(t)})
	app.Router.Group("/teams/{team}").Web("/rooms/{room}/mcp", &server{tools: []servers.Tool{tool}})
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	if status, body := post(t, handler, "/teams/blue/rooms/7/mcp", http.Header{"Mcp-Name": {"ask"}}, callOf("ask", `{}`)); status != 200 {
		t.Fatalf("got %d: %s", status, body)
	}
	if team != "blue" || room != "7" {
		t.Errorf("the team is %q and the room %q", team, room)
	}
}
