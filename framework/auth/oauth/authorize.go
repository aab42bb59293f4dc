package oauth

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// authorize is the authorization endpoint (RFC 6749, section 3.1). Until the client and its
// redirect URI are known to be right, errors are pages: an answer to another URI would make
// the server an open redirector.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	if s.isTooOften(w, r) {
		return
	}
	f, err := parseRequest(r.URL.RawQuery)
	if err != nil {
		s.logRefusal(r, refusedAuthorization, detail(err))
		s.errorPage(w, r, http.StatusBadRequest, errorPage{Key: "error.request", Detail: detail(err)})
		return
	}
	client, err := s.client(r, f.get("client_id"))
	if errors.Is(err, store.ErrNotFound) {
		s.logRefusal(r, refusedAuthorization, "the client is unknown", "client", quoted(f.get("client_id")))
		s.errorPage(w, r, http.StatusBadRequest, errorPage{Key: "error.client"})
		return
	}
	if errors.Is(err, errDocument) {
		s.errorPage(w, r, http.StatusBadRequest, errorPage{Key: "error.document"})
		return
	}
	if err != nil {
		s.failed(w, r, err)
		return
	}
	uri, ok := redirectURI(client, f.get("redirect_uri"))
	if !ok {
		s.logRefusal(r, refusedAuthorization, "the redirect URI is not registered", "client", quoted(client.ID), "redirect_uri", quoted(f.get("redirect_uri")))
		s.errorPage(w, r, http.StatusBadRequest, errorPage{Key: "error.redirect"})
		return
	}
	t := &transaction{ClientID: client.ID, RedirectURI: uri, State: f.get("state"), Challenge: f.get("code_challenge")}
	err = s.read(t, client, f)
	if err == nil {
		err = s.readPrompt(r, t, f.get("prompt"))
	}
	if err != nil {
		s.refuseClient(w, r, client, t, err)
		return
	}
	s.toLogin(w, r, t)
}

// isTooOften counts an authorization request of an address. It answers one too many.
func (s *Server) isTooOften(w http.ResponseWriter, r *http.Request) bool {
	wait := s.authorizations.Take(throttle.KeyOf("", s.address(r)))
	if wait > 0 {
		s.logRefusal(r, refusedAuthorization, "its address has sent too many")
		s.waitPage(w, r, http.StatusTooManyRequests, "error.busy", wait)
	}
	return wait > 0
}

// toLogin begins a transaction and sends the browser to the login page.
func (s *Server) toLogin(w http.ResponseWriter, r *http.Request, t *transaction) {
	if wait := s.allAuthorizations.Take(throttle.Key{}); wait > 0 {
		s.logRefusal(r, refusedAuthorization, "all addresses together have sent too many")
		s.waitPage(w, r, http.StatusServiceUnavailable, "error.unavailable", wait)
		return
	}
	if err := s.begin(r.Context(), w, r, t); err != nil {
		s.failed(w, r, err)
		return
	}
	s.goTo(w, loginPath, t)
}

const refusedAuthorization = "an authorization request is refused"

// redirectURI returns the URI that a client is answered at: the one of the request, if it is
// registered, or the only registered one.
func redirectURI(client store.Client, requested string) (string, bool) {
	if requested == "" {
		if len(client.RedirectURIs) == 1 {
			return client.RedirectURIs[0], true
		}
		return "", false
	}
	for _, registered := range client.RedirectURIs {
		if metadata.MatchRedirectURI(registered, requested) {
			return requested, true
		}
	}
	return "", false
}

// read reads the parameters of an authorization request.
func (s *Server) read(t *transaction, client store.Client, f form) (err error) {
	if err := s.allowed(client, grantCode); err != nil {
		return err
	}
	switch {
	case f.get("response_type") != "code":
		return &requestError{code: "unsupported_response_type", description: "The response_type must be code"}
	case f.get("response_mode") != "" && f.get("response_mode") != "query":
		return invalid("The response_mode must be query")
	case f.get("code_challenge_method") != "S256":
		return invalid("The code_challenge_method must be S256 (PKCE)")
	case !isChallenge(t.Challenge):
		return invalid("The code_challenge is missing, or not the base64url of a SHA-256 without padding (PKCE)")
	}
	if t.Scopes, err = s.wanted(f.get("scope"), client.Scopes); err != nil {
		return err
	}
	t.Resources, err = s.target(f.get("resource"))
	return err
}

// readPrompt reads what the client wants users to be asked (OpenID Connect Core 1.0, section
// 3.1.2.1). Users always decide, so a client that wants no question gets an error.
func (s *Server) readPrompt(r *http.Request, t *transaction, text string) error {
	prompts := strings.Fields(text)
	if !slices.Contains(prompts, "none") {
		t.LogIn = slices.Contains(prompts, "login") || slices.Contains(prompts, "select_account")
		return nil
	}
	if len(prompts) > 1 {
		return invalid("The prompt none excludes others")
	}
	switch session, err := s.session(r); {
	case err != nil:
		return err
	case session != nil:
		return &requestError{code: "consent_required", description: "The user has to decide, so the prompt can't be none"}
	}
	return &requestError{code: "login_required", description: "The user has to log in, so the prompt can't be none"}
}

