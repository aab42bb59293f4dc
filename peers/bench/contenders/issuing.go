package contenders

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/mcp"
)

// An Issuing is Bowline's authorization server, with its store in SQLite as it is shipped, and a
// client that gets tokens from it over TCP.
type Issuing struct {
	url     string
	id      string       // of the client
	client  *http.Client // keeps a connection for each of its users
	browser *http.Client
	codes   int // that were made
}

// authorizations is how many codes an address asks for. The server allows 60 in a minute.
const authorizations = 50

// dial connects from a loopback address that changes after some codes.
func (i *Issuing) dial(ctx context.Context, network, address string) (net.Conn, error) {
	n := i.codes / authorizations
	from := &net.TCPAddr{IP: net.IPv4(127, 1, byte(n>>8), byte(n))}
	return (&net.Dialer{LocalAddr: from}).DialContext(ctx, network, address)
}

// The proof key of the client (RFC 7636, appendix B).
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	callback  = "http://127.0.0.1:9/callback"
)

// anybody lets everybody in without a question.
type anybody struct{}

func (anybody) Authenticate(http.ResponseWriter, *oauth.LoginRequest) (*oauth.User, error) {
	return &oauth.User{ID: "bench", Name: "bench"}, nil
}

// BowlineIssuing serves the authorization server, with its files in the folder, until stop is
// called. As many users of the client may get tokens at once.
func BowlineIssuing(kit Kit, path, folder string, users int) (issuing *Issuing, stop func() error, err error) {
	address, stop, err := serveApp(func(address string) *mcp.App {
		server := oauth.New(oauth.Config{
			Authenticator: anybody{}, Store: "sqlite:" + filepath.Join(folder, "oauth.db"), Drivers: []store.Driver{sqlite.Driver()}, Keys: filepath.Join(folder, "oauth.keys"),
		})
		app := mcp.New(mcp.Config{Addr: address, Logger: silent()})
		app.Router.Component(server)
		app.Router.Web(path, &bowlineServer{kit: kit}).Guard(server.Guard("mcp:use"))
		return app
	})
	if err != nil {
		return nil, nil, err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, stop, err
	}
	i := &Issuing{url: "http://" + address, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: users}}}
	i.browser = &http.Client{Transport: &http.Transport{DialContext: i.dial, DisableKeepAlives: true}, Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), callback) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	var registered struct {
		ID string `json:"client_id"`
	}
	err = i.post("/oauth/register", "application/json", `{"redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`, &registered)
	i.id = registered.ID
	return i, stop, err
}

// post sends a request and decodes its answer.
func (i *Issuing) post(path, contentType, body string, into any) error {
	w, err := i.client.Post(i.url+path, contentType, strings.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask the authorization server: %w", err)
	}
	text, err := read(w)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("decode the answer %s: %w", text, err)
	}
	return nil
}

func read(w *http.Response) ([]byte, error) {
	defer w.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(w.Body)
	if err == nil && w.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("the answer is %s: %.300s", w.Status, text)
	}
	return text, err
}

var form = regexp.MustCompile(`(?s)action="([^"]*)".*name="csrf" value="([^"]*)"`)

// Code returns a code. The user of the browser allows the client on the page.
func (i *Issuing) Code() (string, error) {
	i.codes++
	query := url.Values{"response_type": {"code"}, "client_id": {i.id}, "redirect_uri": {callback}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}}
	w, err := i.browser.Get(i.url + "/oauth/authorize?" + query.Encode())
	if err != nil {
		return "", fmt.Errorf("open the page for consent: %w", err)
	}
	page, err := read(w)
	if err != nil {
		return "", err
	}
	found := form.FindSubmatch(page)
	if found == nil {
		return "", fmt.Errorf("the page for consent has no form: %.300s", page)
	}
	w, err = i.browser.PostForm(html.UnescapeString(string(found[1])), url.Values{"csrf": {string(found[2])}, "decision": {"approve"}, "scope": {"mcp:use"}})
	if err != nil {
		return "", fmt.Errorf("send the consent: %w", err)
	}
	if _, err := read(w); err != nil {
		return "", err
	}
	answer, err := w.Location()
	if err != nil {
		return "", fmt.Errorf("the consent is not answered with a redirect: %w", err)
	}
	return answer.Query().Get("code"), nil
}

// Redeem exchanges a code for tokens, and returns the refresh token.
func (i *Issuing) Redeem(code string) (refresh string, err error) {
	return i.token(url.Values{"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}})
}

// Refresh exchanges a refresh token, and returns the next.
func (i *Issuing) Refresh(token string) (next string, err error) {
	return i.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}})
}

func (i *Issuing) token(parameters url.Values) (refresh string, err error) {
	parameters.Set("client_id", i.id)
	var answer struct {
		Refresh string `json:"refresh_token"`
	}
	err = i.post("/oauth/token", "application/x-www-form-urlencoded", parameters.Encode(), &answer)
	return answer.Refresh, err
}
