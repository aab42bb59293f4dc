package mcp

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/bowline-mcp/bowline/framework/logging"
	"github.com/bowline-mcp/bowline/framework/mcp/internal/console"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/requestlog"
)

// logger returns Logger, or a new logger, so that its lines name their requests.
func (c Config) logger() *slog.Logger {
	if c.Logger != nil {
		return slog.New(requestlog.New(c.Logger.Handler()))
	}
	format, level, _ := c.logSettings() // validate returns the mistakes
	return slog.New(logging.NewHandler(os.Stderr, func(w io.Writer) slog.Handler {
		options := &slog.HandlerOptions{Level: level}
		switch {
		case format == "json":
			return slog.NewJSONHandler(w, options)
		case console.IsTerminal(os.Stderr):
			return console.New(w, options)
		}
		return slog.NewTextHandler(w, options)
	}))
}

// logSettings returns the format and the level of the log, or the mistakes in them.
func (c Config) logSettings() (format string, level slog.Level, err error) {
	switch c.LogFormat {
	case "", "text", "json":
	default:
		err = fmt.Errorf("Config.LogFormat (APP_LOG_FORMAT) is %q; it must be text or json", c.LogFormat)
	}
	if c.LogLevel != "" && level.UnmarshalText([]byte(c.LogLevel)) != nil {
		err = errors.Join(err, fmt.Errorf("Config.LogLevel (APP_LOG_LEVEL) is %q; it must be debug, info, warn or error", c.LogLevel))
	}
	return c.LogFormat, level, err
}

// flush waits until the log is written, if its handler is one of package logging.
func flush(logger *slog.Logger) {
	if handler, ok := logger.Handler().(*logging.Handler); ok {
		handler.Flush(limits.LogFlush)
	}
}
