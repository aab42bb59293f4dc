package oauth

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// with returns parameters with some changed. A parameter is removed by "".
func with(parameters url.Values, changes ...string) url.Values {
	changed := url.Values{}
	for name, values := range parameters {
		changed[name] = values
	}
	for i := 0; i < len(changes); i += 2 {
		changed.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			changed.Del(changes[i])
		}
	}
	return changed
}

func TestClientsGetTokensWithTheirCodes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for what, send := range map[string]func() grants.Answer{
		"a public client": func() grants.Answer { return f.login(t) },
		"a client with a secret in the header": func() grants.Answer {
			form := url.Values{"grant_type": {grantCode}, "code": {f.code(t, web, "https://web.example/cb")}, "code_verifier": {verifier}, "redirect_uri": {"https://web.example/cb"}}
			return answerOf(t, f.post(tokenPath, form, basic("web", secret)))
		},
		"a client with a secret in the body": func() grants.Answer {
			form := url.Values{"grant_type": {grantCode}, "client_id": {"web"}, "client_secret": {secret}, "code": {f.code(t, web, "https://web.example/cb")}, "code_verifier": {verifier}}
			return answerOf(t, f.post(tokenPath, form))
		},
	} {
		answer := send()
		if answer.TokenType != "Bearer" || answer.ExpiresIn != 600 || answer.Scope != "mcp:use files:write" || answer.RefreshToken == "" {
			t.Errorf("%s: the answer is %+v", what, answer)
		}
		access, ok := f.accessToken(answer.AccessToken)
		if !ok || access.claims["iss"] != issuer || access.claims["aud"] != resource || access.claims["sub"] != "u1" {
			t.Errorf("%s: the access token is %+v", what, access)
		}
	}
}

func TestRequestsForTokensThatAreWrongAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	code := f.code(t, app, callback)
	form := url.Values{"grant_type": {grantCode}, "client_id": {"app"}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {callback}, "resource": {resource}}
	for what, wrong := range map[string]struct {
		form   url.Values
		alter  func(*http.Request)
		status int
		code   string
	}{
		"no grant type":            {form: with(form, "grant_type", ""), status: 400, code: "invalid_request"},
		"the password grant":       {form: with(form, "grant_type", "password"), status: 400, code: "unsupported_grant_type"},
		"NUL in the client":        {form: with(form, "client_id", "a\x00"), status: 400, code: "invalid_request"},
		"a code without UTF-8":     {form: with(form, "code", "\xff"), status: 400, code: "invalid_request"},
		"NUL in a refresh token":   {form: with(form, "grant_type", grantRefresh, "refresh_token", "a\x00"), status: 400, code: "invalid_request"},
		"a long parameter":         {form: with(form, "x", strings.Repeat("x", limits.MaxParameter+1)), status: 400, code: "invalid_request"},
		"a grant of others":        {form: with(form, "grant_type", grantCredentials), status: 400, code: "unauthorized_client"},
		"no client":                {form: with(form, "client_id", ""), status: 401, code: "invalid_client"},
		"an unknown client":        {form: with(form, "client_id", "nobody"), status: 401, code: "invalid_client"},
		"a secret of a public one": {form: with(form, "client_secret", "x"), status: 401, code: "invalid_client"},
		"no secret":                {form: with(form, "client_id", "web"), status: 401, code: "invalid_client"},
		"a wrong secret":           {form: with(form, "client_id", "web", "client_secret", "x"), status: 401, code: "invalid_client"},
		"no code":                  {form: with(form, "code", ""), status: 400, code: "invalid_request"},
		"another code":             {form: with(form, "code", code+"x"), status: 400, code: "invalid_grant"},
		"a code with line breaks":  {form: with(form, "code", "a\r\nb"), status: 400, code: "invalid_request"},
		"no verifier":              {form: with(form, "code_verifier", ""), status: 400, code: "invalid_request"},
		"a short verifier":         {form: with(form, "code_verifier", verifier[:42]), status: 400, code: "invalid_request"},
		"a long verifier":          {form: with(form, "code_verifier", strings.Repeat("a", 129)), status: 400, code: "invalid_request"},
		"a verifier with spaces":   {form: with(form, "code_verifier", strings.Repeat("a b", 20)), status: 400, code: "invalid_request"},
		"a wrong verifier":         {form: with(form, "code_verifier", strings.Repeat("a", 43)), status: 400, code: "invalid_grant"},
		"another redirect URI":     {form: with(form, "redirect_uri", "http://127.0.0.1:1234/other"), status: 400, code: "invalid_grant"},
		"a resource not granted":   {form: with(form, "resource", other), status: 400, code: "invalid_target"},
		"a foreign resource":       {form: with(form, "resource", "https://evil.test/mcp"), status: 400, code: "invalid_target"},
		"a resource with fragment": {form: with(form, "resource", resource+"#x"), status: 400, code: "invalid_target"},
		"a resource with user":     {form: with(form, "resource", "https://u@example.com/mcp/private"), status: 400, code: "invalid_target"},
		"two resources":            {form: url.Values{"resource": {resource, other}, "grant_type": {grantCode}, "client_id": {"app"}}, status: 400, code: "invalid_target"},
		"a quote twice":            {form: url.Values{`a"\b`: {"1", "2"}}, status: 400, code: "invalid_request"},
		"a parameter twice":        {form: url.Values{"client_id": {"app", "app"}, "grant_type": {grantCode}}, status: 400, code: "invalid_request"},
		"GET":                      {form: form, alter: func(r *http.Request) { r.Method = http.MethodGet }, status: 405, code: "invalid_request"},
		"a code in the URL":        {form: with(form, "code", ""), alter: func(r *http.Request) { r.URL.RawQuery = "code=" + code }, status: 400, code: "invalid_request"},
		"a state in the URL":       {form: form, alter: func(r *http.Request) { r.URL.RawQuery = "state=x" }, status: 400, code: "invalid_request"},
		"JSON":                     {form: form, alter: func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }, status: 400, code: "invalid_request"},
		"no content type":          {form: form, alter: func(r *http.Request) { r.Header.Del("Content-Type") }, status: 400, code: "invalid_request"},
		"200 KiB":                  {form: with(form, "state", strings.Repeat("a", 200<<10)), status: 413, code: "invalid_request"},
		"a bad encoding":           {form: form, alter: func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("code=%zz")) }, status: 400, code: "invalid_request"},
		"two ways of auth":         {form: with(form, "client_id", "web", "client_secret", secret), alter: basic("web", secret), status: 400, code: "invalid_request"},
		"two clients":              {form: form, alter: basic("web", secret), status: 400, code: "invalid_request"},
		"Bearer":                   {form: form, alter: func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, status: 400, code: "invalid_request"},
		"a malformed ID":           {form: with(form, "client_id", ""), alter: func(r *http.Request) { r.SetBasicAuth("%zz", "x") }, status: 400, code: "invalid_request"},
		"a malformed secret":       {form: with(form, "client_id", ""), alter: func(r *http.Request) { r.SetBasicAuth("web", "%zz") }, status: 400, code: "invalid_request"},
		"a header twice":           {form: with(form, "client_id", ""), alter: func(r *http.Request) { basic("web", secret)(r); r.Header.Add("Authorization", "Basic x") }, status: 400, code: "invalid_request"},
	} {
		if wrong.alter == nil {
			wrong.alter = func(*http.Request) {}
		}
		w := f.post(tokenPath, wrong.form, wrong.alter)
		refuses(t, what, w, wrong.status, wrong.code)
		if allow := w.Header().Get("Allow"); wrong.status == 405 && allow != "POST" {
			t.Errorf("%s: Allow is %q", what, allow)
		}
		if strings.Contains(w.Body.String(), code) {
			t.Errorf("%s: the answer has the code", what)
		}
	}
	answerOf(t, f.post(tokenPath, form)) // the code is still valid
	if log := f.log.String(); strings.Contains(log, code) || strings.Contains(log, verifier) {
		t.Errorf("the log has secrets:\n%s", log)
	}
}

func TestAClientThatIsRefusedIsAskedForItsMethod(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	form := url.Values{"grant_type": {grantRefresh}, "refresh_token": {"x"}}
	for _, id := range []string{"web", "nobody", "app"} {
		w := f.post(tokenPath, form, basic(id, "wrong"))
		refuses(t, id, w, http.StatusUnauthorized, "invalid_client")
		if got := w.Header().Get("WWW-Authenticate"); got != `Basic realm="oauth"` {
			t.Errorf("%s: WWW-Authenticate is %q", id, got)
		}
	}
	if w := f.post(tokenPath, with(form, "client_id", "web", "client_secret", "wrong")); w.Header()["Www-Authenticate"] != nil {
		t.Error("a client that sends its secret in the body is asked for a header")
	}
	post := store.Client{ID: "post", Source: store.Static, Secret: hashOf(secret), AuthMethods: []string{methodPost}, Created: time.Now()}
	if err := f.base.Store.CreateClient(t.Context(), post); err != nil {
		t.Fatal(err)
	}
	refuses(t, "another method than the registered one", f.post(tokenPath, form, basic("post", secret)), http.StatusUnauthorized, "invalid_client")
	refuses(t, "the registered method", f.post(tokenPath, with(form, "client_id", "post", "client_secret", secret)), http.StatusBadRequest, "invalid_grant")
}

