package upstream

import (
	"errors"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const googleIssuer = "https://accounts.google.com"

// google is Google, an OpenID provider with parameters of its own.
type google struct{ *openID }

func (g *google) name() string { return "Google" }

func (g *google) check() error {
	if g.config.URL != "" {
		return errors.New("Google has a fixed one; remove it, or use upstream.OIDC")
	}
	return nil
}

// parameters asks for a refresh token if the tokens are kept. Google returns one only when the
// user consents.
func (g *google) parameters(nonce string, switches bool) []oauth2.AuthCodeOption {
	var prompt []string
	parameters := []oauth2.AuthCodeOption{oidc.Nonce(nonce)}
	if switches {
		prompt = append(prompt, "select_account")
	}
	if g.config.Keep {
		prompt, parameters = append(prompt, "consent"), append(parameters, oauth2.AccessTypeOffline)
	}
	return withPrompt(prompt, parameters...)
}
