package authtest

import "cmp"

// okta returns the custom authorization server "default" of an org, whose audience the
// administrator set to the resource. Its access tokens have no type in their header. Those
// of the org's own authorization server, which others can't verify, have the type
// application/okta-internal-at+jwt.
//
// Sources: developer.okta.com, "Custom Authorization Servers" of the OpenID Connect and
// OAuth 2.0 API and "Validate access tokens". The registration endpoint needs a token of
// the org's API, so it isn't open to clients.
func okta() product {
	const server = "/oauth2/default"
	return product{
		documents: []string{
			server + "/.well-known/openid-configuration",
			server + "/.well-known/oauth-authorization-server",
			"/.well-known/oauth-authorization-server" + server,
		},
		metadata: "okta",
		claims:   oktaClaims,
		idClaims: oktaIDClaims,
		offline:  true,
		closed:   []Endpoint{RegistrationEndpoint},
	}
}

func oktaClaims(g grant) map[string]any {
	claims := g.claims(cmp.Or(g.subject, g.client))
	claims["ver"], claims["jti"] = 1, "AT."+newID()
	claims["aud"] = g.resource
	if g.resource == "" {
		claims["aud"] = "api://default"
	}
	claims["cid"], claims["scp"] = g.client, g.scopes
	if g.subject != "" {
		claims["uid"], claims["auth_time"] = "00u"+guidOf(g.subject)[:17], g.issued.Unix()
	}
	return claims
}

func oktaIDClaims(g grant) map[string]any {
	claims := g.idClaims()
	claims["ver"], claims["jti"] = 1, "ID."+newID()
	claims["amr"], claims["idp"] = []string{"pwd"}, "00o1idp"
	claims["preferred_username"], claims["auth_time"] = g.subject, g.issued.Unix()
	return claims
}
