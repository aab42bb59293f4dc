// Package env reads settings from the environment, each with a default:
//
//	mcp.Config{
//		Name: env.String("APP_NAME", "Demo"),
//		Addr: env.String("APP_ADDR", "127.0.0.1:8080"),
//	}
//
// If a value doesn't parse, the program writes an error to stderr and exits with code 1.
// [Load] reads a .env file; only main should call it.
package env

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/command"
	"github.com/bowline-mcp/bowline/internal/dotenv"
)

// Load sets environment variables from a file such as .env. It doesn't change variables
// that are already set. A missing file is not an error.
//
// A line is NAME=value, blank, or a comment that begins with #. In single quotes, every
// character of a value is literal. In double quotes, \n, \" and \\ are escapes. Without
// quotes, a value ends at " #" or at the end of the line.
func Load(path string) error {
	settings, err := dotenv.Read(path)
	for _, setting := range settings {
		if _, set := os.LookupEnv(setting.Name); !set {
			if err := os.Setenv(setting.Name, setting.Value); err != nil {
				return fmt.Errorf("%s:%d: %w", path, setting.Line, err)
			}
		}
	}
	return err
}

// String returns a variable, or the default if it is unset or empty.
func String(name, orElse string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return orElse
}

// Int returns a variable as an integer.
func Int(name string, orElse int) int {
	return read(name, orElse, "an integer such as 100", strconv.Atoi)
}

// Bool returns a variable as a boolean: true for 1, true, yes and on, false for 0,
// false, no and off.
func Bool(name string, orElse bool) bool {
	return read(name, orElse, "true or false", func(value string) (bool, error) {
		switch strings.ToLower(value) {
		case "1", "true", "yes", "on":
			return true, nil
		case "0", "false", "no", "off":
			return false, nil
		}
		return false, strconv.ErrSyntax
	})
}

// Duration returns a variable as a duration, such as 30s or 5m.
func Duration(name string, orElse time.Duration) time.Duration {
	return read(name, orElse, "a duration such as 30s or 5m", time.ParseDuration)
}

// List returns the values of a comma-separated list, without surrounding white space.
func List(name string, orElse ...string) []string {
	value := os.Getenv(name)
	if value == "" {
		return orElse
	}
	var list []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// read returns a variable as parsed by parse. It exits the program if parse fails.
func read[T any](name string, orElse T, want string, parse func(string) (T, error)) T {
	value := os.Getenv(name)
	if value == "" {
		return orElse
	}
	parsed, err := parse(value)
	if err != nil {
		is := ""
		if len(value) < shortestKey { // a longer value may be a secret in the wrong variable
			is = fmt.Sprintf("is %q; it ", value)
		}
		_, _ = fmt.Fprintf(os.Stderr, "%s: the environment variable %s %smust be %s\n", command.ProgramOf(os.Args[0]).Name, name, is, want)
		os.Exit(1)
	}
	return parsed
}

// shortestKey is the smallest number of characters of a key (mcp.Config.Key).
const shortestKey = 16
