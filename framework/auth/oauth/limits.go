package oauth

import (
	"cmp"
	"fmt"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/endpoint"
	"github.com/bowline-mcp/bowline/internal/engine/throttle"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// Limits bound what strangers can make an authorization server do. They count for each
// address, unless they say otherwise; the first 64 bits of an IPv6 address count. A request
// beyond them is refused with 429 before it does any work. In each field, 0 means the default.
type Limits struct {
	// Authorizations is how many authorization requests an address may send in a minute, and
	// how often it may send a browser to another server that logs users in. The default is 60.
	Authorizations int

	// AllAuthorizations is how many authorization requests all addresses together may send in
	// ten minutes. The next one is refused with 503. The default is 5000.
	AllAuthorizations int

	// Registrations is how many clients an address may register in an hour. The default is 100.
	Registrations int

	// Documents is how many metadata documents of clients an address may make the server fetch
	// in a minute. The default is 30.
	Documents int

	// WrongCredentials is how often a client may fail to authenticate itself in ten minutes.
	// All clients of an address count together, but for those with keys, each of which counts
	// by itself. The right secret is accepted all the same. The default is 20.
	WrongCredentials int

	// WrongTokens is how many requests an address may send in ten minutes to exchange, revoke or
	// introspect a code or a token that is not valid. The default is 600, since hosted clients
	// have many users behind few addresses.
	WrongTokens int

	// Refreshes is how often the client of one grant may refresh its tokens in an hour. The
	// token stays valid if it is refused. The default is 6000.
	Refreshes int
}

// A limit is a field of Limits, with its default.
type limit struct {
	name     string
	value    *int
	standard int
}

// all returns the fields.
func (l *Limits) all() []limit {
	return []limit{
		{"Authorizations", &l.Authorizations, limits.Authorizations},
		{"AllAuthorizations", &l.AllAuthorizations, limits.AllAuthorizations},
		{"Registrations", &l.Registrations, limits.Registrations},
		{"Documents", &l.Documents, limits.Documents},
		{"WrongCredentials", &l.WrongCredentials, limits.WrongCredentials},
		{"WrongTokens", &l.WrongTokens, limits.WrongTokens},
		{"Refreshes", &l.Refreshes, limits.Refreshes},
	}
}

// withDefaults returns the limits with their defaults.
func (l Limits) withDefaults() Limits {
	for _, limit := range l.all() {
		*limit.value = cmp.Or(*limit.value, limit.standard)
	}
	return l
}

// check returns the mistakes in limits that have their defaults.
func (l Limits) check() (mistakes []error) {
	for _, limit := range l.all() {
		if *limit.value < 1 {
			mistakes = append(mistakes, fmt.Errorf("oauth: Config.Limits.%s is %d; set it to 1 or more, or to 0 for the default of %d", limit.name, *limit.value, limit.standard))
		}
	}
	return mistakes
}

// open returns the limiters of limits that have no mistake.
func (l Limits) open() endpoint.Limiters {
	limiter := func(n int, per time.Duration) *throttle.Limiter {
		made, _ := throttle.New(n, per) // both are more than 0
		return made
	}
	return endpoint.Limiters{
		Authorizations:    limiter(l.Authorizations, time.Minute),
		AllAuthorizations: limiter(l.AllAuthorizations, limits.TransactionTime),
		Registrations:     limiter(l.Registrations, time.Hour),
		Documents:         limiter(l.Documents, time.Minute),
		WrongCredentials:  limiter(l.WrongCredentials, limits.WrongTime),
		WrongTokens:       limiter(l.WrongTokens, limits.WrongTime),
		Refreshes:         limiter(l.Refreshes, time.Hour),
		Snapshots:         limiter(1, time.Hour),
		Refusals:          limiter(limits.RefusalLogs, time.Minute),
		NameLockOuts:      limiter(1, limits.LockOutTime),
		AddressLockOuts:   limiter(limits.LockOutReports, limits.LockOutTime),
	}
}
