package authtest

import "cmp"

const workOSEnvironment = "client_01JX5M2Q8W7YB3T4K6V9D0E1FG"

// workOS returns an AuthKit domain. A resource of a user's token is one that the dashboard
// lists as a resource indicator. Tokens for no resource, and those of client credentials,
// have the client ID of the environment as their audience.
//
// Sources: workos.com/docs, "Access token claims" and "Model Context Protocol" of AuthKit,
// and "Token" of Connect.
func workOS() product {
	return product{
		documents: []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"},
		metadata:  "workos",
		claims:    workOSClaims,
		idClaims:  grant.idClaims,
		publish:   func(members map[string]any, _ string) { members["kid"] = "sso_oidc_key_pair_" + newID() },
		offline:   true,
	}
}

func workOSClaims(g grant) map[string]any {
	claims := g.claims(cmp.Or(g.subject, g.client))
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
