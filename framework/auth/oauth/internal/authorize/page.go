package authorize

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// redirectTo sends the browser to a client.
func redirectTo(w http.ResponseWriter, location string) { redirect(w, location, "no-referrer") }

// goTo sends the browser to another page of a transaction.
func (e *Endpoint) goTo(w http.ResponseWriter, path string, t *transaction) {
	redirect(w, e.pageURL(path, t), pages.Referrer)
}

// showPage sends the browser to a page without a transaction.
func (e *Endpoint) showPage(w http.ResponseWriter, path string) {
	redirect(w, e.URL+path, pages.Referrer)
}

// redirect sends the browser to a URL. The answer may follow a form, so its method becomes GET.
func redirect(w http.ResponseWriter, location, referrer string) {
	h := w.Header()
	pages.Protect(h)
	h.Set("Referrer-Policy", referrer)
	h.Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
}

// pageURL returns the URL of a page of a transaction.
func (e *Endpoint) pageURL(path string, t *transaction) string {
	return e.URL + path + "?" + url.Values{"txn": {t.ID}}.Encode()
}

// An errorPage has the contents of the error page. Key is its text.
type errorPage struct {
	Key, Detail string
	Again       string // the URL of a link to the login page, or ""
	Retry       string // the URL of a link to the same page, or ""
	Return      any    // the URL of a link back to the client, or nil
	Host        string // of that link, or "" for a program on this computer
	Account     string // the URL of a link to the account page
}

func (e *Endpoint) errorPage(w http.ResponseWriter, r *http.Request, status int, page errorPage) {
	page.Account = e.URL + endpoint.AccountPath
	if (status == http.StatusTooManyRequests || status >= http.StatusInternalServerError || page.Key == "error.document") && r.Method == http.MethodGet {
		page.Retry = e.URL + e.pathOf(r) + "?" + r.URL.RawQuery
	}
	e.page(w, r, status, pages.Error, page)
}

// pathOf returns the path of a page below the issuer, such as /oauth/login.
func (e *Endpoint) pathOf(r *http.Request) string {
	if issuer, err := url.Parse(e.URL); err == nil {
		return strings.TrimPrefix(r.URL.Path, issuer.Path)
	}
	return r.URL.Path
}

// waitPage answers a request that must wait, with a text.
func (e *Endpoint) waitPage(w http.ResponseWriter, r *http.Request, status int, text string, wait time.Duration) {
	seconds := strconv.Itoa(int(wait.Seconds()))
	w.Header().Set("Retry-After", seconds)
	e.errorPage(w, r, status, errorPage{Key: text, Detail: seconds})
}

// LimitPage answers a request for a page that exceeds a limit of the program.
func (e *Endpoint) LimitPage(w http.ResponseWriter, r *http.Request, refused *exchange.Error) {
	if seconds := refused.Header.Get("Retry-After"); seconds != "" {
		e.errorPage(w, r, refused.Status, errorPage{Key: "error.busy", Detail: seconds})
		return
	}
	e.errorPage(w, r, refused.Status, errorPage{Key: "error.limit", Detail: refused.Message})
}

// failed answers with a page for an error that the user can't fix.
func (e *Endpoint) failed(w http.ResponseWriter, r *http.Request, err error) {
	if refused, ok := errors.AsType[*endpoint.Error](err); ok && refused.Status == http.StatusTooManyRequests {
		seconds := refused.Header.Get("Retry-After")
		w.Header().Set("Retry-After", seconds)
		e.errorPage(w, r, refused.Status, errorPage{Key: "error.busy", Detail: seconds})
		return
	}
	if status := e.LogFailure(r, err); status == http.StatusServiceUnavailable {
		e.waitPage(w, r, status, "error.unavailable", time.Second)
		return
	}
	e.errorPage(w, r, http.StatusInternalServerError, errorPage{Key: "error.server"})
}

// page writes a page.
func (e *Endpoint) page(w http.ResponseWriter, r *http.Request, status int, name string, page any, origins ...string) {
	if err := e.Pages.Write(w, r, status, name, page, origins...); err != nil {
		e.Logger.ErrorContext(r.Context(), "an OAuth page failed", "path", r.URL.Path, "error", err)
		http.Error(w, "The server failed. Its log says why.", http.StatusInternalServerError)
	}
}

// detail returns the description of an error for a page.
func detail(err error) string {
	if refused, ok := errors.AsType[*endpoint.Error](err); ok {
		return refused.ASCII()
	}
	return ""
}
