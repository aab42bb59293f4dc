package oauth

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/keys"
)

// keyAlgorithm is that of the keys that the server makes.
const keyAlgorithm = jose.ES256

// noKeys returns the error for keys that nobody has made yet.
func (s *Server) noKeys() error {
	return fmt.Errorf("oauth: there are no keys at %s (Config.Keys); make them with: mcp key:generate, or set OAUTH_PRIVATE_KEY (Config.PrivateKey) to a key in PEM", s.config.Keys)
}

// checkKeyFile returns an error if the key is not in a file.
func (s *Server) checkKeyFile() error {
	if s.config.PrivateKey == "" {
		return nil
	}
	return errors.New("the key is in OAUTH_PRIVATE_KEY (Config.PrivateKey), which a command can't change; set it to another key there, or remove it to keep keys in a file")
}

// generateKeys is the command key:generate.
func (s *Server) generateKeys(_ context.Context, in *invocation) error {
	if err := s.checkKeyFile(); err != nil {
		return err
	}
	err := keys.Generate(s.config.Keys, keyAlgorithm)
	if errors.Is(err, fs.ErrExist) {
		if !in.Has("force") {
			return fmt.Errorf("there are keys at %s already; add one with mcp key:rotate, or replace them with --force: then the tokens that they signed stop working", s.config.Keys)
		}
		err = keys.Replace(s.config.Keys, keyAlgorithm)
	}
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	return in.printf("The file %s has a new key, which signs access tokens.\n", s.config.Keys)
}

// rotateKeys is the command key:rotate.
func (s *Server) rotateKeys(_ context.Context, in *invocation) error {
	if err := s.checkKeyFile(); err != nil {
		return err
	}
	signs, err := keys.Rotate(s.config.Keys, keyAlgorithm, s.config.longestAccess())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.noKeys()
	case err != nil:
		return fmt.Errorf("oauth: %w", err)
	}
	return in.printf("The file %s has a new key, which signs access tokens from %s on. Tokens of the old key stay valid until they expire.\n",
		s.config.Keys, signs.UTC().Format("15:04:05 MST"))
}
