package prompts_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/prompts"
)

func TestArgumentsAreCheckedBeforeTheHandlerIsCalled(t *testing.T) {
	t.Parallel()
	two := &declaring{declare: func(a *prompts.Arguments) {
		a.Argument("a").Required()
		a.Argument("b").Required()
		a.Argument("c").Enum("x", "y")
	}}
	for name, test := range map[string]struct{ arguments, want string }{
		"all missing":     {``, `"a" is missing; "b" is missing`},
		"one missing":     {`{"a":""}`, `"b" is missing`},
		"number":          {`{"a":"1","b":2}`, `"b" must be a text, not 2`},
		"null":            {`{"a":"1","b":null}`, `"b" must be a text, not null`},
		"object":          {`{"a":"1","b":{"text":"x"}}`, `"b" must be a text, not {"text":"x"}`},
		"outside an enum": {`{"a":"1","b":"2","c":"z"}`, `"c" must be one of "x", "y", not "z"`},
		"empty in enum":   {`{"a":"1","b":"2","c":""}`, `"c" must be one of "x", "y", not ""`},
		"several":         {`{"b":true,"c":"X"}`, `"a" is missing; "b" must be a text, not true; "c" must be one of "x", "y", not "X"`},
		"a list":          {`["a"]`, `they must be an object of texts`},
		"null arguments":  {`null`, `they must be an object of texts`},
	} {
		t.Run(name, func(t *testing.T) {
			var raw []byte
			if test.arguments != "" {
				raw = []byte(test.arguments)
			}
			_, err := prompts.NewRequest(nil, compile(t, two), raw)
			var own *exchange.Error
			if !errors.As(err, &own) || own.Code != exchange.CodeInvalidParams {
				t.Fatalf("got %#v", err)
			}
			if want := "The arguments of the prompt declaring are not valid: " + test.want + "."; own.Message != want {
				t.Errorf("got  %s\nwant %s", own.Message, want)
			}
		})
	}
}

func TestALongValueIsNotRepeatedWhole(t *testing.T) {
	t.Parallel()
	_, err := prompts.NewRequest(nil, compile(t, &CodeReviewPrompt{}), []byte(`{"code":"","style":"`+strings.Repeat("é", 5000)+`"}`))
	if err == nil || len(err.Error()) > 400 {
		t.Errorf("got %v", err)
	}
}

func request(t *testing.T, prompt prompts.Interface, arguments string) *prompts.Request {
	t.Helper()
	request, err := prompts.NewRequest(nil, compile(t, prompt), []byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return &request
}

func TestAHandlerReadsArgumentsAndDefaults(t *testing.T) {
	t.Parallel()
	r := request(t, &CodeReviewPrompt{}, `{"code":"x\u00e9","unknown":7}`)
	for name, test := range map[string]struct{ got, want string }{
		"given":            {r.String("code"), "xé"},
		"given, or else":   {r.String("code", "other"), "xé"},
		"default":          {r.String("style", "other"), "casual"},
		"absent":           {r.String("language"), ""},
		"absent, or else":  {r.String("language", "go"), "go"},
		"unknown, or else": {r.String("unknown", "none"), "none"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %q, want %q", name, test.got, test.want)
		}
	}
	if !r.Has("code") || !r.Has("style") || r.Has("language") || r.Has("unknown") {
		t.Error("Has is wrong")
	}
	if want := map[string]string{"code": "xé", "style": "casual"}; !maps.Equal(r.Arguments(), want) {
		t.Errorf("got %v, want %v", r.Arguments(), want)
	}
}

func TestArgumentsAreACopy(t *testing.T) {
	t.Parallel()
	r := request(t, &CodeReviewPrompt{}, `{"code":"x"}`)
	r.Arguments()["code"] = "y"
	if r.String("code") != "x" {
		t.Error("changing the map changed the request")
	}
	if none := request(t, &HTTPStatusPrompt{}, `{}`).Arguments(); none == nil {
		t.Error("no arguments are a nil map")
	}
}

func counting() prompts.Interface {
	return &declaring{declare: func(a *prompts.Arguments) {
		a.Argument("language")
		a.Argument("lines").Default("10")
		a.Argument("strict")
		a.Argument("ratio")
	}}
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
	if err := request(t, counting(), `{"language":"go","strict":"true"}`).Bind(&got); err != nil {
		t.Fatal(err)
	}
	if got.Language != "go" || got.Lines != 10 || !got.Strict || got.Ratio != 0.5 {
		t.Errorf("got %+v", got)
	}
}

func TestAValueThatDoesNotFitIsTheClientsMistake(t *testing.T) {
	t.Parallel()
	var got struct {
		Lines int8 `json:"lines"`
	}
	err := request(t, counting(), `{"lines":"many"}`).Bind(&got)
	var own *exchange.Error
	if !errors.As(err, &own) || own.Code != exchange.CodeInvalidParams {
		t.Fatalf("got %#v", err)
	}
	if want := `The arguments of the prompt declaring are not valid: "lines" must be a whole number from -128 to 127, not "many".`; own.Message != want {
		t.Errorf("got  %s\nwant %s", own.Message, want)
	}
}

func TestAStructThatDoesNotFitThePromptIsTheProgramsMistake(t *testing.T) {
	t.Parallel()
	for want, target := range map[string]any{
		`which the prompt doesn't declare`: &struct {
			Langage string `json:"langage"`
		}{},
		`is of type []string`: &struct {
			Lines []string `json:"lines"`
		}{},
		`is not a pointer to a struct`: struct{}{},
	} {
		err := request(t, counting(), `{}`).Bind(target)
		var own *exchange.Error
		if err == nil || errors.As(err, &own) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want …%s…", err, want)
		}
	}
}

func TestARequestDoesNotShowItsArgumentsInLogs(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprintf("%#v", request(t, &CodeReviewPrompt{}, `{"code":"secret"}`)); strings.Contains(got, "secret") {
		t.Errorf("got %s", got)
	}
}

func TestErrorfKeepsTheErrorThatItWraps(t *testing.T) {
	t.Parallel()
	cause := errors.New("no such row")
	err := prompts.Errorf("No repository %q: %w", "x", cause)
	var readable *prompts.GetError
	if !errors.Is(err, cause) || !errors.As(fmt.Errorf("wrapped: %w", err), &readable) || readable.Error() != `No repository "x": no such row` {
		t.Errorf("got %v", err)
	}
}
