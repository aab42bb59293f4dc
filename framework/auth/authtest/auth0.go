package authtest

// auth0 returns a tenant whose API adds permissions to tokens of Auth0's own profile (the
// token dialect access_token_authz).
//
// Sources: auth0.com/docs, "Access Token Profiles", "JSON Web Key Set Properties" and
// "Configure Applications with OIDC Discovery". The slash at the end is part of the issuer.
func auth0() product {
	return product{
		documents: []string{"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"},
		metadata:  "auth0",
		typ:       "JWT",
		idType:    "JWT",
		claims:    auth0Claims,
		idClaims:  grant.idClaims,
		certified: true,
		publish:   func(members map[string]any, _ string) { members["kid"] = newID() },
		offline:   true,
	}
}

// auth0RFC9068 returns a tenant whose API has the token dialect rfc9068_profile.
func auth0RFC9068() product {
	shape := auth0()
	shape.typ = "at+jwt"
	shape.claims = func(g grant) map[string]any {
		claims := auth0Claims(g)
		for _, name := range []string{"azp", "gty", "permissions"} {
			delete(claims, name)
		}
		claims["client_id"], claims["jti"] = g.client, newID()
		return claims
	}
	return shape
}

func auth0Claims(g grant) map[string]any {
	subject := g.subject
	if subject == "" {
		subject = g.client + "@clients"
	}
	claims := g.claims(subject)
	claims["scope"] = g.scope()
	claims["azp"] = g.client
	claims["permissions"] = g.apiScopes()
	userinfo := g.base + "/userinfo"
	switch {
	case g.subject == "":
		claims["aud"], claims["gty"] = g.resource, "client-credentials"
	case g.resource == "":
		claims["aud"] = userinfo
	default:
		claims["aud"] = []string{g.resource, userinfo}
	}
	return claims
}
