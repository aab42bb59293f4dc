package oauth

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// A PasswordAuthenticator logs in users of the server's store with passwords. The command
// user:create makes them.
type PasswordAuthenticator interface {
	Authenticator

	// NewUser returns a new user for store.Users, or an error for a name or a password that is
	// not accepted.
	NewUser(name, password string) (store.User, error)
}

// createUser is the command user:create.
func (s *Server) createUser(ctx context.Context, users store.Store, in *invocation) error {
	login, ok := s.config.Authenticator.(PasswordAuthenticator)
	if !ok {
		return errors.New("the store has no users, since Config.Authenticator logs them in elsewhere; make the user there, or set it to login.Password()")
	}
	password, err := readPassword(ctx, in)
	if err != nil {
		return err
	}
	user, err := login.NewUser(in.Argument, password)
	if err != nil {
		return err
	}
	if err := users.CreateUser(ctx, user); errors.Is(err, store.ErrExists) {
		return fmt.Errorf("there is a user %s already; choose another name", user.Name)
	} else if err != nil {
		return err
	}
	return in.printf("The user %s can log in. The ID is %s.\n", user.Name, user.ID)
}

// maxLine is the maximum length of a line of stdin.
const maxLine = 4 << 10

// readPassword reads a new password from stdin, or asks for it on the terminal.
func readPassword(ctx context.Context, in *invocation) (string, error) {
	if in.Has("password-stdin") {
		line, err := bufio.NewReader(io.LimitReader(in.stdin, maxLine)).ReadString('\n')
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
		return "", errors.Join(errors.New("interrupted; no user was made"), term.Restore(file, before))
	}
}
