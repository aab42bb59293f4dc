package pages_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
)

// problem is the data of an error page.
type problem struct {
	Key, Detail, Again, Retry, Account, Host, Request string
	Return                                            any
}

// site returns pages with files of its own, by their names.
func site(t *testing.T, files map[string]string) *pages.Pages {
	t.Helper()
	p, err := pages.New("Demo", folder(files))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func folder(files map[string]string) fstest.MapFS {
	found := fstest.MapFS{}
	for name, text := range files {
		found[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return found
}

// write writes the error page to a browser with languages.
func write(t *testing.T, p *pages.Pages, languages string, page any) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "https://example.com/oauth/authorize", nil)
	r.Header.Set("Accept-Language", languages)
	w := httptest.NewRecorder()
	if err := p.Write(w, r, http.StatusBadRequest, pages.Error, page, "https://client.example"); err != nil {
		t.Fatal(err)
	}
	return w
}

// hashOf returns the hash of the text in an element for the content security policy.
func hashOf(t *testing.T, page, element string) string {
	t.Helper()
	_, rest, _ := strings.Cut(page, "<"+element+">")
	text, _, found := strings.Cut(rest, "</"+element+">")
	if !found || text == "" {
		t.Errorf("the page has no %s: %s", element, page)
	}
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func TestPagesLoadNothingAndAreInNoFrame(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*pages.Pages{"our style": site(t, nil), "another style": site(t, map[string]string{"style.css": "body { color: red; }"})} {
		w := write(t, p, "", problem{Key: "error.server"})
		style, script := hashOf(t, w.Body.String(), "style"), hashOf(t, w.Body.String(), "script")
		for header, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src " + style + "; script-src " + script + "; base-uri 'none'; frame-ancestors 'none'; form-action 'self' https://client.example",
			"X-Frame-Options":         "DENY", "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin", "Referrer-Policy": "same-origin", "Cache-Control": "no-store",
			"Content-Type": "text/html; charset=utf-8",
		} {
			if got := w.Header().Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
		if w.Code != http.StatusBadRequest {
			t.Errorf("%s: the page is %d %s", name, w.Code, w.Body)
		}
	}
}

func TestTextsOfRequestsAreEscaped(t *testing.T) {
	t.Parallel()
	const attack = `"><script>alert(1)</script>`
	for what, page := range map[string]problem{
		"a text": {Key: "error.request", Detail: attack}, "a host": {Key: "error.server", Return: "https://client.example", Host: attack}, "a link": {Key: "error.server", Return: attack},
	} {
		if body := write(t, site(t, nil), "", page).Body.String(); strings.Contains(body, "<script>alert") || !strings.Contains(body, "alert") {
			t.Errorf("%s: the page is %s", what, body)
		}
	}
	if body := write(t, site(t, nil), "", problem{Key: "error.server", Return: "javascript:alert(1)"}).Body.String(); strings.Contains(body, "javascript:") {
		t.Errorf("the page leads to a script: %s", body)
	}
}

func TestPagesAreInTheLanguageOfTheBrowser(t *testing.T) {
	t.Parallel()
	p := site(t, map[string]string{"de.json": `{"error.server": "Der Server ist gestört."}`, "pt-br.json": `{"error.server": "O servidor falhou."}`})
	for languages, want := range map[string]string{
		"de": "de", "DE-at;q=0.5, en": "de", "fr, de;q=0.8, en;q=0.7": "de", "en, de": "en", "en-GB, de": "en", "fr": "en", "": "en", "*": "en", "pt-BR": "pt-br", "pt": "en", ",;-": "en",
	} {
		w := write(t, p, languages, problem{Key: "error.server"})
		text := map[string]string{"de": "Der Server ist gestört.", "en": "The server failed.", "pt-br": "O servidor falhou."}[want]
		if w.Header().Get("Content-Language") != want || !strings.Contains(w.Body.String(), `<html lang="`+want+`">`) || !strings.Contains(w.Body.String(), text) {
			t.Errorf("%q: the page is %v %s, want %s", languages, w.Header(), w.Body, want)
		}
		if title := "This request can't be completed"; !strings.Contains(strings.ReplaceAll(w.Body.String(), "&#39;", "'"), title) {
			t.Errorf("%q: a text that is not translated is missing: %s", languages, w.Body)
		}
	}
}

func TestASiteReplacesPagesAndTexts(t *testing.T) {
	t.Parallel()
	p := site(t, map[string]string{
		"error.html": `{{define "title"}}Oh{{end}}{{define "main"}}<h1>{{.Site}}: {{.Text .Page.Key}}</h1>{{end}}`, "en.json": `{"error.server": "It broke."}`,
	})
	if body := write(t, p, "", problem{Key: "error.server"}).Body.String(); !strings.Contains(body, "<title>Oh</title>") || !strings.Contains(body, "<h1>Demo: It broke.</h1>") {
		t.Errorf("the page is %s", body)
	}
}

// A layout that was made for an older version has no other parts of pages.
func TestASiteHasALayoutOfItsOwn(t *testing.T) {
	t.Parallel()
	p := site(t, map[string]string{"layout.html": `<title>{{template "title" .}}</title>{{template "main" .}}`})
	for _, name := range []string{pages.Login, pages.Account} {
		w := httptest.NewRecorder()
		page := map[string]any{"Client": "app", "User": "ana", "HasPassword": true}
		if err := p.Write(w, httptest.NewRequest(http.MethodGet, "https://example.com/", nil), http.StatusOK, name, page); err != nil || !strings.Contains(w.Body.String(), "Show password") {
			t.Errorf("the page %s is %s, %v", name, w.Body, err)
		}
	}
}

func TestMistakesInTheFilesOfASiteAreNamed(t *testing.T) {
	t.Parallel()
	for want, files := range map[string]map[string]string{
		"the page error: ":                           {"error.html": "{{"},
		"the page login: ":                           {"layout.html": "{{"},
		"the texts of the pages in de.json: invalid": {"de.json": "Hallo"},
		`the texts of the pages in en.json: there is no text "error.servr"`:                                      {"en.json": `{"error.servr": "x"}`},
		`the texts of the pages in de.json: there is no text "error.servr"; its name is one of those in en.json`: {"de.json": `{"error.servr": "x"}`},
	} {
		if _, err := pages.New("Demo", folder(files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q in it", err, want)
		}
	}
}

func TestAPageThatFailsWritesNothing(t *testing.T) {
	t.Parallel()
	p := site(t, map[string]string{"error.html": `{{define "title"}}{{end}}{{define "main"}}half a page {{.Page.Nothing}}{{end}}`})
	w := httptest.NewRecorder()
	err := p.Write(w, httptest.NewRequest(http.MethodGet, "https://example.com/", nil), http.StatusOK, pages.Error, problem{})
	if err == nil || !strings.Contains(err.Error(), "the page error") || w.Body.Len() != 0 || len(w.Header()) != 0 {
		t.Errorf("the answer is %v %s, %v", w.Header(), w.Body, err)
	}
}
