package command_test

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/command"
)

// bake has an argument and a flag of each kind.
func bake() command.Command {
	return command.Command{Name: "cake:bake", Argument: "NAME", Flags: []command.Flag{
		{Name: "oven", Value: "OVEN", Required: true}, {Name: "egg", Value: "EGG", Repeated: true}, {Name: "vegan"},
	}}
}

func TestArgumentsAndFlagsMayBeMixed(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"plum --oven hot --vegan --egg a --egg=b", "--vegan --egg a plum --egg b --oven hot", "--oven=hot --egg a --egg b --vegan -- plum", "-vegan=true --egg a --egg b --oven hot plum --",
	} {
		got, err := bake().Parse(strings.Fields(line))
		if err != nil || got.Argument != "plum" || got.Value("oven") != "hot" || !slices.Equal(got.Values("egg"), []string{"a", "b"}) || !got.Has("vegan") {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
	got, err := bake().Parse([]string{"--oven", "hot", "--", "--vegan"})
	if err != nil || got.Argument != "--vegan" || got.Has("vegan") || got.Values("egg") != nil || got.Value("egg") != "" {
		t.Errorf("%+v, %v", got, err)
	}
	if want := "NAME --oven OVEN [--egg EGG]… [--vegan]"; bake().Usage() != want {
		t.Errorf("the usage is %q, want %q", bake().Usage(), want)
	}
}

func TestWrongArgumentsAreNamed(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--oven hot":                      "NAME is missing",
		"|--oven|hot":                     "NAME is missing",
		"plum":                            "--oven OVEN is missing",
		"plum pear --oven hot":            `unexpected argument "pear"`,
		"plum --oven hot -- --x":          `unexpected argument "--x"`,
		"--oven hot -- plum --vegan":      `unexpected argument "--vegan"`,
		"plum --oven hot --oven cold":     `invalid value "cold" for flag -oven: it is given twice`,
		"plum --oven hot --egg a --egg a": `invalid value "a" for flag -egg: it is given twice`,
		"plum --oven hot --vegan=false":   `invalid boolean value "false" for -vegan: the flag has no value`,
		"plum|--oven|":                    `invalid value "" for flag -oven: it is empty`,
		"plum --oven":                     "flag needs an argument: -oven",
		"plum --oven hot --nut":           "flag provided but not defined: -nut",
	} {
		args := strings.Fields(line)
		if strings.Contains(line, "|") {
			args = strings.Split(line, "|")
		}
		if _, err := bake().Parse(args); err == nil || err.Error() != want {
			t.Errorf("%s: the error is %v, want %s", line, err, want)
		}
	}
	if _, err := bake().Parse([]string{"plum", "--help"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("the error for --help is %v", err)
	}
}

func TestEveryCommandIsDescribed(t *testing.T) {
	t.Parallel()
	all, flags := command.All(), 0
	if !slices.IsSortedFunc(all, func(a, b command.Command) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the commands are not in alphabetical order")
	}
	for _, one := range all {
		if !strings.Contains(one.Name, ":") || one.Summary == "" || strings.HasSuffix(one.Summary, ".") {
			t.Errorf("%s: %q", one.Name, one.Summary)
		}
		words := strings.Fields(one.Example)
		if len(words) == 0 || words[0] != one.Name {
			t.Errorf("%s: the example is %q", one.Name, one.Example)
		} else if _, err := one.Parse(words[1:]); err != nil {
			t.Errorf("%s: the example %q is wrong: %v", one.Name, one.Example, err)
		}
		for _, flag := range one.Flags {
			flags++
			if flag.Name == "" || flag.Text == "" || flag.Required && flag.Value == "" || strings.Count(flag.Text, flag.Value) == 0 {
				t.Errorf("%s: --%s: %q", one.Name, flag.Name, flag.Text)
			}
		}
	}
	if len(all) < 5 || flags == 0 {
		t.Errorf("there are only %d commands with %d flags", len(all), flags)
	}
}
