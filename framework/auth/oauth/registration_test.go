package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/wellknown"
)

// registers sends a registration.
func (f *fixture) registers(text string, alter ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, issuer+registerPath, strings.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	for _, change := range alter {
		change(r)
	}
	w := httptest.NewRecorder()
	f.mux.ServeHTTP(w, r)
	return w
}

// The files of testdata/registrations have the requests of clients byte for byte, as they were
// recorded, or as the source of the client writes them, and the metadata of the answers.
func TestEachKnownClientRegistersItself(t *testing.T) {
	t.Parallel()
	answers, err := filepath.Glob("testdata/registrations/*.answer.json")
	if err != nil || len(answers) == 0 {
		t.Fatal(answers, err)
	}
	for _, path := range answers {
		f := newFixture(t)
		name := strings.TrimSuffix(filepath.Base(path), ".answer.json")
		sent, err := os.ReadFile(filepath.Join("testdata", "registrations", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		expected, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		w := f.registers(string(sent))
		answer := map[string]any{}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusCreated || w.Header().Get("Cache-Control") != "no-store" {
			t.Fatalf("%s: the answer is %d %s", name, w.Code, w.Body)
		}
		id, _ := answer["client_id"].(string)
		issued, _ := answer["client_id_issued_at"].(float64)
		secret, _ := answer["client_secret"].(string)
		if !strings.HasPrefix(id, "dcr_") || len(id) < 50 || time.Since(time.Unix(int64(issued), 0)) > time.Minute || (secret != "") == (answer["token_endpoint_auth_method"] == methodNone) {
			t.Errorf("%s: the answer is %s", name, w.Body)
		}
		if expires, ok := answer["client_secret_expires_at"]; ok != (secret != "") || ok && expires != 0.0 {
			t.Errorf("%s: the secret expires at %v", name, expires)
		}
		if secret != "" && (len(secret) != 52 || strings.Contains(f.log.String(), secret)) {
			t.Errorf("%s: the secret has %d characters, or is in the log", name, len(secret))
		}
		for _, member := range []string{"client_id", "client_id_issued_at", "client_secret", "client_secret_expires_at"} {
			delete(answer, member)
		}
		var want map[string]any
		if err := json.Unmarshal(expected, &want); err != nil || !reflect.DeepEqual(answer, want) {
			t.Errorf("%s: the answer is\n%v, want\n%v", name, answer, want)
		}
		client, err := f.clients.Client(httptest.NewRequest(http.MethodGet, issuer, nil), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, uri := range client.RedirectURIs {
			form := url.Values{"grant_type": {grantCode}, "client_id": {id}, "code": {f.code(t, client, uri)}, "code_verifier": {verifier}}
			switch answer["token_endpoint_auth_method"] {
			case methodPost:
				form.Set("client_secret", secret)
				answerOf(t, f.post(tokenPath, form))
			case methodBasic:
				answerOf(t, f.post(tokenPath, form, basic(id, secret)))
			default:
				answerOf(t, f.post(tokenPath, form))
			}
		}
	}
}

func TestARegistrationCannotChooseItsCredentials(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.registers(`{"redirect_uris":["https://client.example/cb"],"client_id":"chosen","client_secret":"chosen","logo_uri":"http://10.0.0.1/x.png"}`)
	var answer map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusCreated || strings.Contains(w.Body.String(), "chosen") || answer["logo_uri"] != nil {
		t.Errorf("the answer is %d %s", w.Code, w.Body)
	}
}

func TestARegistrationThatIsNotSafeIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const good = `"redirect_uris":["https://client.example/cb"]`
	uris := func(uris ...string) string {
		text, _ := json.Marshal(map[string]any{"redirect_uris": uris})
		return string(text)
	}
	eleven := make([]string, 11)
	for i := range eleven {
		eleven[i] = fmt.Sprintf("https://client.example/%d", i)
	}
	for what, wrong := range map[string]struct {
		text, code string
		status     int
	}{
		"no redirect URI":         {`{}`, "invalid_redirect_uri", 400},
		"eleven redirect URIs":    {uris(eleven...), "invalid_redirect_uri", 400},
		"http":                    {uris("http://client.example/cb"), "invalid_redirect_uri", 400},
		"a wildcard":              {uris("https://*.client.example/cb"), "invalid_redirect_uri", 400},
		"a fragment":              {uris("https://client.example/cb#x"), "invalid_redirect_uri", 400},
		"javascript":              {uris("https://client.example/cb", "javascript:alert(1)"), "invalid_redirect_uri", 400},
		"an unknown scheme":       {uris("evil://cb"), "invalid_redirect_uri", 400},
		"an unknown method":       {`{` + good + `,"token_endpoint_auth_method":"client_secret_jwt"}`, "invalid_client_metadata", 400},
		"other grants":            {`{` + good + `,"grant_types":["client_credentials"]}`, "invalid_client_metadata", 400},
		"an http client_uri":      {`{` + good + `,"client_uri":"http://client.example"}`, "invalid_client_metadata", 400},
		"a long name":             {`{` + good + `,"client_name":"` + strings.Repeat("a", 101) + `"}`, "invalid_client_metadata", 400},
		"a bidi override":         {`{` + good + `,"client_name":"Claude\u202eedualC"}`, "invalid_client_metadata", 400},
		"a zero-width space":      {`{` + good + `,"client_name":"Clau\u200bde"}`, "invalid_client_metadata", 400},
		"a line break":            {`{` + good + `,"client_name":"Claude\nDesktop"}`, "invalid_client_metadata", 400},
		"a line separator":        {`{` + good + `,"client_name":"Claude\u2028Desktop"}`, "invalid_client_metadata", 400},
		"a paragraph":             {`{` + good + `,"client_name":"Claude\u2029Desktop"}`, "invalid_client_metadata", 400},
		"a private character":     {`{` + good + `,"client_name":"Claude\ue000"}`, "invalid_client_metadata", 400},
		"a client_uri at no host": {`{` + good + `,"client_uri":"https:///x"}`, "invalid_client_metadata", 400},
		"a long client_uri":       {`{` + good + `,"client_uri":"https://client.example/` + strings.Repeat("a", 2048) + `"}`, "invalid_client_metadata", 400},
		"an application type":     {`{` + good + `,"application_type":"other"}`, "invalid_client_metadata", 400},
		"no keys":                 {`{` + good + `,"token_endpoint_auth_method":"private_key_jwt"}`, "invalid_client_metadata", 400},
		"keys and their URL":      {`{` + good + `,"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://client.example/keys","jwks":` + string(keySet(t, newKey(t, jose.ES256))) + `}`, "invalid_client_metadata", 400},
		"keys over http":          {`{` + good + `,"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"http://client.example/keys"}`, "invalid_client_metadata", 400},
		"keys at no host":         {`{` + good + `,"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https:///keys"}`, "invalid_client_metadata", 400},
		"keys of a user":          {`{` + good + `,"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://ana@client.example/keys"}`, "invalid_client_metadata", 400},
		"keys at a fragment":      {`{` + good + `,"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://client.example/keys#x"}`, "invalid_client_metadata", 400},
		"keys at a long URL":      {`{` + good + `,"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://client.example/` + strings.Repeat("a", 2048) + `"}`, "invalid_client_metadata", 400},
		"a symmetric key":         {`{` + good + `,"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},{"kty":"oct","k":"c2VjcmV0"}]}}`, "invalid_client_metadata", 400},
		"a private key":           {`{` + good + `,"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}]}}`, "invalid_client_metadata", 400},
		"no key for us":           {`{` + good + `,"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[{"kty":"EC","crv":"P-521"}]}}`, "invalid_client_metadata", 400},
		"keys that are text":      {`{` + good + `,"token_endpoint_auth_method":"private_key_jwt","jwks":"{}"}`, "invalid_client_metadata", 400},
		"a wrong type":            {`{"redirect_uris":"https://client.example/cb"}`, "invalid_client_metadata", 400},
		"text":                    {`hello`, "invalid_client_metadata", 400},
		"a member twice":          {`{` + good + `,"client_name":"a","client_name":"b"}`, "invalid_client_metadata", 400},
		"another spelling":        {`{"Redirect_URIs":["https://client.example/cb"]}`, "invalid_redirect_uri", 400},
		"a name of marks":         {`{` + good + `,"client_name":"a` + strings.Repeat(`\u0301`, 90) + `"}`, "invalid_client_metadata", 400},
		"an answer in the query":  {uris("https://client.example/cb?iss=x"), "invalid_redirect_uri", 400},
		"a host with a semicolon": {uris("https://client.example;sandbox/cb"), "invalid_redirect_uri", 400},
		"17 KiB":                  {`{` + good + `,"software_id":"` + strings.Repeat("a", 17<<10) + `"}`, "invalid_client_metadata", 413},
	} {
		refuses(t, what, f.registers(wrong.text), wrong.status, wrong.code)
	}
	refuses(t, "a form", f.registers(`{`+good+`}`, func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }), 415, "invalid_client_metadata")
	refuses(t, "GET", f.registers(`{`+good+`}`, func(r *http.Request) { r.Method = http.MethodGet }), 405, "invalid_request")
	if clients, err := f.base.Store.ListClients(t.Context(), "dcr_", 10); err != nil || len(clients) != 2 { // machine and web
		t.Errorf("the clients are %+v, %v", clients, err)
	}
}

// A client registers a URI for each of its forms: a desktop program, and a page on the web.
func TestAnUnknownSchemeIsLeftOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.registers(`{"redirect_uris":["claude://claude.ai/mcp-auth-callback/sdk","evil://cb","https://client.example/cb","warp://mcp/oauth2callback"]}`)
	var answer struct {
		URIs []string `json:"redirect_uris"`
	}
	want := []string{"claude://claude.ai/mcp-auth-callback/sdk", "https://client.example/cb", "warp://mcp/oauth2callback"}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusCreated || !slices.Equal(answer.URIs, want) {
		t.Errorf("the answer is %d %s", w.Code, w.Body)
	}
}

