package authorize

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/clients"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/grants"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/pages"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// A consentPage has the contents of the consent page.
type consentPage struct {
	requester
	User                 string
	Resources            []string
	Scopes               []shownScope
	Action, Switch, CSRF string
}

// A requester is the client of a request, as users are shown it.
type requester struct {
	Client     string // the name
	ClientHost string // of the document that describes it, or ""
	Host       string // that the answer is sent to, or "" for a program on this computer
	Unverified bool   // registered itself, and is answered elsewhere
}

// requester returns the client of a transaction.
func (t *transaction) requester(client store.Client) requester {
	shown := requester{Client: clients.NameOf(client)}
	if client.Source == store.Document {
		shown.ClientHost = metadata.Host(client.ID)
	}
	shown.Host = t.host()
	shown.Unverified = shown.Host != "" && client.Source == store.Registered
	return shown
}

// host returns the host that the answer is sent to, or "" for a program on this computer.
func (t *transaction) host() string {
	if metadata.IsOnThisComputer(t.RedirectURI) {
		return ""
	}
	return metadata.Host(t.RedirectURI)
}

type shownScope struct{ Name, Description string }

// Consent is the page on which users allow or deny a client's request.
func (e *Endpoint) Consent(w http.ResponseWriter, r *http.Request) {
	t, client, ok := e.opened(w, r, transactionID(r))
	if !ok {
		return
	}
	if t.isForAccount() {
		e.showPage(w, endpoint.AccountPath)
		return
	}
	session, err := e.browsers().session(r)
	if err != nil {
		e.failed(w, r, err)
		return
	}
	if t.User == nil || session == nil || session.User.ID != t.User.ID { // perhaps another one has logged in on another tab
		e.goTo(w, endpoint.LoginPath, t)
		return
	}
	if r.Method == http.MethodPost {
		e.decide(w, r, t, client)
		return
	}
	page := consentPage{
		requester: t.requester(client), User: t.User.Name, Resources: t.Resources,
		Action: e.pageURL(endpoint.ConsentPath, t), Switch: e.pageURL(endpoint.LoginPath, t) + "&switch", CSRF: t.CSRF,
	}
	for _, scope := range t.Scopes {
		page.Scopes = append(page.Scopes, shownScope{scope, e.meaning(scope)})
	}
	e.page(w, r, http.StatusOK, pages.Consent, page, metadata.Source(t.RedirectURI))
}

// decide answers the client with the user's decision.
func (e *Endpoint) decide(w http.ResponseWriter, r *http.Request, t *transaction, client store.Client) {
	decision, scopes := r.PostForm.Get("decision"), r.PostForm["scope"]
	for _, scope := range scopes {
		if !slices.Contains(t.Scopes, scope) { // was not shown
			decision = ""
		}
	}
	if decision != "approve" && decision != "deny" {
		e.errorPage(w, r, http.StatusForbidden, errorPage{Key: "error.foreign"})
		return
	}
	switch err := e.browsers().end(r.Context(), w, t); {
	case errors.Is(err, errTransaction):
		e.errorPage(w, r, http.StatusBadRequest, errorPage{Key: "error.expired"})
		return
	case err != nil:
		e.failed(w, r, err)
		return
	}
	e.Logger.InfoContext(r.Context(), "a user decided on access", "decision", decision, "user", t.User.ID, "client", endpoint.Quoted(client.ID), "scopes", strings.Join(scopes, " "))
	if decision == "deny" {
		redirectTo(w, e.answerURI(t, url.Values{"error": {"access_denied"}, "error_description": {"The user denied the request"}}))
		return
	}
	granted := slices.DeleteFunc(slices.Clone(t.Scopes), func(scope string) bool { return !slices.Contains(scopes, scope) })
	code, err := e.Tokens.Grants.Authorize(r.Context(), grants.Authorization{
		Client: client, UserID: t.User.ID, UserName: t.User.Name, Claims: t.User.Claims, Scopes: granted, Resources: t.Resources,
		RedirectURI: t.RedirectURI, Challenge: t.Challenge,
	})
	if err != nil {
		e.failed(w, r, err)
		return
	}
	redirectTo(w, e.answerURI(t, url.Values{"code": {code}}))
}
