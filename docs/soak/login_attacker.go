package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// An attacker is a stranger at 127.0.0.2, who has registered two clients and opens transactions.
type attacker struct {
	*client
	server    string // the issuer
	key       *ecdsa.PrivateKey
	serverKey string // the ID of the server's key
	public    string // the ID of a client without credentials
	signing   string // the ID of a client that signs assertions with the key

	lock         sync.Mutex
	transactions []transaction // the latest one last
	used         int
}

// A transaction is an authorization request that waits for a login.
type transaction struct {
	id, csrf string
	cookie   *http.Cookie
}

// newAttacker registers the clients and opens the first transaction.
func newAttacker(ctx context.Context, address string) (*attacker, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &attacker{client: newClient(address, 2, connections), server: "http://" + address, key: key}
	a.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var public, signing struct {
		ID string `json:"client_id"`
	}
	var keys struct {
		Keys []struct {
			ID string `json:"kid"`
		} `json:"keys"`
	}
	for _, step := range []struct {
		*flood
		into any
	}{
		{&flood{path: "/oauth/register", json: func() string { return metadata("none", "") }}, &public},
		{&flood{path: "/oauth/register", json: func() string { return metadata("private_key_jwt", a.keySet()) }}, &signing},
		{&flood{path: "/oauth/jwks", query: nothing}, &keys},
	} {
		response, body, err := a.send(a.request(ctx, step.flood))
		if err == nil {
			err = decode(response, body, step.into)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(keys.Keys) == 0 {
		return nil, errors.New("the server has no key")
	}
	a.public, a.signing, a.serverKey = public.ID, signing.ID, keys.Keys[0].ID
	status, err := a.attack(ctx, a.opening())
	if err == nil && len(a.transactions) == 0 {
		err = fmt.Errorf("the first authorization request is answered with %d", status)
	}
	return a, err
}

// longURI is a redirect URI whose characters JSON escapes, so that the server keeps six bytes for each.
func longURI() string { return redirectURI + "?" + strings.Repeat("&", 2000) }

// metadata returns the metadata of a client.
func metadata(method, keys string) string {
	text := `{"client_name":"` + rand.Text() + `","redirect_uris":["` + longURI() + `"],"token_endpoint_auth_method":"` + method + `"`
	if keys != "" {
		text += `,"jwks":` + keys
	}
	return text + "}"
}

// keySet returns the attacker's JSON Web Key Set, with further members if they are given.
func (a *attacker) keySet(members ...string) string {
	point, _ := a.key.PublicKey.Bytes() // 4, then both coordinates; the curve is a known one
	encode := base64.RawURLEncoding.EncodeToString
	key := fmt.Sprintf(`{"kty":"EC","crv":"P-256","x":"%s","y":"%s","kid":"a"}`, encode(point[1:33]), encode(point[33:]))
	return "{" + strings.Join(append([]string{`"keys":[` + key + `]`}, members...), ",") + "}"
}

// sign returns a JSON Web Token that the attacker signs with ES256 (RFC 7515, RFC 7518).
func (a *attacker) sign(kind, keyID string, claims map[string]any) string {
	payload, _ := json.Marshal(claims) // texts and a number
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"ES256","typ":"`+kind+`","kid":"`+keyID+`"}`)) + "." + encode(payload)
	hash := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, a.key, hash[:])
	if err != nil {
		return ""
	}
	return text + "." + encode(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

// attack sends the next request of a flood, and returns the status of the answer.
func (a *attacker) attack(ctx context.Context, f *flood) (status int, err error) {
	response, body, err := a.send(a.request(ctx, f))
	if err != nil {
		return 0, err
	}
	if response.StatusCode == f.status && strings.Contains(body, f.says) {
		f.reached.Add(1)
	}
	if f.opens {
		err = a.follow(ctx, response)
	}
	return response.StatusCode, err
}

// follow keeps the transaction that an authorization request has opened, with the token of its login page.
func (a *attacker) follow(ctx context.Context, answer *http.Response) error {
	location, err := answer.Location()
	if err != nil || len(answer.Cookies()) == 0 {
		return nil //nolint:nilerr // a limit refuses new transactions
	}
	opened := transaction{id: location.Query().Get("txn"), cookie: answer.Cookies()[0]}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, location.String(), nil)
	if err != nil {
		return err
	}
	r.AddCookie(opened.cookie)
	_, page, err := a.send(r)
	if token := regexp.MustCompile(`name="csrf" value="([^"]*)"`).FindStringSubmatch(page); token != nil {
		opened.csrf = token[1]
		a.lock.Lock()
		defer a.lock.Unlock()
		a.transactions = append(a.transactions, opened)
	}
	return err
}

// transaction returns one of the latest transactions, each in turn: limits refuse new ones soon.
func (a *attacker) transaction() transaction {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.used++
	return a.transactions[len(a.transactions)-1-a.used%min(len(a.transactions), 60)]
}

// request returns the next request of a flood.
func (a *attacker) request(ctx context.Context, f *flood) *http.Request {
	method, kind, body, query, page := http.MethodPost, "application/x-www-form-urlencoded", "", url.Values{}, transaction{}
	if f.page {
		page = a.transaction()
		query.Set("txn", page.id)
	}
	switch {
	case f.query != nil:
		method = http.MethodGet
		for name, values := range f.query() {
			query[name] = values
		}
	case f.form != nil:
		form := f.form()
		if f.page {
			form.Set("csrf", page.csrf)
		}
		body = form.Encode()
	default:
		kind, body = "application/json", f.json()
	}
	address := a.server + f.path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	r, _ := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body)) // the URL is a valid one
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Origin", a.server)
	if f.page {
		r.AddCookie(page.cookie)
	}
	if f.session {
		r.AddCookie(&http.Cookie{Name: "oauth_session", Value: rand.Text()})
	}
	return r
}

// asserted adds a fresh assertion of the signing client to a form (RFC 7523). The server keeps the ID of each.
func (a *attacker) asserted(form func() url.Values) func() url.Values {
	return func() url.Values {
		made := form()
		made.Del("client_id")
		made.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		made.Set("client_assertion", a.sign("JWT", "a", map[string]any{
			"iss": a.signing, "sub": a.signing, "aud": a.server, "jti": rand.Text(), "exp": time.Now().Add(5 * time.Minute).Unix(),
		}))
		return made
	}
}

// forged returns an access token that names the server's key, and is signed with the attacker's.
func (a *attacker) forged() string {
	return a.sign("at+jwt", a.serverKey, map[string]any{"iss": a.server, "sub": "ana", "exp": time.Now().Add(time.Minute).Unix()})
}

// secret returns a text that has the form of a code and of a refresh token, so that the server looks for its grant.
func secret() string {
	bytes := make([]byte, 48)
	_, _ = rand.Read(bytes) // never fails
	encode := base64.RawURLEncoding.EncodeToString
	return encode(bytes[:16]) + "." + encode(bytes[16:])
}
