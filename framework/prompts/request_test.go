package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/prompts"
)

// looking is a prompt that passes its request to a function.
type looking struct {
	prompts.Prompt
	declare func(*prompts.Arguments)
	look    func(*prompts.Request)
}

func (*looking) Description() string { return "Looks at its request." }

func (l *looking) Arguments(arguments *prompts.Arguments) { l.declare(arguments) }

func (l *looking) Handle(_ context.Context, request *prompts.Request) (prompts.Result, error) {
	l.look(request)
	return prompts.User("looked"), nil
}

// get gets a prompt and inspects the request.
func get(t *testing.T, declare func(*prompts.Arguments), arguments mcptest.Args, look func(*prompts.Request)) {
	t.Helper()
	mcptest.Prompt(t, &looking{declare: declare, look: look}, arguments).AssertOK()
}

// review declares arguments, the second with a default.
func review(arguments *prompts.Arguments) {
	arguments.Argument("code").Description("The code to review.").Required()
	arguments.Argument("style").Title("Style").Enum("casual", "formal").Default("casual")
	arguments.Argument("language").Complete(completion.Values("go", "php"))
}

func TestAHandlerReadsArgumentsAndDefaults(t *testing.T) {
	t.Parallel()
	get(t, review, mcptest.Args{"code": "xé"}, func(r *prompts.Request) {
		for name, test := range map[string]struct{ got, want string }{
			"given":           {r.String("code"), "xé"},
			"given, or else":  {r.String("code", "other"), "xé"},
			"default":         {r.String("style", "other"), "casual"},
			"absent":          {r.String("language"), ""},
			"absent, or else": {r.String("language", "go"), "go"},
		} {
			if test.got != test.want {
				t.Errorf("%s: got %q, want %q", name, test.got, test.want)
			}
		}
		if !r.Has("code") || !r.Has("style") || r.Has("language") {
			t.Error("Has is wrong")
		}
		if want := map[string]string{"code": "xé", "style": "casual"}; !maps.Equal(r.Arguments(), want) {
			t.Errorf("got %v, want %v", r.Arguments(), want)
		}
	})
}

func TestArgumentsAreACopy(t *testing.T) {
	t.Parallel()
	get(t, review, mcptest.Args{"code": "x"}, func(r *prompts.Request) {
		r.Arguments()["code"] = "y"
		if r.String("code") != "x" {
			t.Error("changing the map changed the request")
		}
	})
	get(t, func(*prompts.Arguments) {}, nil, func(r *prompts.Request) {
		if r.Arguments() == nil {
			t.Error("no arguments are a nil map")
		}
	})
}

func counting(arguments *prompts.Arguments) {
	arguments.Argument("language")
	arguments.Argument("lines").Default("10")
	arguments.Argument("strict")
	arguments.Argument("ratio")
}

func TestArgumentsAreBoundByTheirJSONNames(t *testing.T) {
	t.Parallel()
	var got struct {
		Language string  `json:"language,omitempty"`
		Lines    int     `json:"lines"`
		Strict   bool    `json:"strict"`
		Ratio    float64 `json:"ratio"`
	}
	got.Ratio = 0.5
	get(t, counting, mcptest.Args{"language": "go", "strict": "true"}, func(r *prompts.Request) {
		if err := r.Bind(&got); err != nil {
			t.Error(err)
		}
	})
	if got.Language != "go" || got.Lines != 10 || !got.Strict || got.Ratio != 0.5 {
		t.Errorf("got %+v", got)
	}
}

func TestAValueThatDoesNotFitIsTheClientsMistake(t *testing.T) {
	t.Parallel()
	var got struct {
		Lines int8 `json:"lines"`
	}
	var err error
	get(t, counting, mcptest.Args{"lines": "many"}, func(r *prompts.Request) { err = r.Bind(&got) })
	var own *exchange.Error
	if !errors.As(err, &own) || own.Code != exchange.CodeInvalidParams {
		t.Fatalf("got %#v", err)
	}
	if want := `The arguments of the prompt looking are not valid: "lines" must be a whole number from -128 to 127, not "many".`; own.Message != want {
		t.Errorf("got  %s\nwant %s", own.Message, want)
	}
}

func TestAStructThatDoesNotFitThePromptIsTheProgramsMistake(t *testing.T) {
	t.Parallel()
	for want, target := range map[string]any{
		`which the prompt looking doesn't declare`: &struct {
			Langage string `json:"langage"`
		}{},
		`is of type []string`: &struct {
			Lines []string `json:"lines"`
		}{},
		`is not a pointer to a struct`: struct{}{},
	} {
		var err error
		get(t, counting, nil, func(r *prompts.Request) { err = r.Bind(target) })
		var own *exchange.Error
		if err == nil || errors.As(err, &own) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want …%s…", err, want)
		}
	}
}

func TestARequestDoesNotShowItsArgumentsInLogs(t *testing.T) {
	t.Parallel()
	get(t, review, mcptest.Args{"code": "secret"}, func(r *prompts.Request) {
		if got := fmt.Sprintf("%#v", r); strings.Contains(got, "secret") {
			t.Errorf("got %s", got)
		}
	})
}

func TestErrorfKeepsTheErrorThatItWraps(t *testing.T) {
	t.Parallel()
	cause := errors.New("no such row")
	err := prompts.Errorf("No repository %q: %w", "x", cause)
	var readable *exchange.PublicError
	if !errors.Is(err, cause) || !errors.As(fmt.Errorf("wrapped: %w", err), &readable) || readable.Error() != `No repository "x": no such row` {
		t.Errorf("got %v", err)
	}
}