// An answer must not tell whether a client exists.
func TestAnUnknownClientIsAnsweredLikeAWrongSecret(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	form := url.Values{"grant_type": {grantRefresh}, "refresh_token": {"x"}}
	known, unknown := f.post(tokenPath, form, basic("web", "wrong")), f.post(tokenPath, form, basic("nobody", "wrong"))
	if known.Body.String() != unknown.Body.String() || fmt.Sprint(known.Header()) != fmt.Sprint(unknown.Header()) {
		t.Errorf("a known client gets\n%v %s\nand an unknown one\n%v %s", known.Header(), known.Body, unknown.Header(), unknown.Body)
	}
}

func TestManyWrongSecretsMustWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		form := url.Values{"grant_type": {grantCredentials}, "resource": {resource}}
		for range 20 {
			refuses(t, "a wrong secret", f.post(tokenPath, form, basic("machine", "wrong"), from("192.0.2.1")), http.StatusUnauthorized, "invalid_client")
		}
		w := f.post(tokenPath, form, basic("machine", "wrong"), from("192.0.2.1"))
		refuses(t, "the next one", w, http.StatusTooManyRequests, "temporarily_unavailable")
		if w.Header().Get("Retry-After") != "30" {
			t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
		}
		answerOf(t, f.post(tokenPath, form, basic("machine", secret), from("192.0.2.1")))
		answerOf(t, f.post(tokenPath, form, basic("machine", secret), from("192.0.2.2")))
		refuses(t, "a wrong secret of another address", f.post(tokenPath, form, basic("machine", "wrong"), from("192.0.2.2")), http.StatusUnauthorized, "invalid_client")
		time.Sleep(30 * time.Second)
		refuses(t, "after a while", f.post(tokenPath, form, basic("machine", "wrong"), from("192.0.2.1")), http.StatusUnauthorized, "invalid_client")
	})
}

func TestARefreshTokenIsExchanged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.login(t)
	form := url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {first.RefreshToken}}
	refuses(t, "no token", f.post(tokenPath, with(form, "refresh_token", "")), 400, "invalid_request")
	refuses(t, "another token", f.post(tokenPath, with(form, "refresh_token", "x.y")), 400, "invalid_grant")
	refuses(t, "an access token", f.post(tokenPath, with(form, "refresh_token", first.AccessToken)), 400, "invalid_grant")
	refuses(t, "another client", f.post(tokenPath, with(form, "client_id", ""), basic("web", secret)), 400, "invalid_grant")
	refuses(t, "a client without its secret", f.post(tokenPath, with(form, "client_id", "web")), 401, "invalid_client")
	refuses(t, "a made-up client", f.post(tokenPath, with(form, "client_id", "made-up")), 401, "invalid_client")
	refuses(t, "more scopes", f.post(tokenPath, with(form, "scope", "mcp:use admin")), 400, "invalid_scope")
	refuses(t, "many scopes", f.post(tokenPath, with(form, "scope", manyScopes())), 400, "invalid_request")
	refuses(t, "another resource", f.post(tokenPath, with(form, "resource", other)), 400, "invalid_target")
	second := answerOf(t, f.post(tokenPath, with(form, "scope", "openid mcp:use profile email offline_access", "resource", "https://EXAMPLE.com/mcp/private/")))
	if second.Scope != "mcp:use" || second.RefreshToken == first.RefreshToken {
		t.Errorf("the answer is %+v", second)
	}
	if again := answerOf(t, f.post(tokenPath, form)); again.RefreshToken != second.RefreshToken || again.Scope != first.Scope {
		t.Errorf("the first token again gets %+v, want the token of %+v with all scopes", again, second)
	}
}

// Two processes of a client may use one refresh token for different calls.
func TestAUsedRefreshTokenGetsTheScopesThatItIsSentAgainWith(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	form := url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {f.login(t).RefreshToken}}
	successor := ""
	for _, scope := range []string{"mcp:use", "files:write", "mcp:use files:write"} {
		answer := answerOf(t, f.post(tokenPath, with(form, "scope", scope)))
		if successor == "" {
			successor = answer.RefreshToken
		}
		access, ok := f.accessToken(answer.AccessToken)
		if !ok || access.claims["scope"] != scope || answer.Scope != scope || answer.RefreshToken != successor {
			t.Errorf("%s: the answer is %+v, and its access token has %v; want the refresh token %s", scope, answer, access.claims, successor)
		}
	}
	refuses(t, "a scope that was not granted", f.post(tokenPath, with(form, "scope", "admin")), http.StatusBadRequest, "invalid_scope")
	if next := answerOf(t, f.post(tokenPath, with(form, "refresh_token", successor))); next.Scope != "mcp:use files:write" {
		t.Errorf("the successor gets %+v", next)
	}
}

