// Package pages writes the web pages of an authorization server: login, consent, account and
// error. They load nothing. Their one script shows a password, and all works without it.
package pages

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed files
var embedded embed.FS

// Pages are the templates and texts of the pages.
type Pages struct {
	site      string
	style     template.CSS
	script    template.JS
	sources   string // of styles and scripts, for the content security policy
	templates map[string]*template.Template
	texts     map[string]map[string]string // by language and key
}

// The names of the pages.
const (
	Login   = "login"
	Forward = "forward" // leads to another server that logs the user in
	Consent = "consent"
	Account = "account"
	Error   = "error"
)

// defaultLanguage has all texts.
const defaultLanguage = "en"

// New returns the pages of a site with a name. Files of custom, which may be nil, take the
// place of ours: layout.html, parts.html, style.css, script.js, login.html, forward.html,
// consent.html, account.html, error.html, and texts such as de.json. A file of texts may leave
// some out.
func New(site string, custom fs.FS) (*Pages, error) {
	own, err := fs.Sub(embedded, "files")
	if err != nil {
		return nil, err
	}
	sources := []fs.FS{own}
	if custom != nil {
		sources = append(sources, custom)
	}
	style, err := read(sources, "style.css")
	if err != nil {
		return nil, err
	}
	script, err := read(sources, "script.js")
	if err != nil {
		return nil, err
	}
	p := &Pages{
		site: site, style: template.CSS(style), script: template.JS(script), //nolint:gosec // the program wrote them
		sources:   "style-src " + hashOf(style) + "; script-src " + hashOf(script),
		templates: map[string]*template.Template{}, texts: map[string]map[string]string{},
	}
	for _, name := range []string{Login, Forward, Consent, Account, Error} {
		if p.templates[name], err = parse(sources, name); err != nil {
			return nil, fmt.Errorf("the page %s: %w", name, err)
		}
	}
	for _, source := range sources {
		if err := p.readTexts(source); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// parse returns the template of a page in the layout.
func parse(sources []fs.FS, name string) (*template.Template, error) {
	page := template.New("layout.html")
	for _, file := range []string{"layout.html", "parts.html", name + ".html"} {
		text, err := read(sources, file)
		if err != nil {
			return nil, err
		}
		into := page
		if file != "layout.html" {
			into = page.New(file)
		}
		if _, err := into.Parse(string(text)); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// hashOf returns a text as a source of a content security policy.
func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// read returns a file of the last source that has it.
func read(sources []fs.FS, name string) (text []byte, err error) {
	for i := len(sources) - 1; i >= 0; i-- {
		if text, err = fs.ReadFile(sources[i], name); !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return nil, err
}

// readTexts adds the texts of a source.
func (p *Pages) readTexts(source fs.FS) error {
	files, err := fs.Glob(source, "*.json")
	if err != nil {
		return err
	}
	for _, name := range files {
		text, err := fs.ReadFile(source, name)
		if err != nil {
			return err
		}
		language := strings.ToLower(strings.TrimSuffix(path.Base(name), ".json"))
		found := map[string]string{}
		if err := json.Unmarshal(text, &found); err != nil {
			return fmt.Errorf("the texts of the pages in %s: %w", name, err)
		}
		known := p.texts[defaultLanguage] // nil while ours are read
		for key := range found {
			if _, ok := known[key]; !ok && known != nil {
				return fmt.Errorf("the texts of the pages in %s: there is no text %q; its name is one of those in en.json", name, key)
			}
		}
		if p.texts[language] == nil {
			p.texts[language] = map[string]string{}
		}
		maps.Copy(p.texts[language], found)
	}
	return nil
}

// A view is the data of a template.
type view struct {
	pages    *Pages
	Language string
	Style    template.CSS
	Script   template.JS
	Site     string
	Page     any
}

// Text returns a text in the language of the page, with values for its %s.
func (v view) Text(key string, values ...any) string {
	for _, language := range []string{v.Language, defaultLanguage} {
		if text, ok := v.pages.texts[language][key]; ok {
			return fmt.Sprintf(text, values...)
		}
	}
	return key
}

// Write writes a page. Forms of it may lead to the server, and to the given origins: a
// browser checks where the answer to a form redirects to.
func (p *Pages) Write(w http.ResponseWriter, r *http.Request, status int, name string, page any, origins ...string) error {
	var text bytes.Buffer
	v := view{p, p.language(r.Header.Get("Accept-Language")), p.style, p.script, p.site, page}
	if err := p.templates[name].Execute(&text, v); err != nil {
		return fmt.Errorf("the page %s: %w", name, err)
	}
	h := w.Header()
	Protect(h)
	h.Set("Content-Security-Policy", "default-src 'none'; "+p.sources+"; base-uri 'none'; frame-ancestors 'none'; form-action "+strings.Join(append([]string{"'self'"}, origins...), " "))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", v.Language)
	h.Set("Content-Length", strconv.Itoa(text.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // the user may have closed the page
	return nil
}

// Referrer is the policy of pages and of redirects between them: the referrer is sent to the
// same origin only, where it belongs to the checks of forms.
const Referrer = "same-origin"

// Protect sets the headers of pages and of redirects between them.
func Protect(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", Referrer)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// language returns the first language of the header Accept-Language that has texts. Browsers
// send it in the user's order.
func (p *Pages) language(header string) string {
	for entry := range strings.SplitSeq(header, ",") {
		tag, _, _ := strings.Cut(entry, ";")
		tag = strings.ToLower(strings.TrimSpace(tag))
		for tag != "" {
			if p.texts[tag] != nil {
				return tag
			}
			end := strings.LastIndexByte(tag, '-')
			tag = tag[:max(end, 0)]
		}
	}
	return defaultLanguage
}
