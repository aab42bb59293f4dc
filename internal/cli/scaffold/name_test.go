package scaffold_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/scaffold"
)

func TestParseNameAcceptsCommonForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ input, role, want string }{
		{"Weather", "Tool", "WeatherTool"},
		{"weather", "Tool", "WeatherTool"},
		{"WeatherTool", "Tool", "WeatherTool"},
		{"weather-tool", "Tool", "WeatherTool"},
		{"current weather", "Tool", "CurrentWeatherTool"},
		{"HTTPStatus", "Tool", "HTTPStatusTool"},
		{"OAuth2", "Tool", "OAuth2Tool"},
		{"func", "Tool", "FuncTool"},
		{"Weather", "Server", "WeatherServer"},
		{"weather_server", "Server", "WeatherServer"},
		{"WeatherTool", "Server", "WeatherToolServer"},
		{strings.Repeat("a", 64), "Tool", "A" + strings.Repeat("a", 63) + "Tool"},
	} {
		name, err := scaffold.ParseName(test.input, test.role)
		if err != nil {
			t.Errorf("%q: %v", test.input, err)
		} else if name.Type != test.want || name.Base+test.role != test.want {
			t.Errorf("%q becomes %+v, want %s", test.input, name, test.want)
		}
	}
}

func TestParseNameSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"":                      "say what the tool is for",
		"Tool":                  "say what the tool is for",
		" - ":                   "say what the tool is for",
		"admin/Weather":         "nested folders are not supported",
		`admin\Weather`:         "nested folders are not supported",
		"../../etc/passwd":      "nested folders are not supported",
		"..":                    "'.' cannot be part of it",
		"weather.go":            "'.' cannot be part of it",
		"Wetter für alle":       "'ü' cannot be part of it",
		"x\x00y":                `'\x00' cannot be part of it`,
		"2fast":                 "has to begin with a letter",
		strings.Repeat("a", 65): "has 65 characters, and a name may have 64",
	} {
		name, err := scaffold.ParseName(input, "Tool")
		if !errors.Is(err, scaffold.ErrBadName) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: name %+v, error %v, want one with %q", input, name, err, want)
		}
	}
}
