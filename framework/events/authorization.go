package events

import (
	"net/netip"
	"time"
)

// An Authorization has the common fields of all events of an authorization server (package
// auth/oauth). The server calls the listeners before it answers the request.
type Authorization struct {
	// User is the ID of the user (oauth.User): for a browser, the user who has logged in; for a
	// client, the user for whom it acts. It is "" if nobody has logged in, and for a client that
	// acts for itself.
	User string

	// Client is the client_id of the OAuth client. It is "" if the request is about no client,
	// such as on the account page.
	Client string

	// Address is where the request comes from, and RequestID what the log calls it, such as
	// "8f3a12c7". Both are zero if a command of the program did it, such as user:create.
	Address   netip.Addr
	RequestID string
}

// LoggedIn reports that a user logged in with a browser.
type LoggedIn struct {
	Authorization
	Name string // of the user, such as an email address
}

// LoginFailed reports a login with a wrong name or password, or one that another server refused.
type LoginFailed struct {
	Authorization
	Name string // that was entered, cut to the length that a name can have; "" at another server
	Err  error  // why; the user may not know it
}

// LockedOut reports that a login was refused without a look at the password, since the name or
// the address has had too many wrong ones. Further refusals of the same name are reported once a
// minute, and those from one address about 20 times a minute.
type LockedOut struct {
	Authorization
	Name string        // that was entered, cut to the length that a name can have
	Wait time.Duration // until the next try
}

// LoggedOut reports that a user logged out of a browser, or that the command session:end has
// ended the sessions in all browsers.
type LoggedOut struct {
	Authorization
	Everywhere bool // of all browsers
}

// Consented reports that a user allowed a client's authorization request.
type Consented struct {
	Authorization
	Scopes []string // that the user allowed
}

// ConsentDenied reports that a user denied a client's authorization request.
type ConsentDenied struct {
	Authorization
	Scopes []string // that the client asked for
}

// GrantIssued reports that a client got its first tokens of a grant. Refreshed tokens are not
// reported.
type GrantIssued struct {
	Authorization
	Grant  string // its ID, which the command grant:list shows
	Type   string // the grant_type: "authorization_code", "client_credentials" or that of an assertion
	Scopes []string
}

// GrantRevoked reports that a grant, with all of its tokens, was revoked for a reason other than
// those of [RefreshTokenReused] and [CodeReused]. If a user is disabled or removed, or a client is
// removed, their grants end without this event.
type GrantRevoked struct {
	Authorization
	Grant  string // its ID
	Reason Revocation
}

// A Revocation is the reason why a grant was revoked.
type Revocation string

// The reasons why a grant was revoked.
const (
	RevokedByUser        Revocation = "user"           // ended the access of the client on the account page
	RevokedByClient      Revocation = "client"         // such as when its user logs out of it (RFC 7009)
	RevokedByCommand     Revocation = "command"        // grant:revoke
	RevokedWrongVerifier Revocation = "wrong verifier" // sent too often with an authorization code (RFC 7636)
)

// RefreshTokenReused reports that a refresh token came again after it had been exchanged: somebody
// else has a copy (RFC 9700, section 4.14). The grant was revoked.
type RefreshTokenReused struct {
	Authorization
	Grant string // its ID
}

// CodeReused reports that an authorization code came again with the right verifier: somebody else
// has both, or the client has repeated a request (RFC 6749, section 4.1.2). The grant was revoked.
type CodeReused struct {
	Authorization
	Grant string // its ID
}

// UserChanged reports a change of a user of the server's own store. The event of a command, such
// as user:create, reaches the listeners of the process that runs the command, which exits once
// they have returned.
type UserChanged struct {
	Authorization
	Name   string // such as an email address
	Change UserChange
}

// A UserChange is what changed about a user.
type UserChange string

// The changes of users.
const (
	UserCreated     UserChange = "created"
	PasswordChanged UserChange = "password changed" // the user is logged out of all other browsers
	UserDisabled    UserChange = "disabled"
	UserEnabled     UserChange = "enabled"
	UserRemoved     UserChange = "removed"
)
