package requestlog_test

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"testing"

	"github.com/bowline-mcp/bowline/internal/requestlog"
)

// A request is the subject of log lines.
type request string

func (r request) LogAttrs() (attrs [requestlog.MaxAttrs]slog.Attr) {
	attrs[0] = slog.String("request", string(r))
	return attrs
}

// logged returns what a logger writes, without the time.
func logged(wrap func(slog.Handler) slog.Handler, log func(*slog.Logger)) string {
	var out bytes.Buffer
	log(slog.New(wrap(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}}))))
	return out.String()
}

func once(handler slog.Handler) slog.Handler { return requestlog.New(handler) }

func TestALineOfARequestNamesIt(t *testing.T) {
	t.Parallel()
	ctx := requestlog.With(t.Context(), request("a"))
	for name, test := range map[string]struct {
		log  func(*slog.Logger)
		want string
	}{
		"with its context":           {func(l *slog.Logger) { l.InfoContext(ctx, "m", "n", 1) }, "msg=m n=1 request=a\n"},
		"with a context made of it":  {func(l *slog.Logger) { l.InfoContext(context.WithoutCancel(ctx), "m") }, "msg=m request=a\n"},
		"with another context":       {func(l *slog.Logger) { l.InfoContext(t.Context(), "m") }, "msg=m\n"},
		"of a logger with an attr":   {func(l *slog.Logger) { l.With("n", 1).InfoContext(ctx, "m") }, "msg=m n=1 request=a\n"},
		"of a logger with a group":   {func(l *slog.Logger) { l.With("n", 1).WithGroup("g").With("o", 2).InfoContext(ctx, "m", "p", 3) }, "msg=m n=1 request=a g.o=2 g.p=3\n"},
		"of groups in a group":       {func(l *slog.Logger) { l.WithGroup("g").WithGroup("h").InfoContext(ctx, "m", "p", 3) }, "msg=m request=a g.h.p=3\n"},
		"of a group without a name":  {func(l *slog.Logger) { l.WithGroup("").InfoContext(ctx, "m", "p", 3) }, "msg=m p=3 request=a\n"},
		"of a group, no request":     {func(l *slog.Logger) { l.WithGroup("g").Info("m", "p", 3) }, "msg=m g.p=3\n"},
		"of a logger bound to it":    {func(l *slog.Logger) { requestlog.Bind(ctx, l).With("n", 1).WithGroup("g").Info("m", "p", 3) }, "msg=m n=1 request=a g.p=3\n"},
		"of the logger of another":   {func(l *slog.Logger) { requestlog.Bind(requestlog.With(ctx, request("b")), l).InfoContext(ctx, "m") }, "msg=m request=b\n"},
		"at a level that is not on":  {func(l *slog.Logger) { l.DebugContext(ctx, "m") }, ""},
		"that several handlers have": {func(l *slog.Logger) { l.InfoContext(ctx, "m", "a", 1, "b", 2, "c", 3, "d", 4, "e", 5, "f", 6) }, "msg=m a=1 b=2 c=3 d=4 e=5 f=6 request=a\n"},
	} {
		if got := logged(once, test.log); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// embedding is a handler of another package that names requests.
type embedding struct{ requestlog.Handler }

func TestAHandlerInAnotherOneDoesNotNameTheRequestAgain(t *testing.T) {
	t.Parallel()
	ctx := requestlog.With(t.Context(), request("a"))
	twice := func(handler slog.Handler) slog.Handler {
		return requestlog.New(&embedding{requestlog.New(requestlog.New(handler))})
	}
	if got := logged(twice, func(l *slog.Logger) { l.InfoContext(ctx, "m") }); got != "msg=m request=a\n" {
		t.Errorf("got %q", got)
	}
}

// around is a handler of another package around one that names requests.
type around struct{ slog.Handler }

func TestAHandlerAroundOneThatNamesTheRequestDoesNotRepeatIt(t *testing.T) {
	t.Parallel()
	ctx := requestlog.With(t.Context(), request("a"))
	twice := func(handler slog.Handler) slog.Handler { return requestlog.New(&around{requestlog.New(handler)}) }
	if got := logged(twice, func(l *slog.Logger) { l.InfoContext(ctx, "m", "n", 1) }); got != "msg=m n=1 request=a\n" {
		t.Errorf("got %q", got)
	}
}

func TestIDsDifferAndHaveEightDigits(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		seen[requestlog.NewID().String()] = true
	}
	if len(seen) < 999 { // two may be the same by chance
		t.Errorf("of 1000 ids, %d differ", len(seen))
	}
	for id := range seen {
		if !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(id) {
			t.Errorf("an id is %q", id)
		}
	}
	if got := requestlog.ID(0x1f).String(); got != "0000001f" {
		t.Errorf("got %q", got)
	}
}
