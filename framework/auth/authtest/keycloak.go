package authtest

// keycloak returns the realm "test" of Keycloak 26, with its feature resource-indicators or
// an audience mapper, which adds the resource to the audience.
//
// Sources: keycloak.org, "Integrating with Model Context Protocol" and the upgrading guide
// of 26.4 (documents by path insertion); keycloak/keycloak#48527; decoded tokens of service
// accounts in lpotthast/axum-keycloak-auth#7. The key for encryption in its key set breaks
// some verifiers (greenpau/caddy-security#170).
func keycloak() product {
	const realm = "/realms/test"
	const protocol = realm + "/protocol/openid-connect"
	return product{
		issuer: realm,
		documents: []string{
			realm + "/.well-known/openid-configuration",
			realm + "/.well-known/oauth-authorization-server",
			"/.well-known/openid-configuration" + realm,
			"/.well-known/oauth-authorization-server" + realm,
		},
		paths: map[Endpoint]string{
			KeysEndpoint:          protocol + "/certs",
			AuthorizationEndpoint: protocol + "/auth",
			TokenEndpoint:         protocol + "/token",
			RegistrationEndpoint:  realm + "/clients-registrations/openid-connect",
			IntrospectionEndpoint: protocol + "/token/introspect",
		},
		metadata:  func(base string) map[string]any { return keycloakMetadata(base + protocol) },
		typ:       "JWT",
		idType:    "JWT",
		claims:    keycloakClaims,
		idClaims:  keycloakIDClaims,
		certified: true,
		otherKeys: []map[string]any{{
			"kid": "C2e0yJcuSRBVsmVj0NrJDqr5oMdM6l8Up6W91fbjbnU", "kty": "RSA", "alg": "RSA-OAEP", "use": "enc",
			"n": encryptionModulus, "e": "AQAB",
		}},
	}
}

// encryptionModulus is of the key in RFC 7638, section 3.1. Nothing is encrypted with it.
const encryptionModulus = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs" +
	"tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-" +
	"bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"

func keycloakMetadata(protocol string) map[string]any {
	algorithms := []string{"PS384", "RS384", "EdDSA", "ES384", "HS256", "HS512", "ES256", "RS256", "HS384", "ES512", "PS256", "PS512", "RS512"}
	methods := []string{"private_key_jwt", "client_secret_basic", "client_secret_post", "tls_client_auth", "client_secret_jwt", "none"}
	return map[string]any{
		"userinfo_endpoint":                                        protocol + "/userinfo",
		"end_session_endpoint":                                     protocol + "/logout",
		"revocation_endpoint":                                      protocol + "/revoke",
		"device_authorization_endpoint":                            protocol + "/auth/device",
		"pushed_authorization_request_endpoint":                    protocol + "/ext/par/request",
		"check_session_iframe":                                     protocol + "/login-status-iframe.html",
		"grant_types_supported":                                    []string{"authorization_code", "client_credentials", "implicit", "password", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:token-exchange"},
		"acr_values_supported":                                     []string{"0", "1"},
		"response_types_supported":                                 []string{"code", "none", "id_token", "token", "id_token token", "code id_token", "code token", "code id_token token"},
		"response_modes_supported":                                 []string{"query", "fragment", "form_post", "query.jwt", "fragment.jwt", "form_post.jwt", "jwt"},
		"subject_types_supported":                                  []string{"public", "pairwise"},
		"id_token_signing_alg_values_supported":                    algorithms,
		"token_endpoint_auth_methods_supported":                    methods,
		"token_endpoint_auth_signing_alg_values_supported":         algorithms,
		"introspection_endpoint_auth_methods_supported":            methods,
		"introspection_endpoint_auth_signing_alg_values_supported": algorithms,
		"claims_supported":                                         []string{"iss", "sub", "aud", "exp", "iat", "auth_time", "name", "given_name", "family_name", "preferred_username", "email", "acr", "azp", "nonce"},
		"claim_types_supported":                                    []string{"normal"},
		"claims_parameter_supported":                               true,
		"scopes_supported":                                         []string{"openid", "web-origins", "acr", "address", "organization", "profile", "offline_access", "phone", "microprofile-jwt", "basic", "email", "roles", "service_account"},
		"request_parameter_supported":                              true,
		"request_uri_parameter_supported":                          true,
		"require_request_uri_registration":                         true,
		"code_challenge_methods_supported":                         []string{"plain", "S256"},
		"tls_client_certificate_bound_access_tokens":               true,
		"authorization_response_iss_parameter_supported":           true,
	}
}

func keycloakClaims(g grant) map[string]any {
	subject := g.subject
	if subject == "" {
		subject = guidOf(g.client) // the service account of the client
	}
	claims := g.claims(subject)
	addKeycloakClaims(claims, g)
	claims["typ"] = "Bearer"
	// The role "account" of each user adds an audience.
	claims["aud"] = "account"
	if g.resource != "" {
		claims["aud"] = []string{g.resource, "account"}
	}
	claims["scope"] = g.scope()
	claims["realm_access"] = map[string]any{"roles": []string{"default-roles-test", "offline_access", "uma_authorization"}}
	claims["resource_access"] = map[string]any{"account": map[string]any{"roles": []string{"manage-account", "view-profile"}}}
	if g.subject == "" {
		claims["clientHost"], claims["clientAddress"], claims["client_id"] = "127.0.0.1", "127.0.0.1", g.client
		claims["preferred_username"] = "service-account-" + g.client
		delete(claims, "sid")
	}
	return claims
}

func keycloakIDClaims(g grant) map[string]any {
	claims := g.idClaims()
	addKeycloakClaims(claims, g)
	claims["typ"] = "ID"
	return claims
}

// addKeycloakClaims adds the claims that access and ID tokens share.
func addKeycloakClaims(claims map[string]any, g grant) {
	claims["jti"], claims["sid"] = guidOf(newID()), guidOf(newID())
	claims["azp"], claims["acr"] = g.client, "1"
	claims["preferred_username"], claims["email_verified"] = g.subject, false
}
