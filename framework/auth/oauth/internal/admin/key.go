package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/keys"
	"github.com/bowline-mcp/bowline/internal/command"
)

// NoKeys returns the error for keys that nobody has made yet.
func NoKeys(ctx context.Context, path string) error {
	return fmt.Errorf("oauth: there are no keys at %s (Config.Keys); make them with: %s key:generate, or set OAUTH_PRIVATE_KEY (Config.PrivateKey) to a key in PEM", path, command.ProgramFrom(ctx).Command)
}

// checkKeyFile returns an error if the key is not in a file.
func (c *Commands) checkKeyFile() error {
	if c.PrivateKey == "" {
		return nil
	}
	return errors.New("the key is in OAUTH_PRIVATE_KEY (Config.PrivateKey), which a command can't change; set it to another key there, or remove it to keep keys in a file")
}

// generateKeys is the command key:generate.
func (c *Commands) generateKeys(ctx context.Context, in *invocation) error {
	if err := c.checkKeyFile(); err != nil {
		return err
	}
	err := keys.Generate(c.Keys, keys.Algorithm, false)
	if errors.Is(err, fs.ErrExist) {
		if !in.Has("force") {
			return fmt.Errorf("there are keys at %s already; add one with %s key:rotate, or replace them with --force: then the tokens that they signed stop working", c.Keys, command.ProgramFrom(ctx).Command)
		}
		err = keys.Generate(c.Keys, keys.Algorithm, true)
	}
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	return in.printf("The file %s has a new key, which signs access tokens.\n", c.Keys)
}

// rotateKeys is the command key:rotate.
func (c *Commands) rotateKeys(ctx context.Context, in *invocation) error {
	if err := c.checkKeyFile(); err != nil {
		return err
	}
	signs, err := keys.Rotate(c.Keys, keys.Algorithm, c.LongestAccess)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NoKeys(ctx, c.Keys)
	case err != nil:
		return fmt.Errorf("oauth: %w", err)
	}
	return in.printf("The file %s has a new key, which signs access tokens from %s on. Tokens of the old key stay valid until they expire.\n",
		c.Keys, signs.UTC().Format("15:04:05 MST"))
}
