package authtest

const workOSEnvironment = "client_01JX5M2Q8W7YB3T4K6V9D0E1FG"

// workOS returns an AuthKit domain. A resource of a user's token is one that the dashboard
// lists as a resource indicator. Tokens for no resource, and those of client credentials,
// have the client ID of the environment as their audience.
//
// Sources: workos.com/docs, "Access token claims" and "Model Context Protocol" of AuthKit,
// and "Token" of Connect.
func workOS() product {
	return product{
		issuer:    "",
		documents: []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"},
		paths: map[Endpoint]string{
			KeysEndpoint:          "/oauth2/jwks",
			AuthorizationEndpoint: "/oauth2/authorize",
			TokenEndpoint:         "/oauth2/token",
			RegistrationEndpoint:  "/oauth2/register",
			IntrospectionEndpoint: "/oauth2/introspection",
		},
		metadata: workOSMetadata,
		claims:   workOSClaims,
		idClaims: grant.idClaims,
		publish:  func(members map[string]any, _ string) { members["kid"] = "sso_oidc_key_pair_" + newID() },
		offline:  true,
	}
}

func workOSMetadata(base string) map[string]any {
	return map[string]any{
		"userinfo_endpoint":                     base + "/oauth2/userinfo",
		"code_challenge_methods_supported":      []string{"S256"},
		"grant_types_supported":                 []string{"authorization_code", "refresh_token", "client_credentials"},
		"scopes_supported":                      []string{"email", "offline_access", "openid", "profile"},
		"response_modes_supported":              []string{"query"},
		"response_types_supported":              []string{"code"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"token_endpoint_auth_methods_supported": []string{"none", "client_secret_post", "client_secret_basic"},
	}
}

func workOSClaims(g grant) map[string]any {
	subject := g.subject
	if subject == "" {
		subject = g.client
	}
	claims := g.claims(subject)
	claims["aud"] = workOSEnvironment
	if g.subject != "" {
		claims["sid"] = "app_consent_" + newID()
		if g.resource != "" {
			claims["aud"] = g.resource
		}
	}
	claims["client_id"], claims["jti"] = g.client, newID()
	claims["org_id"] = "org_01HRDMC6CM357W30QMHMQ96Q0S"
	claims["scope"] = g.scope()
	return claims
}
