package authtest

// auth0 returns a tenant whose API adds permissions to tokens of Auth0's own profile (the
// token dialect access_token_authz).
//
// Sources: auth0.com/docs, "Access Token Profiles", "JSON Web Key Set Properties" and
// "Configure Applications with OIDC Discovery".
func auth0() product {
	return product{
		issuer:    "/", // the trailing slash is part of the issuer
		documents: []string{"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"},
		paths: map[Endpoint]string{
			KeysEndpoint:          "/.well-known/jwks.json",
			AuthorizationEndpoint: "/authorize",
			TokenEndpoint:         "/oauth/token",
			RegistrationEndpoint:  "/oidc/register",
		},
		metadata:  auth0Metadata,
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

func auth0Metadata(base string) map[string]any {
	return map[string]any{
		"device_authorization_endpoint":         base + "/oauth/device/code",
		"userinfo_endpoint":                     base + "/userinfo",
		"mfa_challenge_endpoint":                base + "/mfa/challenge",
		"revocation_endpoint":                   base + "/oauth/revoke",
		"scopes_supported":                      []string{"openid", "profile", "offline_access", "name", "given_name", "family_name", "nickname", "email", "email_verified", "picture", "created_at", "identities", "phone", "address"},
		"response_types_supported":              []string{"code", "token", "id_token", "code token", "code id_token", "token id_token", "code token id_token"},
		"code_challenge_methods_supported":      []string{"S256", "plain"},
		"response_modes_supported":              []string{"query", "fragment", "form_post"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"HS256", "RS256", "PS256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post", "private_key_jwt", "none"},
		"claims_supported":                      []string{"aud", "auth_time", "created_at", "email", "email_verified", "exp", "family_name", "given_name", "iat", "identities", "iss", "name", "nickname", "phone_number", "picture", "sub"},
		"request_uri_parameter_supported":       false,
		"request_parameter_supported":           false,
	}
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
