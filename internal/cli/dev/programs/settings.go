package programs

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"

	"github.com/bowline-mcp/bowline/internal/address"
	"github.com/bowline-mcp/bowline/internal/dotenv"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// Settings are the variables of the app's .env. Those of the environment win over them.
type Settings map[string]string

// ReadSettings reads the settings of the app in the folder root. The app itself reports
// mistakes in .env.
func ReadSettings(root string) Settings {
	s := Settings{}
	lines, _ := dotenv.Read(filepath.Join(root, ".env"))
	for _, line := range slices.Backward(lines) { // the first one counts
		s[line.Name] = line.Value
	}
	return s
}

// Get returns a variable as the app reads it, or "".
func (s Settings) Get(name string) string {
	if value, ok := os.LookupEnv(name); ok {
		return value
	}
	return s[name]
}

// CheckAddress returns an error for an address that other machines can reach, unless the app knows
// its host names, by which it refuses the requests of web pages (DNS rebinding). A program would
// refuse to start at that address itself, but mcp dev gives it a loopback one.
func (s Settings) CheckAddress(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || naming.IsLoopback(host) || s.Get("APP_URL") != "" || s.Get("APP_ALLOWED_HOSTS") != "" {
		return nil //nolint:nilerr // net.Listen says what is wrong with the address
	}
	return fmt.Errorf("the address %s is not a loopback address, so the program needs its public name: "+
		"set APP_URL or APP_ALLOWED_HOSTS, or serve on 127.0.0.1", addr)
}

// StateOfEnv describes the app's .env, to notice changes.
func StateOfEnv(root string) string {
	info, err := os.Stat(filepath.Join(root, ".env"))
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// NewKey returns the key of an app that has none. It seals what clients carry for the app. All programs
// get the same, so that cursors and open questions stay valid when the program changes.
func NewKey() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return hex.EncodeToString(key)
}

// Sealed returns the variable for a key, unless the app has one.
func (s Settings) Sealed(key string) []string {
	if s.Get("APP_KEY") != "" {
		return nil
	}
	return []string{"APP_KEY=" + key}
}

// LogVariables returns the variables by which a program writes the log that mcp dev reads: with all
// calls, and with readable durations.
func (s Settings) LogVariables() []string {
	variables := []string{"APP_LOG_FORMAT=text"}
	var level slog.Level // the program reports one that isn't valid
	if level.UnmarshalText([]byte(s.Get("APP_LOG_LEVEL"))) == nil && level > slog.LevelInfo {
		variables = append(variables, "APP_LOG_LEVEL=info")
	}
	return variables
}

// PublicURL returns the URL at which clients on this machine reach an address.
func PublicURL(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if address.IsUnspecified(host) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