func TestTheSchemesOfRedirectURIsAreThoseOfTheConfiguration(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *Config, _ *mcp.Site) { c.RedirectSchemes = []string{"acme"} })
	for uri, status := range map[string]int{"acme://cb": http.StatusCreated, "com.example.app:/cb": http.StatusCreated, "claude://cb": http.StatusBadRequest} {
		if w := f.registers(`{"redirect_uris":["` + uri + `"]}`); w.Code != status || status == http.StatusBadRequest && !strings.Contains(w.Body.String(), "is one of acme") {
			t.Errorf("%s: the answer is %d %s", uri, w.Code, w.Body)
		}
	}
}

func TestRegistrationCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *Config, _ *mcp.Site) { c.NoRegistration = true })
	if w := f.registers(`{"redirect_uris":["https://client.example/cb"]}`); w.Code != http.StatusNotFound {
		t.Errorf("the registration gets %d %s", w.Code, w.Body)
	}
	if w := f.get(t, http.MethodGet, wellknown.ServerPaths("")[0]); strings.Contains(w.Body.String(), "regist") {
		t.Errorf("the metadata are %s", w.Body)
	}
	f.login(t)
}

func TestPublicClientsCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	f, key := newFixture(t, func(c *Config, _ *mcp.Site) { c.NoPublicClients = true }), newKey(t, jose.RS256)
	if w := f.get(t, http.MethodGet, wellknown.ServerPaths("")[0]); strings.Contains(w.Body.String(), `"none"`) || !strings.Contains(w.Body.String(), registerPath) {
		t.Errorf("the metadata are %s", w.Body)
	}
	w := f.registers(`{"redirect_uris":["http://127.0.0.1:33418/"],"token_endpoint_auth_method":"none"}`)
	var answer struct {
		ID         string `json:"client_id"`
		Secret     string `json:"client_secret"`
		AuthMethod string `json:"token_endpoint_auth_method"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusCreated || answer.AuthMethod != methodPost || answer.Secret == "" {
		t.Fatalf("the registration gets %d %s", w.Code, w.Body)
	}
	form := url.Values{"grant_type": {grantRefresh}, "refresh_token": {"x"}}
	refuses(t, "the secret in the body", f.post(tokenPath, with(form, "client_id", answer.ID, "client_secret", answer.Secret)), http.StatusBadRequest, "invalid_grant")
	refuses(t, "the secret in the header", f.post(tokenPath, form, basic(answer.ID, answer.Secret)), http.StatusBadRequest, "invalid_grant")
	refuses(t, "no secret", f.post(tokenPath, with(form, "client_id", answer.ID)), http.StatusUnauthorized, "invalid_client")

	refuses(t, "a public client of before", f.post(tokenPath, with(form, "client_id", "app")), http.StatusUnauthorized, "invalid_client")
	f.browser().open(request("app", callback)).isPage(t, "a public client of before", http.StatusBadRequest, "remove this server and add it again")

	chat := newDescription()
	f.clients.Documents = chat
	f.browser().open(request(described, "http://localhost:1/callback")).isPage(t, "a document without keys", http.StatusBadRequest, "can't be read, or is not valid")
	f.publishes(keySet(t, key))
	chat.document.KeysURI = keysURL
	f.browser().open(request(described, "http://localhost:1/callback")).isPage(t, "a document with keys", http.StatusOK, "asks for access")
	refuses(t, "a document without its key", f.post(tokenPath, with(form, "client_id", described)), http.StatusUnauthorized, "invalid_client")
	refuses(t, "a document with its key", f.post(tokenPath, asserted(form, assertion(t, described, key))), http.StatusBadRequest, "invalid_grant")
}

func TestAClientRegistersItsKeys(t *testing.T) {
	t.Parallel()
	f, key := newFixture(t), newKey(t, jose.EdDSA)
	p := f.publishes(keySet(t, key))
	for what, keys := range map[string]string{"jwks": string(keySet(t, key)), "jwks_uri": `"` + keysURL + `"`} {
		w := f.registers(`{"redirect_uris":["https://web.example/cb"],"token_endpoint_auth_method":"private_key_jwt","` + what + `":` + keys + `}`)
		var answer map[string]json.RawMessage
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusCreated || string(answer[what]) != keys || answer["client_secret"] != nil || string(answer["token_endpoint_auth_method"]) != `"private_key_jwt"` {
			t.Fatalf("%s: the answer is %d %s", what, w.Code, w.Body)
		}
		id := strings.Trim(string(answer["client_id"]), `"`)
		client, err := f.clients.Client(httptest.NewRequest(http.MethodGet, issuer, nil), id)
		if err != nil {
			t.Fatal(err)
		}
		form := url.Values{"grant_type": {grantCode}, "code": {f.code(t, client, webCallback)}, "code_verifier": {verifier}, "client_id": {id}}
		refuses(t, what+" without an assertion", f.post(tokenPath, form), http.StatusUnauthorized, "invalid_client")
		answerOf(t, f.post(tokenPath, asserted(form, assertion(t, id, key))))
	}
	if len(p.asked) != 1 {
		t.Errorf("the fetches are %v", p.asked)
	}
	if w := f.registers(`{"redirect_uris":["https://web.example/cb"],"token_endpoint_auth_method":"private_key_jwt","jwks":null,"jwks_uri":"` + keysURL + `"}`); w.Code != http.StatusCreated {
		t.Errorf("no keys beside their URL: %d %s", w.Code, w.Body)
	}
	w := f.registers(`{"redirect_uris":["https://web.example/cb"],"token_endpoint_auth_method":"none","jwks":"not used"}`)
	if w.Code != http.StatusCreated || strings.Contains(w.Body.String(), "jwks") {
		t.Errorf("keys of a public client: %d %s", w.Code, w.Body)
	}
}

func TestRegistrationsAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		const good = `{"redirect_uris":["https://client.example/cb"]}`
		for n := range 100 {
			if w := f.registers(good, from("192.0.2.1")); w.Code != http.StatusCreated {
				t.Fatalf("registration %d gets %d", n, w.Code)
			}
		}
		w := f.registers(good, from("192.0.2.1"), func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.9") })
		refuses(t, "the next one", w, http.StatusTooManyRequests, "temporarily_unavailable")
		if w := f.registers(good, from("192.0.2.2")); w.Code != http.StatusCreated {
			t.Errorf("another address gets %d", w.Code)
		}
		time.Sleep(36 * time.Second)
		if w := f.registers(good, from("192.0.2.1")); w.Code != http.StatusCreated {
			t.Errorf("after a while the first gets %d", w.Code)
		}
	})
}

// Clients keep the ID of a registration for ever.
func TestARegistrationThatIsUsedStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for n := range 20 {
		client := store.Client{ID: fmt.Sprintf("old%02d", n), Source: store.Registered, RedirectURIs: []string{callback}, Created: time.Now().Add(-time.Hour)}
		if err := f.base.Store.CreateClient(t.Context(), client); err != nil {
			t.Fatal(err)
		}
	}
	b := f.browser()
	b.submit(b.toConsent(t, request("old00", callback)), url.Values{"decision": {"approve"}}).toClient(t, callback)
	if _, err := f.base.Store.PruneClients(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	f.browser().open(request("old00", callback)).isPage(t, "a client in use", http.StatusOK, "asks for access")
	f.browser().open(request("old01", callback)).isPage(t, "a client without use", http.StatusBadRequest, "remove this server and add it again")
}
