package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// connections is how many connections a fast attack has.
const connections = 64

// attackEndpoints attacks an authorization server from 127.0.0.2 in one way, and writes how it has answered.
func attackEndpoints(ctx context.Context, address, way string, length time.Duration, out io.Writer) (err error) {
	ctx, stop := context.WithTimeout(ctx, length)
	defer stop()
	a := &attacks{}
	switch way {
	case "fast":
		err = a.fast(ctx, address, length)
	case "slow":
		a.slow(ctx, address)
	default:
		return fmt.Errorf("-login %s is not known with -attack; it is fast or slow", way)
	}
	_, writeErr := fmt.Fprintln(out, a)
	return errors.Join(err, writeErr)
}

// fast sends all floods as fast as they are answered. It returns an error if one of them never got as far as it should:
// such an attack would show nothing.
func (a *attacks) fast(ctx context.Context, address string, length time.Duration) error {
	attacker, err := newAttacker(ctx, address)
	if err != nil {
		return fmt.Errorf("the attacker can't begin: %w", err)
	}
	floods, half := attacker.floods(), time.Now().Add(length/2)
	for n := range connections {
		next := n
		a.repeat(ctx, 1, func() {
			next++
			f := floods[next%len(floods)]
			if f.spends && time.Now().Before(half) {
				return
			}
			a.count(attacker.attack(ctx, f))
		})
	}
	a.Wait()
	for _, f := range floods {
		if f.status != 0 && f.reached.Load() == 0 {
			err = errors.Join(err, fmt.Errorf("no request of the flood %q for %s was answered with %d %s", f.what, f.path, f.status, f.says))
		}
	}
	return err
}

// slow holds connections to all endpoints that take a body.
func (a *attacks) slow(ctx context.Context, address string) {
	paths := []string{"/oauth/token", "/oauth/login", "/oauth/consent", "/oauth/account", "/oauth/register", "/oauth/revoke", "/oauth/introspect"}
	for n := range 1100 {
		a.repeat(ctx, 1, func() { a.silent(ctx, address, paths[n%len(paths)]) })
	}
	a.Wait()
}

// silent sends the headers of a request whose body doesn't come, and waits for what the server does.
func (a *attacks) silent(ctx context.Context, address, path string) {
	const head = "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n"
	a.send(ctx, address, 2, http.StatusTooManyRequests, fmt.Appendf(nil, head, path, address))
	time.Sleep(100 * time.Millisecond)
}
