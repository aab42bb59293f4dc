package admin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// readPassword reads a new password from stdin, or asks for it on the terminal.
func readPassword(ctx context.Context, in *invocation) (string, error) {
	if in.Has("password-stdin") {
		line, err := bufio.NewReader(io.LimitReader(in.stdin, limits.MaxParameter)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("can't read the password from stdin: %w", err)
		}
		password := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if password == "" {
			return "", errors.New("the first line of stdin is empty; --password-stdin reads the password from it")
		}
		return password, nil
	}
	terminal, ok := in.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return "", errors.New("stdin is not a terminal, so nobody can be asked for the password; give it with --password-stdin on the first line of stdin")
	}
	password, err := ask(ctx, terminal, in.stderr, "Password: ")
	if err != nil {
		return "", err
	}
	again, err := ask(ctx, terminal, in.stderr, "Again: ")
	if err == nil && again != password {
		err = errors.New("the passwords differ; try again")
	}
	return password, err
}

// ask reads a line from a terminal, which doesn't show it. If the context ends, it gives the
// terminal back as it was.
func ask(ctx context.Context, terminal *os.File, prompt io.Writer, question string) (string, error) {
	file := int(terminal.Fd())
	before, err := term.GetState(file)
	if err != nil {
		return "", err
	}
	_, _ = io.WriteString(prompt, question)
	defer io.WriteString(prompt, "\n") //nolint:errcheck // a prompt
	type reply struct {
		line []byte
		err  error
	}
	read := make(chan reply, 1)
	go func() {
		line, err := term.ReadPassword(file)
		read <- reply{line, err}
	}()
	select {
	case got := <-read:
		if got.err != nil {
			return "", fmt.Errorf("can't read the password from the terminal: %w", got.err)
		}
		return string(got.line), nil
	case <-ctx.Done():
		return "", errors.Join(errors.New("interrupted; nothing was changed"), term.Restore(file, before))
	}
}
