package authtest

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An oauthError is an error answer of an OAuth endpoint (RFC 6749, section 5.2).
type oauthError struct {
	status            int
	code, description string
}

func invalidGrant(description string) *oauthError {
	return &oauthError{http.StatusBadRequest, "invalid_grant", description}
}

func writeError(w http.ResponseWriter, err *oauthError) {
	if err.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Basic")
	}
	writeJSON(w, err.status, map[string]any{"error": err.code, "error_description": err.description})
}

// serveToken serves the token endpoint.
func (i *Issuer) serveToken(w http.ResponseWriter, r *http.Request) {
	client, err := i.authenticate(w, r)
	if err != nil {
		writeError(w, err)
		return
	}
	granted, err := i.granted(client, r)
	if err != nil {
		writeError(w, err)
		return
	}
	answer := i.answer(granted)
	if r.PostForm.Get("grant_type") == "authorization_code" {
		i.addRefreshToken(answer, granted)
	}
	writeJSON(w, http.StatusOK, answer)
}

// granted returns the grant for which a client requests a token.
func (i *Issuer) granted(client Client, r *http.Request) (grant, *oauthError) {
	switch r.PostForm.Get("grant_type") {
	case "client_credentials":
		return i.clientCredentials(client, r)
	case "authorization_code":
		return i.redeem(client, r)
	case "refresh_token":
		return i.refresh(client, r)
	default:
		return grant{}, &oauthError{http.StatusBadRequest, "unsupported_grant_type",
			"use authorization_code, refresh_token or client_credentials"}
	}
}

func (i *Issuer) clientCredentials(client Client, r *http.Request) (granted grant, err *oauthError) {
	if client.Secret == "" {
		return grant{}, &oauthError{http.StatusBadRequest, "unauthorized_client", "the client has no secret"}
	}
	i.mu.Lock()
	granted = i.newGrant()
	i.mu.Unlock()
	granted.subject, granted.client = "", client.ID
	if granted.scopes, err = client.grantScopes(strings.Fields(r.PostForm.Get("scope"))); err != nil {
		return grant{}, err
	}
	granted.resource, err = resourceOf(r.PostForm)
	return granted, err
}

// redeem exchanges an authorization code, which is valid once.
func (i *Issuer) redeem(client Client, r *http.Request) (grant, *oauthError) {
	i.mu.Lock()
	defer i.mu.Unlock()
	code := r.PostForm.Get("code")
	authorized, ok := i.codes[code]
	delete(i.codes, code)
	verifier := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	resource, err := resourceOf(r.PostForm)
	switch {
	case err != nil:
		return grant{}, err
	case !ok || authorized.grant.client != client.ID || time.Now().After(authorized.expires):
		return grant{}, invalidGrant("the code is unknown, used or expired")
	case r.PostForm.Has("redirect_uri") && r.PostForm.Get("redirect_uri") != authorized.redirect:
		return grant{}, invalidGrant("the redirect URI differs from the one in the authorization request")
	case base64.RawURLEncoding.EncodeToString(verifier[:]) != authorized.challenge:
		return grant{}, invalidGrant("the code verifier doesn't match the challenge")
	case resource != "" && authorized.grant.resource != "" && resource != authorized.grant.resource:
		return grant{}, &oauthError{http.StatusBadRequest, "invalid_target", "the resource differs from the one in the authorization request"}
	case resource != "":
		authorized.grant.resource = resource
	}
	authorized.grant.issued = time.Now()
	return authorized.grant, nil
}

// refresh returns the grant of a refresh token, which stays valid, with fewer scopes if the
// client asks for that.
func (i *Issuer) refresh(client Client, r *http.Request) (grant, *oauthError) {
	i.mu.Lock()
	defer i.mu.Unlock()
	granted, ok := i.refreshes[r.PostForm.Get("refresh_token")]
	if !ok || granted.client != client.ID {
		return grant{}, invalidGrant("the refresh token is unknown or revoked")
	}
	if requested := strings.Fields(r.PostForm.Get("scope")); len(requested) > 0 {
		for _, scope := range requested {
			if !slices.Contains(granted.scopes, scope) {
				return grant{}, &oauthError{http.StatusBadRequest, "invalid_scope", "the user didn't grant one of the scopes"}
			}
		}
		granted.scopes = requested
	}
	granted.issued, granted.lifetime = time.Now(), i.lifetime
	return granted, nil
}

// answer makes the tokens of a grant.
func (i *Issuer) answer(granted grant) map[string]any {
	i.mu.Lock()
	defer i.mu.Unlock()
	answer := map[string]any{
		"access_token": i.accessToken(granted),
		"token_type":   "Bearer",
		"expires_in":   int(granted.lifetime.Seconds()),
		"scope":        granted.scope(),
	}
	if granted.subject != "" && slices.Contains(granted.scopes, "openid") {
		answer["id_token"] = i.idToken(granted)
	}
	return answer
}

func (i *Issuer) addRefreshToken(answer map[string]any, granted grant) {
	if i.product.offline && !slices.Contains(granted.scopes, "offline_access") {
		return
	}
	token := newID()
	answer["refresh_token"] = token
	i.mu.Lock()
	defer i.mu.Unlock()
	i.refreshes[token] = granted
}