// isChallenge reports whether a text can be a challenge with S256 (RFC 7636, section 4.2).
func isChallenge(text string) bool {
	return len(text) == 43 && isVerifier(text) && !strings.ContainsAny(text, ".~")
}

// refuseClient answers an authorization request with an error for the client. A client that
// registered itself may be an attacker's, who uses the error to send people somewhere: they
// see where the way leads, and decide.
func (s *Server) refuseClient(w http.ResponseWriter, r *http.Request, client store.Client, t *transaction, err error) {
	refused, ok := errors.AsType[*requestError](err)
	if !ok {
		s.failed(w, r, err)
		return
	}
	s.logRefusal(r, refusedAuthorization, refused.description, "client", quoted(client.ID))
	location := s.answerURI(t, url.Values{"error": {refused.code}, "error_description": {ascii(refused.description)}})
	if client.Source == store.Static {
		redirectTo(w, location)
		return
	}
	s.errorPage(w, r, http.StatusBadRequest, errorPage{Key: "error.request", Detail: ascii(refused.description), Return: safeURL(location), Host: t.host()})
}

// answerURI returns the URI that answers a client. It has the state of the request and the
// issuer (RFC 9207), so that a client can't take the answer for that of another server.
func (s *Server) answerURI(t *transaction, answer url.Values) string {
	answer.Set("iss", s.site.URL)
	if t.State != "" {
		answer.Set("state", t.State)
	}
	separator := "?"
	if strings.Contains(t.RedirectURI, "?") {
		separator = "&"
	}
	return t.RedirectURI + separator + answer.Encode()
}

// redirectTo sends the browser to a client.
func redirectTo(w http.ResponseWriter, location string) { redirect(w, location, "no-referrer") }

// goTo sends the browser to another page of a transaction.
func (s *Server) goTo(w http.ResponseWriter, path string, t *transaction) {
	redirect(w, s.pageURL(path, t), pages.Referrer)
}

// showPage sends the browser to a page without a transaction.
func (s *Server) showPage(w http.ResponseWriter, path string) {
	redirect(w, s.site.URL+path, pages.Referrer)
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
func (s *Server) pageURL(path string, t *transaction) string {
	return s.site.URL + path + "?" + url.Values{"txn": {t.ID}}.Encode()
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

func (s *Server) errorPage(w http.ResponseWriter, r *http.Request, status int, page errorPage) {
	page.Account = s.site.URL + accountPath
	if (status == http.StatusTooManyRequests || status >= http.StatusInternalServerError || page.Key == "error.document") && r.Method == http.MethodGet {
		page.Retry = s.site.URL + s.pathOf(r) + "?" + r.URL.RawQuery
	}
	s.page(w, r, status, pages.Error, page)
}

// pathOf returns the path of a page below the issuer, such as /oauth/login.
func (s *Server) pathOf(r *http.Request) string {
	if issuer, err := url.Parse(s.site.URL); err == nil {
		return strings.TrimPrefix(r.URL.Path, issuer.Path)
	}
	return r.URL.Path
}

// waitPage answers a request that must wait, with a text.
func (s *Server) waitPage(w http.ResponseWriter, r *http.Request, status int, text string, wait time.Duration) {
	seconds := strconv.Itoa(int(wait.Seconds()))
	w.Header().Set("Retry-After", seconds)
	s.errorPage(w, r, status, errorPage{Key: text, Detail: seconds})
}

// limitPage answers a request for a page that exceeds a limit of the program.
func (s *Server) limitPage(w http.ResponseWriter, r *http.Request, refused *exchange.Error) {
	if seconds := refused.Header.Get("Retry-After"); seconds != "" {
		s.errorPage(w, r, refused.Status, errorPage{Key: "error.busy", Detail: seconds})
		return
	}
	s.errorPage(w, r, refused.Status, errorPage{Key: "error.limit", Detail: refused.Message})
}

// failed answers with a page for an error that the user can't fix.
func (s *Server) failed(w http.ResponseWriter, r *http.Request, err error) {
	if waits, ok := errors.AsType[*grants.WaitError](err); ok {
		s.waitPage(w, r, http.StatusTooManyRequests, "error.busy", waits.Wait)
		return
	}
	if status := s.logFailure(r, err); status == http.StatusServiceUnavailable {
		s.waitPage(w, r, status, "error.unavailable", time.Second)
		return
	}
	s.errorPage(w, r, http.StatusInternalServerError, errorPage{Key: "error.server"})
}

// page writes a page.
func (s *Server) page(w http.ResponseWriter, r *http.Request, status int, name string, page any, origins ...string) {
	if err := s.pages.Write(w, r, status, name, page, origins...); err != nil {
		s.logger().ErrorContext(r.Context(), "an OAuth page failed", "path", r.URL.Path, "error", err)
		http.Error(w, "The server failed. Its log says why.", http.StatusInternalServerError)
	}
}

// detail returns the description of an error for a page.
func detail(err error) string {
	if refused, ok := errors.AsType[*requestError](err); ok {
		return ascii(refused.description)
	}
	return ""
}
