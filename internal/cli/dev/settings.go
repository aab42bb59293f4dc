package dev

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/bowline-mcp/bowline/internal/address"
	"github.com/bowline-mcp/bowline/internal/dotenv"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// settings are the variables of the app's .env. Those of the environment win over them.
type settings map[string]string

// readSettings reads the settings of the app in the folder root. The app itself reports
// mistakes in .env.
func readSettings(root string) settings {
	s := settings{}
	lines, _ := dotenv.Read(filepath.Join(root, ".env"))
	for _, line := range lines {
		if _, earlier := s[line.Name]; !earlier {
			s[line.Name] = line.Value
		}
	}
	return s
}

// get returns a variable as the app reads it, or "".
func (s settings) get(name string) string {
	if value, ok := os.LookupEnv(name); ok {
		return value
	}
	return s[name]
}

// checkAddress returns an error for an address that other machines can reach, unless the app knows
// its host names, by which it refuses the requests of web pages (DNS rebinding). A program would
// refuse to start at that address itself, but mcp dev gives it a loopback one.
func (s settings) checkAddress(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || naming.IsLoopback(host) || s.get("APP_URL") != "" || s.get("APP_ALLOWED_HOSTS") != "" {
		return nil //nolint:nilerr // net.Listen says what is wrong with the address
	}
	return fmt.Errorf("the address %s is not a loopback address, so the program needs its public name: "+
		"set APP_URL or APP_ALLOWED_HOSTS, or serve on 127.0.0.1", addr)
}

// stateOfEnv describes the app's .env, to notice changes.
func stateOfEnv(root string) string {
	info, err := os.Stat(filepath.Join(root, ".env"))
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// A key seals what clients carry for the app, if it has no key itself. All programs get the
// same, so that cursors and open questions stay valid when the program changes.
func newKey() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return hex.EncodeToString(key)
}

// sealed returns the variable for the key if the app has none.
func (s settings) sealed(key string) []string {
	if s.get("APP_KEY") != "" {
		return nil
	}
	return []string{"APP_KEY=" + key}
}

// publicURL returns the URL at which clients on this machine reach an address.
func publicURL(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if address.IsUnspecified(host) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
