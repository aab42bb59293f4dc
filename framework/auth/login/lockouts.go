package login

import (
	"errors"
	"net/netip"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
)

// tries are how many wrong passwords a name and an address may have in a time.
type tries struct {
	ofName, ofAddress int
	per               time.Duration
}

// lockouts count the wrong passwords of names, of addresses, and of browsers in which a user
// has logged in before.
type lockouts struct {
	names, addresses, browsers *throttle.Limiter
}

// newLockouts returns lockouts, or the mistake in the numbers.
func newLockouts(t tries) (*lockouts, error) {
	names, err := throttle.New(t.ofName, t.per)
	addresses, addressErr := throttle.New(t.ofAddress, t.per)
	if err != nil || addressErr != nil {
		return nil, errors.New("login: Tries needs two numbers and a time of a millisecond or more, all more than 0, such as (5, 20, time.Minute)")
	}
	browsers, _ := throttle.New(t.ofName, t.per) // as names
	return &lockouts{names: names, addresses: addresses, browsers: browsers}, nil
}

// A try is one with a password. It counts if the password is wrong: many people may be behind
// one address.
type try struct {
	wait   time.Duration // until a try is allowed; 0 for this one
	counts []counted
}

type counted struct {
	limiter *throttle.Limiter
	key     throttle.Key
}

// begin counts a try.
func (l *lockouts) begin(r *oauth.LoginRequest, name string) *try {
	t := &try{}
	user := store.HashOf(name)
	if browser := r.Browser(name); browser != "" {
		t.count(l.browsers, throttle.KeyOf(browser+string(user[:]), netip.Addr{}))
	} else if t.count(l.addresses, throttle.KeyOf("", r.Address)) {
		t.count(l.names, throttle.KeyOf(string(user[:]), netip.Addr{}))
	}
	if t.wait > 0 {
		t.takeBack()
	}
	return t
}

// count counts the try, and reports whether the limiter allows it.
func (t *try) count(limiter *throttle.Limiter, key throttle.Key) bool {
	if t.wait = limiter.Take(key); t.wait > 0 {
		return false
	}
	t.counts = append(t.counts, counted{limiter, key})
	return true
}

// takeBack makes the try count no longer.
func (t *try) takeBack() {
	for _, c := range t.counts {
		c.limiter.Return(c.key)
	}
}
