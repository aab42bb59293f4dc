// Package authtest has issuers of access tokens for tests and examples. Each imitates a
// product: its documents, keys, endpoints, and the claims of its tokens.
//
//	issuer := authtest.For(t, authtest.Keycloak)
//	token := issuer.Token("https://example.com/mcp/notes", authtest.Scopes("notes:read"))
//
// A token is right for the resource. To alter one claim, or to leave it out, name it:
//
//	issuer.Token(resource, authtest.Claim("iss", "https://evil.example"))
//	issuer.Token(resource, authtest.Claim("exp", nil))
//
// A program without a test calls [New], and [Issuer.Close] at its end.
//
// Clients can also get tokens over HTTP, with client credentials or with an authorization
// code and PKCE. The authorization endpoint redirects without a login page, so that tests
// run unattended.
//
// An issuer keeps everything in memory and grants what clients ask for. It is not for
// production.
package authtest
