package authtest

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
)

// cognito returns a user pool without resource binding: its access tokens have no audience,
// and verifiers compare the app client. Scopes are named resource-server/scope, such as
// notes/read.
//
// Sources: docs.aws.amazon.com/cognito, "Understanding the access token", "Understanding
// the identity (ID) token", "Verifying JSON web tokens" and "Scopes, M2M, and resource
// servers"; the discovery document is in openiddict/openiddict-core#1586. Another key signs
// ID tokens. The endpoints for authorization and tokens are on the domain of the user pool, not
// on the issuer's host.
func cognito() product {
	const pool = "/us-east-1_Te5tP00l1"
	return product{
		documents: []string{pool + "/.well-known/openid-configuration"},
		metadata:  "cognito",
		claims:    cognitoClaims,
		idClaims:  cognitoIDClaims,
		publish: func(members map[string]any, _ string) {
			id := make([]byte, 32)
			rand.Read(id)
			members["kid"] = base64.StdEncoding.EncodeToString(id)
		},
		separateID: true,
	}
}

func cognitoClaims(g grant) map[string]any {
	claims := g.claims(cmp.Or(g.subject, g.client))
	claims["token_use"], claims["version"] = "access", 2
	claims["client_id"], claims["scope"] = g.client, g.scope()
	claims["auth_time"], claims["jti"] = g.issued.Unix(), guidOf(newID())
	if g.subject != "" {
		claims["username"] = g.subject
		claims["origin_jti"], claims["event_id"] = guidOf(newID()), guidOf(newID())
		claims["cognito:groups"] = []string{"staff"}
	}
	return claims
}

func cognitoIDClaims(g grant) map[string]any {
	claims := g.idClaims()
	claims["token_use"], claims["cognito:username"] = "id", g.subject
	claims["auth_time"], claims["jti"] = g.issued.Unix(), guidOf(newID())
	claims["origin_jti"], claims["event_id"] = guidOf(newID()), guidOf(newID())
	claims["cognito:groups"] = []string{"staff"}
	return claims
}
