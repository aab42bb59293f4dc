package cli

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bowline-mcp/bowline/internal/cli/invocation"
)

// tokenPrefix begins each token, so that scanners find tokens that were published by
// mistake.
const tokenPrefix = "bowline_"

func newAuthTokenCommand(i *invocation.Invocation) *cobra.Command {
	return &cobra.Command{
		Use:     "auth:token NAME [SCOPE…]",
		GroupID: groupAuth,
		Short:   "Make an access token for routes behind auth.Static",
		Long: "Make a random access token, and print it with the text for the app's configuration. The configuration gets\n" +
			"the token's hash, so nobody can read the token from it. The app accepts the token after a restart, until you\n" +
			"remove the text.\n\n" +
			"The exit code is 2 for wrong arguments.",
		Example: "  mcp auth:token ana mcp:use\n  mcp auth:token deploy-bot mcp:use files:write",
		Args: func(command *cobra.Command, args []string) error {
			if len(args) == 0 { // tokenWords needs it
				return invocation.NewUsageError("%s needs the name of the person or program that gets the token", command.Name())
			}
			for i, word := range tokenWords(args) {
				if word == "" || strings.ContainsFunc(word, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`,"\`, c) }) {
					return invocation.NewUsageError("argument %d is %q; names and scopes are words of ASCII characters without commas, quotes and backslashes", i+1, word)
				}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			secret := make([]byte, 32)
			_, _ = rand.Read(secret) // it never fails
			token := tokenPrefix + base64.RawURLEncoding.EncodeToString(secret)
			text := fmt.Sprintf("%s %x", args[0], sha256.Sum256([]byte(token)))
			_, err := fmt.Fprintf(i.Stdout, "The token, which can't be shown again:\n\n  %s\n\n"+
				"Add this to the list of auth.Static, such as APP_TOKENS in .env, and restart the app:\n\n  %s\n",
				token, strings.Join(append([]string{text}, tokenWords(args)[1:]...), " "))
			return err
		},
	}
}

// tokenWords returns the name of a token and its scopes. An argument may have several scopes, as a
// claim or a challenge has them.
func tokenWords(args []string) []string {
	words := args[:1:1]
	for _, argument := range args[1:] {
		if scopes := strings.Fields(argument); len(scopes) > 0 {
			words = append(words, scopes...)
		} else {
			words = append(words, argument)
		}
	}
	return words
}
