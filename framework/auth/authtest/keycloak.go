package authtest

import "cmp"

// keycloak returns the realm "test" of Keycloak 26, with its feature resource-indicators or
// an audience mapper, which adds the resource to the audience.
//
// Sources: keycloak.org, "Integrating with Model Context Protocol" and the upgrading guide
// of 26.4 (documents by path insertion); keycloak/keycloak#48527; decoded tokens of service
// accounts in lpotthast/axum-keycloak-auth#7. The key for encryption in its key set breaks
// some verifiers (greenpau/caddy-security#170).
func keycloak() product {
	const realm = "/realms/test"
	return product{
		documents: []string{
			realm + "/.well-known/openid-configuration",
			realm + "/.well-known/oauth-authorization-server",
			"/.well-known/openid-configuration" + realm,
			"/.well-known/oauth-authorization-server" + realm,
		},
		metadata:  "keycloak",
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

// encryptionModulus is the modulus of the key in RFC 7638, section 3.1. Nothing is encrypted with it.
const encryptionModulus = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs" +
	"tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-" +
	"bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"

func keycloakClaims(g grant) map[string]any {
	claims := g.claims(cmp.Or(g.subject, guidOf(g.client))) // a client has a service account, with an ID of its own
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
