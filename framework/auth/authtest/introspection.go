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
	w.Header().Set("Cache-Control", "no-store")
	if err := r.ParseForm(); err != nil {
		writeError(w, &oauthError{http.StatusBadRequest, "invalid_request", "the body is not a form"})
		return
	}
	if client, err := i.authenticate(r); err != nil || client.Secret == "" {
		writeError(w, &oauthError{http.StatusUnauthorized, "invalid_client", "introspection needs a client with a secret"})
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
