package authorize

import (
	"errors"
	"log/slog"
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
	"github.com/bowline-mcp/bowline/framework/events"
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
func (e *Endpoint) Consent(w http.ResponseWriter, r *http.Request) error {
	t, client, err := e.opened(r, transactionID(r))
	if err != nil {
		return err
	}
	if t.isForAccount() {
		return e.goTo(w, endpoint.AccountPath, nil)
	}
	session, err := e.browsers().session(r)
	if err != nil {
		return err
	}
	if t.User == nil || session == nil || session.User.ID != t.User.ID { // perhaps another one has logged in on another tab
		return e.goTo(w, endpoint.LoginPath, t)
	}
	endpoint.SetUser(r.Context(), t.User.ID)
	if r.Method == http.MethodPost {
		return e.decide(w, r, t, client)
	}
	page := consentPage{
		requester: t.requester(client), User: t.User.Name, Resources: t.Resources,
		Action: e.pageURL(endpoint.ConsentPath, t), Switch: e.pageURL(endpoint.LoginPath, t) + "&switch", CSRF: t.CSRF,
	}
	for _, scope := range t.Scopes {
		page.Scopes = append(page.Scopes, shownScope{scope, e.meaning(scope)})
	}
	e.page(w, r, http.StatusOK, pages.Consent, page, metadata.Source(t.RedirectURI))
	return nil
}

// decide answers the client with the user's decision.
func (e *Endpoint) decide(w http.ResponseWriter, r *http.Request, t *transaction, client store.Client) error {
	decision, scopes := r.PostForm.Get("decision"), r.PostForm["scope"]
	for _, scope := range scopes {
		if !slices.Contains(t.Scopes, scope) { // was not shown
			decision = ""
		}
	}
	if decision != "approve" && decision != "deny" {
		return foreignForm()
	}
	if err := e.browsers().end(r.Context(), w, t); errors.Is(err, errTransaction) {
		return &errorPage{Key: "error.expired"}
	} else if err != nil {
		return err
	}
	ctx := r.Context()
	if decision == "deny" {
		denied := events.ConsentDenied{Authorization: endpoint.Authorization(ctx), Scopes: t.Scopes}
		endpoint.Report(ctx, e.Base, slog.LevelInfo, "a user denied consent", denied, slog.String("scopes", strings.Join(t.Scopes, " ")))
		return redirectTo(w, e.answerURI(t, url.Values{"error": {"access_denied"}, "error_description": {"The user denied the request"}}))
	}
	granted := slices.DeleteFunc(slices.Clone(t.Scopes), func(scope string) bool { return !slices.Contains(scopes, scope) })
	consented := events.Consented{Authorization: endpoint.Authorization(ctx), Scopes: granted}
	endpoint.Report(ctx, e.Base, slog.LevelInfo, "a user consented", consented, slog.String("scopes", strings.Join(granted, " ")))
	code, err := e.Tokens.Grants.Authorize(ctx, grants.Authorization{
		Client: client, UserID: t.User.ID, UserName: t.User.Name, Claims: t.User.Claims, Scopes: granted, Resources: t.Resources,
		RedirectURI: t.RedirectURI, Challenge: t.Challenge,
	})
	if err != nil {
		return err
	}
	return redirectTo(w, e.answerURI(t, url.Values{"code": {code}}))
}
