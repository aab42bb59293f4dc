package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// connections is how many connections a fast attack has.
const connections = 64

// attackEndpoints attacks an authorization server from 127.0.0.2 in one way, and writes how it has answered.
func attackEndpoints(ctx context.Context, address, way string, length time.Duration, out io.Writer) error {
	ctx, stop := context.WithTimeout(ctx, length)
	defer stop()
	a := &attacks{}
	switch way {
	case "fast":
		attacker, floods := newClient(address, 2, connections), floods()
		for n := range connections {
			next := n
			a.repeat(ctx, 1, func() {
				next++
				response, _, err := attacker.send(floods[next%len(floods)].request(ctx, "http://"+address))
				if err != nil {
					a.count(0, err)
					return
				}
				a.count(response.StatusCode, nil)
			})
		}
	case "slow":
		a.repeat(ctx, 1100, func() { a.silent(ctx, address) })
	default:
		return fmt.Errorf("-login %s is not known with -attack; it is fast or slow", way)
	}
	a.Wait()
	_, err := fmt.Fprintln(out, a)
	return err
}

// A flood is a request that is sent again and again, with random parts.
type flood struct {
	path  string
	query func() url.Values // of a GET request
	form  func() url.Values // of a POST request
	json  func() string
}

// floods returns a flood for each endpoint, as large as endpoints allow and larger.
func floods() []flood {
	long := strings.Repeat("x", 60_000)
	empty := func() url.Values { return nil }
	authorize := func(client func() string, state string) func() url.Values {
		return func() url.Values {
			return url.Values{
				"response_type": {"code"}, "client_id": {client()}, "redirect_uri": {redirectURI}, "state": {state},
				"code_challenge": {challenge}, "code_challenge_method": {"S256"},
			}
		}
	}
	document := func() string { return "https://" + strings.ToLower(rand.Text()) + ".invalid/client.json" }
	transaction := func() url.Values {
		return url.Values{"txn": {rand.Text()}, "name": {rand.Text() + long}, "password": {long}}
	}
	return []flood{
		{path: "/oauth/authorize", query: authorize(rand.Text, rand.Text())},
		{path: "/oauth/authorize", query: authorize(document, rand.Text())},
		{path: "/oauth/authorize", query: authorize(rand.Text, long)},
		{path: "/oauth/account", query: empty},
		{path: "/oauth/callback", query: func() url.Values { return url.Values{"state": {rand.Text()}} }},
		{path: "/oauth/login?txn=x", form: transaction},
		{path: "/oauth/consent?txn=x", form: transaction},
		{path: "/oauth/account", form: transaction},
		{path: "/oauth/register", json: func() string {
			return `{"redirect_uris":["` + redirectURI + `"],"client_name":"` + rand.Text() + `","client_uri":"https://example.com/` + long + `"}`
		}},
		{path: "/oauth/register", json: func() string { return `{"redirect_uris":["` + redirectURI + `"],"client_name":"` + rand.Text() + `"}` }},
		{path: "/oauth/token", form: func() url.Values {
			return url.Values{"grant_type": {"refresh_token"}, "client_id": {rand.Text()}, "refresh_token": {rand.Text()}}
		}},
		{path: "/oauth/token", form: func() url.Values {
			return url.Values{"grant_type": {"authorization_code"}, "client_id": {document()}, "code": {long}, "code_verifier": {verifier}}
		}},
		{path: "/oauth/revoke", form: func() url.Values { return url.Values{"client_id": {rand.Text()}, "token": {rand.Text()}} }},
		{path: "/oauth/introspect", form: func() url.Values {
			return url.Values{"client_id": {rand.Text()}, "client_secret": {rand.Text()}, "token": {long}}
		}},
		{path: "/oauth/jwks", query: empty},
		{path: "/.well-known/oauth-authorization-server", query: empty},
		{path: "/.well-known/oauth-protected-resource/mcp", query: empty},
	}
}

// request returns the next request of a flood.
func (f *flood) request(ctx context.Context, server string) *http.Request {
	method, address, kind, body := http.MethodPost, server+f.path, "application/x-www-form-urlencoded", ""
	switch {
	case f.query != nil:
		method, address = http.MethodGet, address+"?"+f.query().Encode()
	case f.form != nil:
		body = f.form().Encode()
	default:
		kind, body = "application/json", f.json()
	}
	r, _ := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body)) // the URL is a valid one
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Origin", server)
	return r
}

// silent sends the headers of a request whose body doesn't come, and waits for what the server does.
func (a *attacks) silent(ctx context.Context, address string) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}, Timeout: 10 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		a.count(0, err)
		time.Sleep(100 * time.Millisecond)
		return
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	const head = "POST /oauth/token HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n"
	if _, err = fmt.Fprintf(conn, head, address); err == nil {
		_, err = conn.Read(make([]byte, 16))
	}
	a.count(http.StatusTooManyRequests, err)
	time.Sleep(100 * time.Millisecond)
}
