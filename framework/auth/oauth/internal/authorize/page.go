package authorize

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/exchange"
)

// redirectTo sends the browser to a client.
func redirectTo(w http.ResponseWriter, location string) error {
	redirect(w, location, "no-referrer")
	return nil
}

// goTo sends the browser to another page, of a transaction unless that is nil.
func (e *Endpoint) goTo(w http.ResponseWriter, page string, t *transaction) error {
	redirect(w, e.pageURL(page, t), pages.Referrer)
	return nil
}

// redirect sends the browser to a URL. The answer may follow a form, so its method becomes GET.
func redirect(w http.ResponseWriter, location, referrer string) {
	h := w.Header()
	pages.Protect(h)
	h.Set("Referrer-Policy", referrer)
	h.Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
}

// pageURL returns the URL of a page, of a transaction unless that is nil.
func (e *Endpoint) pageURL(page string, t *transaction) string {
	if t == nil {
		return e.URL + page
	}
	return e.URL + page + "?" + url.Values{"txn": {t.ID}}.Encode()
}

// An errorPage is an error with a page, and the contents of that.
type errorPage struct {
	status int           // 400 by default
	wait   time.Duration // until the next try; 0 for none

	Key, Detail string // the text
	Again       string // the URL of a link to the login page, or ""
	Retry       string // the URL of a link to the same page, or ""
	Return      any    // the URL of a link back to the client, or nil
	Host        string // of that link, or "" for a program on this computer
	Account     string // the URL of a link to the account page
	Request     string // its ID in the log
}

func (p *errorPage) Error() string { return p.Key }

// Page returns a handler that shows a page. It answers the errors that the page returns.
func (e *Endpoint) Page(show func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := show(w, r); err != nil {
			e.showError(w, r, err)
		}
	}
}

// LimitPage answers a request for a page that exceeds a limit of the program.
func (e *Endpoint) LimitPage(w http.ResponseWriter, r *http.Request, refusal *exchange.Error) {
	page := &errorPage{status: refusal.Status, Key: "error.limit", Detail: refusal.Message}
	if seconds := refusal.Header.Get("Retry-After"); seconds != "" {
		page.Key, page.Detail = "error.busy", seconds
	}
	e.showError(w, r, page)
}

// showError answers with the page of an error. One without a page is logged, since the user can't
// fix it.
func (e *Endpoint) showError(w http.ResponseWriter, r *http.Request, err error) {
	page, ok := errors.AsType[*errorPage](err)
	if ok {
		e.LogRefused(r, cmp.Or(page.status, http.StatusBadRequest), page.Key)
	} else {
		page = &errorPage{status: e.LogFailure(r, err), Key: "error.server"}
		if page.status == http.StatusServiceUnavailable {
			page.Key, page.wait = "error.unavailable", time.Second
		}
	}
	if page.wait > 0 {
		page.Detail = retryAfter(w, page.wait)
	}
	status := cmp.Or(page.status, http.StatusBadRequest)
	page.Account, page.Request = e.URL+endpoint.AccountPath, endpoint.RequestID(r.Context())
	if (status == http.StatusTooManyRequests || status >= http.StatusInternalServerError || page.Key == "error.document") && r.Method == http.MethodGet {
		// A proxy may have removed the issuer's path, so the page is known by the last segment.
		page.Retry = e.URL + "/oauth/" + path.Base(r.URL.Path) + "?" + r.URL.RawQuery
	}
	e.page(w, r, status, pages.Error, page)
}

// retryAfter sets the header for a wait, and returns the seconds.
func retryAfter(w http.ResponseWriter, wait time.Duration) string {
	seconds := strconv.Itoa(int(wait.Seconds()))
	w.Header().Set("Retry-After", seconds)
	return seconds
}

// page writes a page.
func (e *Endpoint) page(w http.ResponseWriter, r *http.Request, status int, name string, page any, origins ...string) {
	if err := e.Pages.Write(w, r, status, name, page, origins...); err != nil {
		e.Logger.ErrorContext(r.Context(), "an OAuth page failed", "path", r.URL.Path, "error", err)
		http.Error(w, "The server failed. Its log says why (request "+endpoint.RequestID(r.Context())+").", http.StatusInternalServerError)
	}
}
