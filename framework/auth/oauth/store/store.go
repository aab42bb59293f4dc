// Package store defines the records of an authorization server: clients, users, grants,
// tokens, and values that live for a short time.
//
// The packages memory, sqlite, postgres and redis below it are stores. Package storetest
// checks any other store.
package store

import (
	"context"
	"errors"
	"time"
)

// The errors of a store. A store may wrap them; use errors.Is.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")

	// ErrUsed means that a code or a refresh token was used before.
	ErrUsed = errors.New("used already")

	// ErrRevoked means that a grant has been revoked or has expired.
	ErrRevoked = errors.New("revoked or expired")
)

// IsBusy reports whether an error of a store means that it can't answer at the moment, and that
// a later try may succeed: the error has a method Busy that returns true.
func IsBusy(err error) bool {
	var busy interface{ Busy() bool }
	return errors.As(err, &busy) && busy.Busy()
}

// A Store keeps the records of an authorization server. Several goroutines and processes
// use it at once. Each method happens as a whole or not at all, also if the process is
// killed. When a method that changes something has returned, the change survives a crash,
// unless the store documents less.
//
// Times are kept in milliseconds. Codes, tokens and the keys of values are kept as hashes
// only, so a copy of the store gives nobody access.
type Store interface {
	Clients
	Users
	Grants
	Tokens
	Values

	// Purge removes grants, tokens and values that have expired before a time, and returns
	// how many. It keeps the codes and refresh tokens of a grant as long as the grant, also
	// used ones: one that is used again ends its grant.
	Purge(ctx context.Context, before time.Time) (removed int, err error)

	// Close releases the store. Other methods fail afterwards.
	Close() error
}

// Clients keeps OAuth clients (RFC 6749, section 2).
type Clients interface {
	// CreateClient adds a client. The error is ErrExists if its ID is taken.
	CreateClient(ctx context.Context, client Client) error

	// Client returns a client, or ErrNotFound.
	Client(ctx context.Context, id string) (Client, error)

	// ListClients returns at most limit clients by their IDs, beginning behind one: "" for
	// the first.
	ListClients(ctx context.Context, after string, limit int) ([]Client, error)

	// DeleteClient removes a client, or returns ErrNotFound. Its grants stay.
	DeleteClient(ctx context.Context, id string) error

	// PruneClients removes the oldest clients that registered themselves and never got a
	// grant, until at most keep of them are left. It returns how many it removed.
	PruneClients(ctx context.Context, keep int) (removed int, err error)
}

// Users keeps the users of the server's own login. Users of another login aren't kept.
type Users interface {
	// CreateUser adds a user. The error is ErrExists if the ID or the name is taken.
	CreateUser(ctx context.Context, user User) error

	// User returns a user by its ID, or ErrNotFound.
	User(ctx context.Context, id string) (User, error)

	// UserByName returns a user by its name, or ErrNotFound.
	UserByName(ctx context.Context, name string) (User, error)

	// ListUsers returns at most limit users by their IDs, beginning behind one: "" for the
	// first.
	ListUsers(ctx context.Context, after string, limit int) ([]User, error)

	// UpdateUser changes a user, or returns ErrNotFound. No change of another caller is lost:
	// the function gets the user as it is, and is called again if the user has changed in the
	// meantime. If it returns an error, UpdateUser changes nothing and returns it. The ID, the
	// name and the time of the creation don't change.
	UpdateUser(ctx context.Context, id string, change func(*User) error) error

	// DeleteUser removes a user, or returns ErrNotFound. The name is free again. Grants and
	// tokens stay.
	DeleteUser(ctx context.Context, id string) error
}

// Grants keeps grants with their codes and refresh tokens.
type Grants interface {
	// CreateGrant adds a grant with its authorization code, or without one if code is nil.
	// It notes that the client is in use.
	CreateGrant(ctx context.Context, grant Grant, code *Code) error

	// Grant returns a grant, or ErrNotFound. It may be revoked or expired.
	Grant(ctx context.Context, id string) (Grant, error)

	// ListGrants returns at most limit grants of a user by their IDs, beginning behind one: ""
	// for the first. The user "" stands for all users and for clients that act for themselves.
	// They may be revoked or expired.
	ListGrants(ctx context.Context, user, after string, limit int) ([]Grant, error)

	// RevokeGrant revokes a grant with all of its tokens. It does nothing if there is none
	// or it is revoked.
	RevokeGrant(ctx context.Context, id string, now time.Time) error

	// Code returns the authorization code of a grant, or ErrNotFound. It may be used or
	// expired.
	Code(ctx context.Context, grant string, hash Hash) (Code, error)

	// FailCode counts a failed try to redeem a code, and returns how many there were, or
	// ErrNotFound.
	FailCode(ctx context.Context, grant string, hash Hash) (failures int, err error)

	// RedeemCode uses a code, which can be used once, and renews its grant. The error is
	// ErrUsed, ErrRevoked if the grant has ended, or ErrNotFound. The caller has checked
	// everything else. It notes when the grant was used.
	RedeemCode(ctx context.Context, grant string, hash Hash, renewal Renewal) error

	// RefreshToken returns a refresh token of a grant, or ErrNotFound. It may be used.
	RefreshToken(ctx context.Context, grant string, hash Hash) (RefreshToken, error)

	// RotateRefreshToken uses a refresh token, which can be used once, and renews its grant.
	// It returns the same errors as RedeemCode.
	RotateRefreshToken(ctx context.Context, grant string, hash Hash, renewal Renewal) error
}

// Tokens keeps personal access tokens.
type Tokens interface {
	// CreateToken adds a token. The error is ErrExists if its ID or hash is taken.
	CreateToken(ctx context.Context, token Token) error

	// Token returns a token by its hash, or ErrNotFound. It may have expired.
	Token(ctx context.Context, hash Hash) (Token, error)

	// ListTokens returns at most limit tokens of a user by their IDs, beginning behind one:
	// "" for the first. The user "" stands for all users.
	ListTokens(ctx context.Context, user, after string, limit int) ([]Token, error)

	// DeleteToken removes a token by its ID, or returns ErrNotFound.
	DeleteToken(ctx context.Context, id string) error
}

// Values keeps small values under keys until they expire, such as a login in progress or an
// assertion that must not be used again.
type Values interface {
	// AddValue adds a value. The error is ErrExists if the key has one that has not expired
	// at the time now.
	AddValue(ctx context.Context, key Hash, value Value, now time.Time) error

	// SetValue adds a value, or replaces it.
	SetValue(ctx context.Context, key Hash, value Value) error

	// Value returns a value, or ErrNotFound. It may have expired.
	Value(ctx context.Context, key Hash) (Value, error)

	// TakeValue removes a value and returns it, or ErrNotFound. Of several callers one gets
	// it.
	TakeValue(ctx context.Context, key Hash) (Value, error)
}
