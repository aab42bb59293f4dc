package authtest

import "strings"

const (
	entraTenant      = "6a7f2f0c-3b1d-4c55-9d3e-5f0a1c2b7e90"
	entraApplication = "0b8f1d7e-52a4-4f6b-8a0d-9c3e6f21d845" // of the resource server
)

// entra returns a tenant with an application that accepts tokens of version 2.0.
//
// Sources: learn.microsoft.com, "Access token claims reference", "ID token claims
// reference", "OpenID Connect on the Microsoft identity platform" and "Access tokens in the
// Microsoft identity platform" (issuer of a key). It has no document of RFC 8414, and its
// document doesn't name PKCE methods (typescript-sdk#832). The audience of a token is the
// GUID of the application, whatever the parameter resource is (csharp-sdk#1801).
func entra() product {
	const path = "/" + entraTenant
	return product{
		documents: []string{path + "/v2.0/.well-known/openid-configuration"},
		metadata:  "entra",
		typ:       "JWT",
		idType:    "JWT",
		claims:    entraClaims,
		idClaims:  entraIDClaims,
		certified: true,
		publish: func(members map[string]any, issuer string) {
			delete(members, "alg")
			delete(members, "x5t#S256")
			members["kid"] = members["x5t"]
			members["issuer"], members["cloud_instance_name"] = issuer, "microsoftonline.com"
		},
		offline: true,
	}
}

func entraClaims(g grant) map[string]any {
	// Clients request scopes with the URI of the application, such as api://GUID/notes.read.
	// Tokens have the last part.
	scopes := g.apiScopes()
	for i, scope := range scopes {
		scopes[i] = scope[strings.LastIndexByte(scope, '/')+1:]
	}
	claims := g.claims(g.subject)
	addEntraClaims(claims, g)
	claims["aud"] = entraApplication
	claims["azp"] = g.client
	if g.subject != "" {
		claims["azpacr"], claims["scp"] = "0", strings.Join(scopes, " ")
		return claims
	}
	principal := guidOf(g.client) // the service principal of the client
	claims["sub"], claims["oid"] = principal, principal
	claims["azpacr"], claims["roles"] = "1", scopes
	delete(claims, "name")
	delete(claims, "preferred_username")
	return claims
}

func entraIDClaims(g grant) map[string]any {
	claims := g.idClaims()
	addEntraClaims(claims, g)
	return claims
}

// addEntraClaims adds the claims that access and ID tokens of users share.
func addEntraClaims(claims map[string]any, g grant) {
	claims["nbf"] = g.issued.Unix()
	claims["aio"] = newID()
	claims["name"], claims["preferred_username"] = g.subject, g.subject+"@example.com"
	claims["oid"], claims["tid"] = guidOf(g.subject), entraTenant
	claims["rh"], claims["uti"] = newID(), newID()
	claims["ver"] = "2.0"
}
