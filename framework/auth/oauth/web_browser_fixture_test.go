package oauth_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// A webBrowser is a browser at the pages of a program, with its cookies.
type webBrowser struct {
	url    string              // of the program
	client func() *http.Client // reaches the program
	jar    http.CookieJar
	answer url.Values // the last one that it took to a client
}

func newWebBrowser(program string, client func() *http.Client) *webBrowser {
	jar, _ := cookiejar.New(nil) // never fails
	return &webBrowser{url: program, client: client, jar: jar}
}

// A page is what a browser shows.
type page struct {
	status int
	text   string
}

func (b *webBrowser) send(ctx context.Context, method, address, contentType, body string, header ...string) (page, error) {
	client := &http.Client{Jar: b.jar, Transport: b.client().Transport, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), callback) {
			b.answer = r.URL.Query()
			return http.ErrUseLastResponse
		}
		return nil
	}}
	w, text, err := send(ctx, client, method, address, contentType, body, header...)
	if err != nil {
		return page{}, err
	}
	return page{w.StatusCode, text}, nil
}

func (b *webBrowser) open(ctx context.Context, address string) (page, error) {
	return b.send(ctx, http.MethodGet, address, "", "")
}

// submit submits the form of a page.
func (b *webBrowser) submit(ctx context.Context, p page, fields url.Values) (page, error) {
	token, action := regexp.MustCompile(`name="csrf" value="([^"]*)"`).FindStringSubmatch(p.text), regexp.MustCompile(`action="([^"]*)"`).FindStringSubmatch(p.text)
	if token == nil || action == nil {
		return page{}, fmt.Errorf("the page has no form: %s", p.text)
	}
	fields.Set("csrf", token[1])
	target := html.UnescapeString(action[1])
	origin, _, _ := strings.Cut(target, "/oauth/")
	return b.send(ctx, http.MethodPost, target, "application/x-www-form-urlencoded", fields.Encode(), "Origin", origin)
}

// authorize lets a user, who logs in first if need be, allow scopes of the request at an address.
// It returns the answer to the client.
func (b *webBrowser) authorize(ctx context.Context, address, user string, ticked ...string) (url.Values, error) {
	b.answer = nil
	p, err := b.open(ctx, address)
	if err == nil && !strings.Contains(p.text, `value="approve"`) {
		p, err = b.submit(ctx, p, url.Values{"name": {user}, "password": {rightPassword}})
	}
	if err == nil {
		p, err = b.submit(ctx, p, url.Values{"decision": {"approve"}, "scope": ticked})
	}
	if err == nil && b.answer == nil {
		err = fmt.Errorf("the client is not answered: %s", p.text)
	}
	return b.answer, err
}

// logIn logs a user in to the account page, and returns the status of the answer.
func (b *webBrowser) logIn(ctx context.Context, user, password string) (status int, err error) {
	p, err := b.open(ctx, b.url+"/oauth/account")
	if err == nil {
		p, err = b.submit(ctx, p, url.Values{"name": {user}, "password": {password}})
	}
	return p.status, err
}

// hasSession reports whether the account page shows an account without a login.
func (b *webBrowser) hasSession(ctx context.Context) (bool, error) {
	p, err := b.open(ctx, b.url+"/oauth/account")
	return p.isAccount(), err
}

// logOut ends the session, if there is one.
func (b *webBrowser) logOut(ctx context.Context) error {
	p, err := b.open(ctx, b.url+"/oauth/account")
	if err == nil && p.isAccount() {
		_, err = b.submit(ctx, p, url.Values{"logout": {"1"}})
	}
	return err
}

func (p page) isAccount() bool { return strings.Contains(p.text, `name="logout"`) }

// rightPassword is the password of the users who log in with one.
const rightPassword = "correct horse"

// addUser adds a user to a store. The hash of the password takes less time than those that
// user:create makes.
func addUser(t *testing.T, users store.Users, name string) store.User {
	t.Helper()
	salt := []byte("a salt of 16 bytes")
	hash := argon2.IDKey([]byte(rightPassword), salt, 1, 64, 1, 32)
	encode := base64.RawStdEncoding.EncodeToString
	user := store.User{ID: "u-" + name, Name: name, Password: "$argon2id$v=19$m=64,t=1,p=1$" + encode(salt) + "$" + encode(hash), Created: time.Now()}
	if err := users.CreateUser(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	return user
}