// lasting returns what two answers to one refresh token have in common.
func lasting(answer grants.Answer) grants.Answer {
	answer.AccessToken = ""
	return answer
}

func TestAUsedRefreshTokenHasItsAnswerForThirtySeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		first := f.login(t)
		form := url.Values{"grant_type": {grantRefresh}, "client_id": {"app"}, "refresh_token": {first.RefreshToken}}
		second := answerOf(t, f.post(tokenPath, form))
		time.Sleep(30*time.Second - time.Millisecond)
		if again := answerOf(t, f.post(tokenPath, form)); lasting(again) != lasting(second) {
			t.Errorf("the first token again gets %+v, want %+v", again, second)
		}
		time.Sleep(time.Millisecond)
		refuses(t, "another client", f.post(tokenPath, with(form, "client_id", ""), basic("web", secret)), 400, "invalid_grant")
		if f.introspects(t, second.AccessToken)["active"] != true {
			t.Error("another client ends the grant")
		}
		refuses(t, "after 30 seconds", f.post(tokenPath, form), 400, "invalid_grant")
		refuses(t, "the second token afterwards", f.post(tokenPath, with(form, "refresh_token", second.RefreshToken)), 400, "invalid_grant")
		if f.introspects(t, second.AccessToken)["active"] != false {
			t.Error("the grant has not ended")
		}
	})
}

func manyScopes() string {
	var all []string
	for n := range 200 {
		all = append(all, fmt.Sprint("scope", n))
	}
	return strings.Join(all, " ")
}

func TestAClientActsForItself(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	form := url.Values{"grant_type": {grantCredentials}, "resource": {resource}}
	answer := answerOf(t, f.post(tokenPath, form, basic("machine", secret)))
	access, ok := f.accessToken(answer.AccessToken)
	if !ok || answer.RefreshToken != "" || answer.Scope != "mcp:use" || access.claims["sub"] != "machine" || access.claims["aud"] != resource {
		t.Errorf("the answer is %+v, %+v", answer, access)
	}
	refuses(t, "no resource of several", f.post(tokenPath, with(form, "resource", ""), basic("machine", secret)), 400, "invalid_target")
	refuses(t, "a scope of others", f.post(tokenPath, with(form, "scope", "files:write"), basic("machine", secret)), 400, "invalid_scope")
	refuses(t, "a client for users", f.post(tokenPath, form, basic("web", secret)), 400, "unauthorized_client")
	refuses(t, "no secret", f.post(tokenPath, with(form, "client_id", "machine")), 401, "invalid_client")
	public := store.Client{ID: "public", Source: store.Registered, GrantTypes: []string{grantCredentials}, Created: time.Now()}
	if err := f.base.Store.CreateClient(t.Context(), public); err != nil {
		t.Fatal(err)
	}
	refuses(t, "a public client", f.post(tokenPath, with(form, "client_id", "public")), 400, "unauthorized_client")

	alone := newFixture(t, func(_ *Config, site *mcp.Site) { site.Resources = []string{resource} })
	answerOf(t, alone.post(tokenPath, with(form, "resource", ""), basic("machine", secret)))
}

func TestAFailureOfTheStoreIsLoggedAndNotTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if err := f.base.Store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{tokenPath, revokePath, introspectPath} {
		w := f.post(path, url.Values{"grant_type": {grantRefresh}, "refresh_token": {"x"}, "token": {"x"}}, basic("web", secret))
		refuses(t, path, w, http.StatusInternalServerError, "server_error")
		if strings.Contains(w.Body.String(), "closed") {
			t.Errorf("%s: the answer tells the cause: %s", path, w.Body)
		}
		if logged := regexp.MustCompile(`msg="an OAuth request failed" path=` + path + ` status=500 error=".* is closed"`); !logged.MatchString(f.log.String()) {
			t.Errorf("the log lacks %s:\n%s", logged, f.log)
		}
	}
}

// long is a body of a megabyte that counts what is read of it.
type long struct{ read int }

func (l *long) Read(p []byte) (int, error) {
	if l.read > 1<<20 {
		return 0, io.EOF
	}
	l.read += len(p)
	return copy(p, strings.Repeat("a", len(p))), nil
}

func TestALongBodyIsNotReadToItsEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	body := &long{}
	send := func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(body), -1 }
	refuses(t, "a form", f.post(tokenPath, nil, send), http.StatusRequestEntityTooLarge, "invalid_request")
	refuses(t, "a registration", f.registers("", send), http.StatusRequestEntityTooLarge, "invalid_client_metadata")
	if body.read > 512<<10 {
		t.Errorf("%d bytes are read", body.read)
	}
}
