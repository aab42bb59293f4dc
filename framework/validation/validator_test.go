package validation_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/mcptest"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/framework/tools"
	"github.com/bowline-mcp/bowline/framework/validation"
)

func TestEachRuleHasAText(t *testing.T) {
	t.Parallel()
	type text struct {
		V string `json:"v" validate:"min=2"`
	}
	for _, test := range []struct {
		value any
		want  string
	}{
		{struct {
			V string `json:"v" validate:"required"`
		}{}, "v is required"},
		{struct {
			V string `json:"v" validate:"required_with=W"`
			W string `json:"w"`
		}{W: "x"}, "v is required"},
		{text{"a"}, "v must be at least 2 characters"},
		{struct {
			V string `json:"v" validate:"max=2"`
		}{"abc"}, "v must be at most 2 characters"},
		{struct {
			V string `json:"v" validate:"len=2"`
		}{"abc"}, "v must be exactly 2 characters"},
		{struct {
			V []int `json:"v" validate:"min=2"`
		}{[]int{1}}, "v must be at least 2 items"},
		{struct {
			V map[string]int `json:"v" validate:"max=0"`
		}{map[string]int{"a": 1}}, "v must be at most 0 items"},
		{struct {
			V int `json:"v" validate:"gte=2"`
		}{1}, "v must be at least 2"},
		{struct {
			V int `json:"v" validate:"lte=2"`
		}{3}, "v must be at most 2"},
		{struct {
			V float64 `json:"v" validate:"gt=2"`
		}{2}, "v must be more than 2"},
		{struct {
			V int `json:"v" validate:"lt=2"`
		}{2}, "v must be less than 2"},
		{struct {
			V string `json:"v" validate:"oneof=red green"`
		}{"blue"}, "v must be one of: red, green"},
		{struct {
			V string `json:"v" validate:"email"`
		}{"x"}, "v must be a valid email"},
		{struct {
			V string `json:"v" validate:"uuid"`
		}{"x"}, "v must be a valid uuid"},
		{struct {
			V string `json:"v" validate:"url"`
		}{"x"}, "v must be a valid url"},
		{struct {
			V string `json:"v" validate:"startswith=ab"`
		}{"x"}, "v violates the rule startswith=ab"},
		{struct {
			V string `json:"v" validate:"lowercase"`
		}{"X"}, "v violates the rule lowercase"},
		{struct {
			V int `json:"v" validate:"gtfield=W"`
			W int `json:"w"`
		}{1, 2}, "v must be more than the argument w"},
		{struct {
			V int `json:"v" validate:"gtefield=W"`
			W int `json:"w"`
		}{1, 2}, "v must be at least the argument w"},
		{struct {
			V int `json:"v" validate:"ltfield=W"`
			W int `json:"w"`
		}{2, 1}, "v must be less than the argument w"},
		{struct {
			V int `json:"v" validate:"ltefield=W"`
			W int `json:"w"`
		}{2, 1}, "v must be at most the argument w"},
		{struct {
			V int `json:"v" validate:"eqfield=W"`
			W int `json:"w"`
		}{2, 1}, "v must be equal to the argument w"},
		{struct {
			V int `json:"v" validate:"nefield=W"`
			W int `json:"w"`
		}{1, 1}, "v must be different from the argument w"},
	} {
		t.Run(test.want, func(t *testing.T) {
			err := validation.New().Validate(test.value)
			if problem, ok := errors.AsType[*validation.Error](err); !ok || len(problem.Problems) != 1 || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

type window struct {
	OpensAt  int `json:"opens_at"`
	ClosesAt int `json:"closes_at,omitempty" validate:"gtfield=OpensAt"`
}

type booking struct {
	Guest   string   `json:"guest-name" validate:"required"`
	Window  window   `json:"window"`
	Windows []window `json:"windows" validate:"dive"`
	Hidden  int      `json:"-" validate:"max=3"`
	Plain   int      `validate:"max=3"`
}

func TestProblemsAreNamedByTheirJSONNames(t *testing.T) {
	t.Parallel()
	bad := window{OpensAt: 2, ClosesAt: 1}
	err := validation.New().Validate(&booking{Window: bad, Windows: []window{{1, 2}, bad}, Plain: 4})
	const want = "guest-name is required; window.closes_at must be more than the argument opens_at; " +
		"windows[1].closes_at must be more than the argument opens_at; Plain must be at most 3"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v, want\n%s", err, want)
	}
}

func TestAStructWithoutANameHasTheSameProblems(t *testing.T) {
	t.Parallel()
	err := validation.New().Validate(&struct {
		Window window `json:"window"`
	}{window{2, 1}})
	if want := "window.closes_at must be more than the argument opens_at"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

type page[T any] struct {
	Limit T `json:"limit"`
}

func TestFieldsOfAnEmbeddedStructAreThoseOfTheWhole(t *testing.T) {
	t.Parallel()
	type list struct {
		window
		page[int] `json:"page"`
		Last      int `json:"last" validate:"ltfield=OpensAt"`
	}
	err := validation.New().Validate(&list{window: window{2, 1}, Last: 5})
	if want := "closes_at must be more than the argument opens_at; last must be less than the argument opens_at"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestValidStructsAndOtherValuesHaveNoError(t *testing.T) {
	t.Parallel()
	for _, value := range []any{&booking{Guest: "a", Window: window{1, 2}}, map[string]any{}, "text", 3, nil, (*booking)(nil)} {
		if err := validation.New().Validate(value); err != nil {
			t.Errorf("%T: %v", value, err)
		}
	}
}

type bookServer struct{ servers.Server }

func (*bookServer) Tools() []servers.Tool {
	return []servers.Tool{
		tools.Func("book", "Books a table.", func(_ context.Context, in booking) (string, error) { return "booked for " + in.Guest, nil }),
	}
}

func TestRulesReachTheModelThroughTheConfiguration(t *testing.T) {
	t.Parallel()
	args := mcptest.Args{"guest-name": "Ann", "window": map[string]any{"opens_at": 2, "closes_at": 1}, "windows": []any{}, "Plain": 0}
	with := mcptest.Configured(t, mcp.Config{Validator: validation.New()}, &bookServer{})
	with.Call("book", args).AssertError("The arguments are not valid: window.closes_at must be more than the argument opens_at")
	mcptest.New(t, &bookServer{}).Call("book", args).AssertOK().AssertSee("booked for Ann")
}
