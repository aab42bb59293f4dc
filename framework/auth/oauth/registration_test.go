package oauth

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
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

func TestAClientRegistersItself(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for what, test := range map[string]struct{ sent, want string }{
		"Cursor": {
			`{"client_name":"Cursor","redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","https://www.cursor.com/agents/mcp/oauth/callback","http://localhost:8787/callback"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","scope":"mcp:use"}`,
			`{"redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","https://www.cursor.com/agents/mcp/oauth/callback","http://localhost:8787/callback"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"client_name":"Cursor"}`,
		},
		"VS Code": {
			`{"client_name":"Visual Studio Code","client_uri":"https://code.visualstudio.com","grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],"response_types":["code"],"redirect_uris":["https://insiders.vscode.dev/redirect","https://vscode.dev/redirect","http://127.0.0.1/","http://127.0.0.1:33418/"],"token_endpoint_auth_method":"none","application_type":"native"}`,
			`{"redirect_uris":["https://insiders.vscode.dev/redirect","https://vscode.dev/redirect","http://127.0.0.1/","http://127.0.0.1:33418/"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"client_name":"Visual Studio Code","client_uri":"https://code.visualstudio.com","application_type":"native"}`,
		},
		"Gemini CLI": {
			`{"client_name":"Gemini CLI (Google ADK)","redirect_uris":["http://localhost:41234/oauth/callback"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","code_challenge_method":["S256"],"scope":""}`,
			`{"redirect_uris":["http://localhost:41234/oauth/callback"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"client_name":"Gemini CLI (Google ADK)"}`,
		},
		"a server": {
			`{"redirect_uris":["https://client.example/cb"],"client_id":"chosen","client_secret":"chosen","logo_uri":"http://10.0.0.1/x.png"}`,
			`{"redirect_uris":["https://client.example/cb"],"token_endpoint_auth_method":"client_secret_basic","grant_types":["authorization_code","refresh_token"],"response_types":["code"]}`,
		},
	} {
		w := f.registers(test.sent)
		var got, want map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusCreated || w.Header().Get("Cache-Control") != "no-store" {
			t.Fatalf("%s: the answer is %d %s", what, w.Code, w.Body)
		}
		_ = json.Unmarshal([]byte(test.want), &want)
		id, _ := got["client_id"].(string)
		issued, _ := got["client_id_issued_at"].(float64)
		secret, _ := got["client_secret"].(string)
		if !strings.HasPrefix(id, "dcr_") || len(id) < 50 || time.Since(time.Unix(int64(issued), 0)) > time.Minute || (secret != "") != (what == "a server") || secret == "chosen" {
			t.Errorf("%s: the answer is %s", what, w.Body)
		}
		if expires, ok := got["client_secret_expires_at"]; ok != (secret != "") || ok && expires != 0.0 {
			t.Errorf("%s: the secret expires at %v", what, expires)
		}
		for _, name := range []string{"client_id", "client_id_issued_at", "client_secret", "client_secret_expires_at"} {
			delete(got, name)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the answer is\n%v, want\n%v", what, got, want)
		}
		if secret != "" {
			form := url.Values{"grant_type": {grantRefresh}, "refresh_token": {"x"}}
			refuses(t, "the secret", f.post(tokenPath, form, basic(id, secret)), 400, "invalid_grant")
			if strings.Contains(f.log.String(), secret) {
				t.Error("the log has the secret")
			}
		}
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
		"no redirect URI":      {`{}`, "invalid_redirect_uri", 400},
		"eleven redirect URIs": {uris(eleven...), "invalid_redirect_uri", 400},
		"http":                 {uris("http://client.example/cb"), "invalid_redirect_uri", 400},
		"a wildcard":           {uris("https://*.client.example/cb"), "invalid_redirect_uri", 400},
		"a fragment":           {uris("https://client.example/cb#x"), "invalid_redirect_uri", 400},
		"javascript":           {uris("https://client.example/cb", "javascript:alert(1)"), "invalid_redirect_uri", 400},
		"an unknown scheme":    {uris("evil://cb"), "invalid_redirect_uri", 400},
		"an unknown method":    {`{` + good + `,"token_endpoint_auth_method":"client_secret_jwt"}`, "invalid_client_metadata", 400},
		"other grants":         {`{` + good + `,"grant_types":["client_credentials"]}`, "invalid_client_metadata", 400},
		"an http client_uri":   {`{` + good + `,"client_uri":"http://client.example"}`, "invalid_client_metadata", 400},
		"a long name":          {`{` + good + `,"client_name":"` + strings.Repeat("a", 101) + `"}`, "invalid_client_metadata", 400},
		"a bidi override":      {`{` + good + `,"client_name":"Claude\u202eedualC"}`, "invalid_client_metadata", 400},
		"a zero-width space":   {`{` + good + `,"client_name":"Clau\u200bde"}`, "invalid_client_metadata", 400},
		"a line break":         {`{` + good + `,"client_name":"Claude\nDesktop"}`, "invalid_client_metadata", 400},
		"an application type":  {`{` + good + `,"application_type":"other"}`, "invalid_client_metadata", 400},
		"a wrong type":         {`{"redirect_uris":"https://client.example/cb"}`, "invalid_client_metadata", 400},
		"text":                 {`hello`, "invalid_client_metadata", 400},
		"17 KiB":               {`{` + good + `,"software_id":"` + strings.Repeat("a", 17<<10) + `"}`, "invalid_client_metadata", 413},
	} {
		refuses(t, what, f.registers(wrong.text), wrong.status, wrong.code)
	}
	refuses(t, "a form", f.registers(`{`+good+`}`, func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }), 415, "invalid_client_metadata")
	refuses(t, "GET", f.registers(`{`+good+`}`, func(r *http.Request) { r.Method = http.MethodGet }), 405, "invalid_request")
	if clients, err := f.store.ListClients(t.Context(), "dcr_", 10); err != nil || len(clients) != 2 { // machine and web
		t.Errorf("the clients are %+v, %v", clients, err)
	}
}

func TestRegistrationsAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		from := func(address string) func(*http.Request) {
			return func(r *http.Request) { r.RemoteAddr = address + ":1" }
		}
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
		if err := f.store.CreateClient(t.Context(), client); err != nil {
			t.Fatal(err)
		}
	}
	b := f.browser()
	b.submit(b.toConsent(t, request("old00", callback)), url.Values{"decision": {"approve"}}).toClient(t, callback)
	if _, err := f.store.PruneClients(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	f.browser().open(request("old00", callback)).isPage(t, "a client in use", http.StatusOK, "asks for access")
	f.browser().open(request("old01", callback)).isPage(t, "a client without use", http.StatusBadRequest, "remove this server and add it again")
}
