package console

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/bowline-mcp/bowline/framework/logging"
)

// Settings configure the default log.
type Settings struct {
	Format string // text or json; "" is text
	Level  slog.Level
}

// ParseSettings returns the settings of Config.LogFormat and Config.LogLevel, or the mistakes in
// them.
func ParseSettings(format, level string) (settings Settings, err error) {
	settings.Format = format
	switch format {
	case "", "text", "json":
	default:
		err = fmt.Errorf("Config.LogFormat (APP_LOG_FORMAT) is %q; it must be text or json", format)
	}
	if level != "" && settings.Level.UnmarshalText([]byte(level)) != nil {
		err = errors.Join(err, fmt.Errorf("Config.LogLevel (APP_LOG_LEVEL) is %q; it must be debug, info, warn or error", level))
	}
	return settings, err
}

// Logger returns a logger to stderr that never makes a call wait. If text goes to a terminal, it
// is for people.
func (s Settings) Logger() *slog.Logger {
	return slog.New(logging.NewHandler(os.Stderr, func(w io.Writer) slog.Handler {
		options := &slog.HandlerOptions{Level: s.Level}
		switch {
		case s.Format == "json":
			return slog.NewJSONHandler(w, options)
		case IsTerminal(os.Stderr):
			return New(w, options)
		}
		return slog.NewTextHandler(w, options)
	}))
}
