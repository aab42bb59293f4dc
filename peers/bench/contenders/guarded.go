package contenders

import (
	"context"
	"net/http"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/authtest"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// A Guarded is a server behind bearer tokens, and a token that it accepts.
type Guarded struct {
	Handler http.Handler
	Token   string
}

// BowlineJWT returns the App's handler behind the tokens of an issuer, which runs until stop
// is called.
func BowlineJWT(kit Kit, path string) (guarded Guarded, stop func(), err error) {
	issuer, err := authtest.New(authtest.Keycloak)
	if err != nil {
		return guarded, nil, err
	}
	guarded.Token = issuer.Token("http://127.0.0.1:8080"+path, authtest.Scopes("mcp:use"))
	guarded.Handler, err = bowlineBehind(auth.JWT(auth.Issuer{URL: issuer.URL()}), kit, path)
	return guarded, issuer.Close, err
}

// BowlineStatic returns the App's handler behind a static token.
func BowlineStatic(kit Kit, path string) (Guarded, error) {
	const token, hash = "bench", "1b32c28cb38c05480eccc1bd60ff97029b57a05c96718b96dad7e9d84894f549"
	handler, err := bowlineBehind(auth.Static("bench "+hash+" mcp:use"), kit, path)
	return Guarded{handler, token}, err
}

func bowlineBehind(verifier auth.Verifier, kit Kit, path string) (http.Handler, error) {
	app := mcp.New(mcp.Config{Logger: silent()})
	app.Router.Web(path, &bowlineServer{kit: kit}).Guard(auth.Bearer(verifier, "mcp:use"))
	return app.Handler()
}

// GoSDKGuarded returns the official SDK's server behind its middleware. Its verifier accepts
// every token without checking it, so it costs less than a program's would.
func GoSDKGuarded(kit Kit) Guarded {
	verify := func(context.Context, string, *http.Request) (*sdkauth.TokenInfo, error) {
		return &sdkauth.TokenInfo{Scopes: []string{"mcp:use"}, Expiration: time.Now().Add(time.Hour), UserID: "bench"}, nil
	}
	protect := sdkauth.RequireBearerToken(verify, &sdkauth.RequireBearerTokenOptions{Scopes: []string{"mcp:use"}})
	return Guarded{protect(GoSDK(kit, true)), "bench"}
}
