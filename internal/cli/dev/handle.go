package dev

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// ErrUnknownHandle is the error for a handle to which the app maps no server. The program has
// said so on stderr.
var ErrUnknownHandle = errors.New("there is no handle")

// checkHandle returns an error if the program at path has no server at the handle of the relay.
// It returns nil if the program doesn't list its handles, because something else is wrong.
func (x *relay) checkHandle(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, x.startLimit)
	defer cancel()
	listed, _, err := launcher.List(ctx, x.root, path)
	if err != nil {
		return nil //nolint:nilerr // the caller has an error that says more
	}
	handles := listed.Handles()
	slices.Sort(handles)
	switch {
	case slices.Contains(handles, x.handle):
		return nil
	case handles == nil:
		return fmt.Errorf("%w %q: no server is mapped to one; map one with Router.Local, such as Local(%q, …)", ErrUnknownHandle, x.handle, x.handle)
	}
	return fmt.Errorf("%w %q; there are: %s", ErrUnknownHandle, x.handle, naming.Quoted(handles))
}
