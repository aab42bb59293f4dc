package aiclients

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/process"
)

// run runs the client's own command, and checks that the entry is there.
func (e *Edit) run() error {
	if err := e.call(e.Command[1:]...); err != nil {
		return err
	}
	if e.isThere() {
		return nil
	}
	return fmt.Errorf("claude mcp add-json succeeded, but %s has no entry %q; take claude off the PATH to have the file edited", e.File, e.Names[0])
}

// isThere reports whether the client's file has the entry.
func (e *Edit) isThere() bool {
	entries, err := e.Client.entries(e.system, e.scope, "")
	return err == nil && slices.ContainsFunc(entries, func(entry Entry) bool { return entry.Name == e.Names[0] })
}

// runUndo takes the entry out again that run added.
func (e *Edit) runUndo() error {
	return e.call("mcp", "remove", e.Names[0], "--scope", string(User))
}

// call calls the client's program.
func (e *Edit) call(args ...string) error {
	const limit = time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	out, err := process.Command(ctx, "", e.Command[0], args...).CombinedOutput()
	line := "claude " + strings.Join(args[:2], " ")
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s doesn't end within %s; take claude off the PATH to have the file edited", line, limit)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil
	case err != nil:
		said := strings.Join(strings.Fields(string(out)), " ")
		return fmt.Errorf("%s failed: %w: %s", line, err, cmp.Or(said, "it doesn't say why"))
	}
	return nil
}
