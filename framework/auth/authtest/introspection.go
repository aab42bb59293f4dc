package authtest

import (
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// introspection returns the answer of the introspection endpoint for a token (RFC 7662).
func introspection(granted grant, claims map[string]any) map[string]any {
	answer := map[string]any{"active": true, "token_type": "Bearer", "client_id": granted.client, "scope": granted.scope()}
	for _, name := range []string{"iss", "sub", "aud", "exp", "iat", "nbf", "jti"} {
		if value, ok := claims[name]; ok {
			answer[name] = value
		}
	}
	if granted.subject != "" {
		answer["username"] = granted.subject
	}
	return answer
}

// introspect serves token introspection to clients with a secret.
func (i *Issuer) introspect(w http.ResponseWriter, r *http.Request) {
	client, err := i.authenticate(w, r)
	if err == nil && client.Secret == "" {
		err = &oauthError{http.StatusUnauthorized, "invalid_client", "introspection needs a client with a secret"}
	}
	if err != nil {
		writeError(w, err)
		return
	}
	i.mu.Lock()
	answer, ok := i.issued[r.PostForm.Get("token")]
	i.mu.Unlock()
	if !ok || isOver(answer["exp"]) {
		answer = map[string]any{"active": false}
	}
	writeJSON(w, http.StatusOK, answer)
}

// isOver reports whether the claim exp is in the past.
func isOver(exp any) bool {
	seconds, ok := codec.Int(must(codec.Marshal(exp)))
	return ok && int64(seconds) <= time.Now().Unix()
}
