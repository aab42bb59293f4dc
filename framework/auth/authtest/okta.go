package authtest

// okta returns the custom authorization server "default" of an org, whose audience the
// administrator set to the resource. Its access tokens have no type in their header. Those
// of the org's own authorization server, which others can't verify, have the type
// application/okta-internal-at+jwt.
//
// Sources: developer.okta.com, "Custom Authorization Servers" of the OpenID Connect and
// OAuth 2.0 API and "Validate access tokens". The registration endpoint needs a token of
// the org's API, so it isn't open to clients; the issuer doesn't serve it.
func okta() product {
	const server = "/oauth2/default"
	return product{
		issuer: server,
		documents: []string{
			server + "/.well-known/openid-configuration",
			server + "/.well-known/oauth-authorization-server",
			"/.well-known/oauth-authorization-server" + server,
		},
		paths: map[Endpoint]string{
			KeysEndpoint:          server + "/v1/keys",
			AuthorizationEndpoint: server + "/v1/authorize",
			TokenEndpoint:         server + "/v1/token",
			IntrospectionEndpoint: server + "/v1/introspect",
		},
		metadata: oktaMetadata,
		claims:   oktaClaims,
		idClaims: oktaIDClaims,
		offline:  true,
	}
}

func oktaMetadata(base string) map[string]any {
	methods := []string{"client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none"}
	return map[string]any{
		"userinfo_endpoint":                             base + "/oauth2/default/v1/userinfo",
		"registration_endpoint":                         base + "/oauth2/v1/clients",
		"revocation_endpoint":                           base + "/oauth2/default/v1/revoke",
		"end_session_endpoint":                          base + "/oauth2/default/v1/logout",
		"response_types_supported":                      []string{"code", "id_token", "code id_token", "code token", "id_token token", "code id_token token"},
		"response_modes_supported":                      []string{"query", "fragment", "form_post", "okta_post_message"},
		"grant_types_supported":                         []string{"authorization_code", "implicit", "refresh_token", "password", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"},
		"subject_types_supported":                       []string{"public"},
		"id_token_signing_alg_values_supported":         []string{"RS256"},
		"scopes_supported":                              []string{"openid", "profile", "email", "address", "phone", "offline_access"},
		"token_endpoint_auth_methods_supported":         methods,
		"introspection_endpoint_auth_methods_supported": methods,
		"claims_supported":                              []string{"ver", "jti", "iss", "aud", "iat", "exp", "cid", "uid", "scp", "sub"},
		"code_challenge_methods_supported":              []string{"S256"},
		"request_parameter_supported":                   true,
	}
}

func oktaClaims(g grant) map[string]any {
	subject := g.subject
	if subject == "" {
		subject = g.client
	}
	claims := g.claims(subject)
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
