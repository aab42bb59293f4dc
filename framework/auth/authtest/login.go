package authtest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth/internal/issuers"
	"github.com/bowline-mcp/bowline/internal/fetch"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

// Tokens are the answer of a token endpoint (RFC 6749, section 5.1).
type Tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`

	// Endpoint is the token endpoint, and Client the ID of the client.
	Endpoint string `json:"-"`
	Client   string `json:"-"`
}

// Login logs in to the guarded route at a URL, as a client that knows nothing but the URL. It
// finds the authorization server by the route's challenge, registers itself (RFC 7591), opens
// the authorization endpoint in a browser, and redeems the code. Each of the forms is submitted
// on the next page, with the hidden fields of the page. For the pages of package auth/oauth,
// the forms are:
//
//	authtest.Login(t, url, url.Values{"name": {"ana@example.com"}, "password": {password}},
//		url.Values{"decision": {"approve"}, "scope": {"mcp:use"}})
//
// The test fails if the login does.
func Login(t TB, route string, forms ...url.Values) Tokens {
	t.Helper()
	tokens, err := login(route, forms)
	if err != nil {
		t.Fatal(fmt.Errorf("the login at %s: %w", route, err))
	}
	return tokens
}

// callback is the redirect URI of the client. Nobody listens there.
const callback = "http://127.0.0.1/callback"

func login(route string, forms []url.Values) (tokens Tokens, err error) {
	var resource struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	var server struct {
		Authorization string `json:"authorization_endpoint"`
		Token         string `json:"token_endpoint"`
		Registration  string `json:"registration_endpoint"`
	}
	var client struct {
		ID string `json:"client_id"`
	}
	web := fetch.NewClient(fetch.Everywhere, nil)
	refused, err := send(web, http.MethodPost, route, "application/json", "{}")
	if err != nil {
		return tokens, err
	}
	challenge := refused.Header.Get("WWW-Authenticate")
	if err := request(web, http.MethodGet, parameter(challenge, "resource_metadata"), "", "", &resource); err != nil {
		return tokens, fmt.Errorf("the metadata of the route (WWW-Authenticate: %s): %w", challenge, err)
	}
	if len(resource.Servers) == 0 {
		return tokens, errors.New("the metadata of the route has no authorization_servers")
	}
	issuer, err := url.Parse(resource.Servers[0])
	if err != nil {
		return tokens, fmt.Errorf("the metadata of the route: %w", err)
	}
	fetcher := issuers.NewFetcher(resource.Servers[0], web)
	if err := fetcher.Discover(context.Background(), resource.Servers[0], "authorization_endpoint", &server, wellknown.ServerURLs(issuer)...); err != nil {
		return tokens, fmt.Errorf("the metadata of the authorization server: %w", err)
	}
	registration := `{"client_name":"authtest","redirect_uris":["` + callback + `"],"token_endpoint_auth_method":"none"}`
	if err := request(web, http.MethodPost, server.Registration, "application/json", registration, &client); err != nil {
		return tokens, fmt.Errorf("the registration: %w", err)
	}
	const verifier = "authtest-authtest-authtest-authtest-authtest"
	sum := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {callback}, "state": {"authtest"}, "scope": {parameter(challenge, "scope")},
		"resource": {resource.Resource}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	answer, err := browse(server.Authorization+"?"+query.Encode(), forms)
	if err != nil {
		return tokens, err
	}
	form := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client.ID}, "code": {answer.Get("code")}, "redirect_uri": {callback}, "code_verifier": {verifier},
		"resource": {resource.Resource},
	}
	if err := request(web, http.MethodPost, server.Token, "application/x-www-form-urlencoded", form.Encode(), &tokens); err != nil {
		return tokens, fmt.Errorf("the token: %w", err)
	}
	tokens.Endpoint, tokens.Client = server.Token, client.ID
	return tokens, nil
}

// browse opens a page and submits the forms, until the browser is sent to the client. It
// returns the parameters of the answer.
func browse(address string, forms []url.Values) (answer url.Values, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), callback) {
			answer = r.URL.Query()
			return http.ErrUseLastResponse
		}
		return nil
	}}
	response, err := browser.Get(address)
	for i := 0; ; i++ {
		if err != nil {
			return nil, err
		}
		page, unread := io.ReadAll(response.Body)
		if err := errors.Join(unread, response.Body.Close()); err != nil {
			return nil, err
		}
		switch {
		case answer.Has("code"):
			return answer, nil
		case answer != nil:
			return nil, fmt.Errorf("the client is answered %v", answer)
		case response.StatusCode != http.StatusOK || i == len(forms):
			return nil, fmt.Errorf("page %d, %s, is %s:\n%s", i+1, response.Request.URL, response.Status, page)
		}
		response, err = submit(browser, response.Request.URL, string(page), forms[i])
	}
}

var (
	action = regexp.MustCompile(`<form[^>]* action="([^"]*)"`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)
)

// submit submits the form of a page.
func submit(browser *http.Client, at *url.URL, page string, fields url.Values) (*http.Response, error) {
	sent := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(page, -1) {
		sent.Set(html.UnescapeString(field[1]), html.UnescapeString(field[2]))
	}
	for name, values := range fields {
		sent[name] = values
	}
	target := at
	if found := action.FindStringSubmatch(page); found != nil {
		var err error
		if target, err = at.Parse(html.UnescapeString(found[1])); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequest(http.MethodPost, target.String(), strings.NewReader(sent.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", at.Scheme+"://"+at.Host)
	return browser.Do(r)
}

// parameter returns a parameter of a challenge.
func parameter(challenge, name string) string {
	_, rest, _ := strings.Cut(challenge, name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// request sends a request and decodes the document of its answer.
func request(web *http.Client, method, address, contentType, body string, document any) error {
	answer, err := send(web, method, address, contentType, body)
	if err != nil {
		return err
	}
	if answer.Status/100 != 2 {
		return fmt.Errorf("the answer of %s is %d %s: %s", address, answer.Status, http.StatusText(answer.Status), answer.Body)
	}
	return codec.Unmarshal(answer.Body, document)
}

func send(web *http.Client, method, address, contentType, body string) (*fetch.Answer, error) {
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", contentType)
	return fetch.Do(web, r, limits.MaxIssuerDocument)
}
