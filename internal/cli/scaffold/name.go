package scaffold

import (
	"errors"
	"fmt"
	"go/token"
	"strings"

	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// ErrBadName is the error for an argument that can't be converted to the name of a Go type.
var ErrBadName = errors.New("bad name")

// A Name is the name of a type to be generated.
type Name struct {
	// Type is the Go type with its role as suffix: WeatherTool.
	Type string
	// Base is Type without its role: Weather.
	Base string
}

// ParseName converts an argument to the name of a type with the given role, such as
// "Tool" or "Server". It accepts "weather", "current-weather" and "CurrentWeatherTool".
// The error wraps ErrBadName.
func ParseName(input, role string) (Name, error) {
	bad := func(format string, args ...any) (Name, error) {
		return Name{}, fmt.Errorf("%w %q: %s", ErrBadName, input, fmt.Sprintf(format, args...))
	}
	if strings.ContainsAny(input, `/\`) {
		return bad("nested folders are not supported; leave out everything up to the last slash")
	}
	for _, r := range input {
		if !strings.ContainsRune("-_ ", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return bad("%q cannot be part of it; use letters from A to Z and digits, for example %s%s", r, "Weather", role)
		}
	}
	base := strings.TrimSuffix(naming.Studly(input), role)
	if base == "" {
		return bad("say what the %s is for, for example Weather", strings.ToLower(role))
	}
	name := Name{Type: base + role, Base: base}
	if !token.IsIdentifier(name.Type) {
		return bad("it has to begin with a letter")
	}
	if wire := naming.Kebab(name.Base); len(wire) > limits.MaxModelName {
		return bad("%s has %d characters, and a name may have %d", wire, len(wire), limits.MaxModelName)
	}
	return name, nil
}

// Variable returns the name of a Go variable for a name in kebab case: weatherReports for
// weather-reports.
func Variable(kebab string) string {
	first, rest, _ := strings.Cut(kebab, "-")
	return first + naming.Studly(rest)
}
