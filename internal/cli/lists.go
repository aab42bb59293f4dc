package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/cli/launcher"
	"github.com/bowline-mcp/bowline/internal/cli/process"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// listTime is the time that a server has to start and to send its lists.
const listTime = time.Minute

// A served has the lists of a server, and the client that has read them, whose connection is closed.
type served struct {
	client *client.Client
	lists  client.Lists
}

// readURL reads the lists of the server at a URL.
func readURL(ctx context.Context, address string, header http.Header, options client.Options) (served, error) {
	read, err := readLists(ctx, address, func(ctx context.Context) (*client.Client, error) {
		return connectURL(ctx, address, header, options)
	})
	return read, explainRefusal(err, address, header)
}

// readHandle reads the lists of a server that the program of the app in the folder root starts with
// some arguments, the handle first. The log of the app isn't shown: it has warnings about the same.
func readHandle(ctx context.Context, root, program string, arguments []string, stderr io.Writer, options client.Options) (served, error) {
	var log bytes.Buffer
	handle := arguments[0]
	read, err := readLists(ctx, handle, func(ctx context.Context) (*client.Client, error) {
		command := process.App(context.Background(), root, program, append([]string{"start"}, arguments...)...)
		command.Stderr = &log
		return client.Command(ctx, command, stderr, options)
	})
	if ended := new(client.EndedError); errors.As(err, &ended) {
		return read, errors.New(launcher.Reason(log.String(), err))
	}
	if err != nil {
		return read, fmt.Errorf("%s: %w", naming.Printable(handle), err)
	}
	return read, nil
}

// readLists connects to a server, reads its lists, and disconnects.
func readLists(ctx context.Context, server string, connect func(context.Context) (*client.Client, error)) (read served, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, listTime, fmt.Errorf("%s doesn't send its lists within %s", naming.Printable(server), listTime))
	defer stop()
	if read.client, err = connect(ctx); err != nil {
		return read, err
	}
	read.lists, err = read.client.Lists(ctx)
	return read, errors.Join(err, read.client.Close())
}
