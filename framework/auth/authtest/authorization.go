package authtest

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// codeLifetime is how long an authorization code is valid.
const codeLifetime = time.Minute

// An authorization is what an authorization code stands for.
type authorization struct {
	grant     grant
	redirect  string
	challenge string
	expires   time.Time
}

// authorize redirects to the client at once, as if the user were logged in and consented.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	redirect := query.Get("redirect_uri")
	client, ok := i.client(query.Get("client_id"))
	if !ok || !client.allows(redirect) {
		http.Error(w, "The client is unknown, or the redirect URI isn't registered for it.", http.StatusBadRequest)
		return
	}
	answer := url.Values{}
	if query.Has("state") {
		answer.Set("state", query.Get("state"))
	}
	document := i.document()
	if document["authorization_response_iss_parameter_supported"] == true {
		answer.Set("iss", i.URL()) // RFC 9207
	}
	if code, err := i.newCode(client, query); err != nil {
		answer.Set("error", err.code)
		answer.Set("error_description", err.description)
	} else {
		answer.Set("code", code)
	}
	target := must(url.Parse(redirect)) // Client.allows parsed it
	registered := target.Query()
	for name, values := range answer {
		registered[name] = values
	}
	target.RawQuery = registered.Encode()
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, target.String(), http.StatusSeeOther)
}

// newCode checks the parameters of an authorization request and returns a code.
func (i *Issuer) newCode(client Client, query url.Values) (string, *oauthError) {
	switch {
	case query.Get("response_type") != "code":
		return "", &oauthError{0, "unsupported_response_type", "the response type must be code"}
	case query.Get("code_challenge_method") != "S256" || query.Get("code_challenge") == "":
		return "", &oauthError{0, "invalid_request", "a code challenge with the method S256 is required"}
	}
	scopes, err := client.grantScopes(strings.Fields(query.Get("scope")))
	if err != nil {
		return "", err
	}
	resource, err := resourceOf(query)
	if err != nil {
		return "", err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	grant := i.newGrant()
	grant.client, grant.scopes, grant.resource, grant.nonce = client.ID, scopes, resource, query.Get("nonce")
	code := newID()
	i.codes[code] = authorization{
		grant: grant, redirect: query.Get("redirect_uri"), challenge: query.Get("code_challenge"), expires: time.Now().Add(codeLifetime),
	}
	return code, nil
}

// resourceOf returns the resource that a client requests a token for (RFC 8707), or the
// audience, as Auth0 names it.
func resourceOf(form url.Values) (string, *oauthError) {
	if len(form["resource"]) > 1 {
		return "", &oauthError{http.StatusBadRequest, "invalid_target", "a token is for one resource only"}
	}
	if resource := form.Get("resource"); resource != "" {
		return resource, nil
	}
	return form.Get("audience"), nil
}
