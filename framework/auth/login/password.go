// Package login has ways to log users in to the authorization server of package auth/oauth.
package login

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/internal/throttle"
)

// The limits of failed tries to log in: those of a name, and those of an address with all
// names.
const (
	triesOfName    = 5
	triesOfAddress = 20
	triesTime      = time.Minute
)

// MinPassword is the minimum length of a password in characters (NIST SP 800-63B).
const MinPassword = 8

// maxPassword is the maximum length of a password in bytes.
const maxPassword = 1024

// Password returns an authenticator that asks for a name and a password. The users are those
// of the server's store, whom the command user:create makes. An answer doesn't tell whether a user exists, and takes as long.
func Password() oauth.Authenticator {
	names, _ := throttle.New(triesOfName, triesTime)        // valid numbers
	addresses, _ := throttle.New(triesOfAddress, triesTime) // valid numbers
	return &password{names: names, addresses: addresses, running: make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
}

var _ oauth.PasswordAuthenticator = (*password)(nil)

type password struct {
	names, addresses *throttle.Limiter
	running          chan struct{} // bounds the memory of hashes
}

// Authenticate returns the user of a form that has a name with the right password, or shows
// the form.
func (p *password) Authenticate(w http.ResponseWriter, r *oauth.LoginRequest) (*oauth.User, error) {
	if r.Method != http.MethodPost {
		r.Form(w, http.StatusOK, "")
		return nil, nil
	}
	name, given := Name(r.PostForm.Get("name")), r.PostForm.Get("password")
	nameKey, addressKey := throttle.KeyOf("name "+name, r.Address), throttle.KeyOf("", r.Address)
	if wait := max(p.names.Take(nameKey), p.addresses.Take(addressKey)); wait > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(int(wait.Seconds())))
		r.Form(w, http.StatusTooManyRequests, "login.wait")
		return nil, nil
	}
	user, err := p.check(r.Context(), r.Users, name, given)
	if errors.Is(err, errWrong) {
		r.Form(w, http.StatusForbidden, "login.wrong")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p.names.Return(nameKey) // only failures count: many people may be behind one address
	p.addresses.Return(addressKey)
	return &oauth.User{ID: user.ID, Name: user.Name}, nil
}

// NewUser returns a user for the command user:create.
func (*password) NewUser(name, password string) (store.User, error) { return NewUser(name, password) }

// errWrong means that a name or a password is wrong.
var errWrong = errors.New("the name or the password is wrong")

// check returns the user with a name and a password.
func (p *password) check(ctx context.Context, users store.Users, name, given string) (store.User, error) {
	user, err := users.UserByName(ctx, name)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return user, err
	}
	hash := user.Password
	if hash == "" {
		hash = nobody
	}
	select {
	case p.running <- struct{}{}:
		defer func() { <-p.running }()
	case <-ctx.Done():
		return user, ctx.Err()
	}
	right, hashErr := matches(given, hash)
	switch {
	case hashErr != nil:
		return user, fmt.Errorf("the password of the user %s: %w", user.ID, hashErr)
	case !right, err != nil, user.Disabled:
		return user, errWrong
	}
	return user, nil
}

// Name returns a name as users are found by: e-mail addresses differ only in their letters.
func Name(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// NewUser returns a user with a password for store.Users. It returns an error for a name or
// password that is not accepted.
func NewUser(name, password string) (store.User, error) {
	name = Name(name)
	switch {
	case name == "" || len(name) > 254:
		return store.User{}, errors.New("the name is empty or too long; use an e-mail address")
	case len([]rune(password)) < MinPassword:
		return store.User{}, fmt.Errorf("the password is too short; it needs %d characters or more", MinPassword)
	case len(password) > maxPassword:
		return store.User{}, fmt.Errorf("the password is longer than %d bytes", maxPassword)
	}
	return store.User{ID: rand.Text(), Name: name, Password: hashOf(password), Created: time.Now()}, nil
}

// The parameters of argon2id (RFC 9106) that OWASP recommends: 19 MiB and two passes.
const (
	hashMemory  = 19 << 10 // KiB
	hashTime    = 2
	hashThreads = 1
	hashLength  = 32
	saltLength  = 16
	hashFormat  = "$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s"
)

// nobody is the hash of a password that nobody has. It makes an unknown name take as long as
// a known one.
const nobody = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// hashOf returns the hash of a password, in the format of the PHC.
func hashOf(password string) string {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	hash := argon2.IDKey([]byte(password), salt, hashTime, hashMemory, hashThreads, hashLength)
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf(hashFormat, argon2.Version, hashMemory, hashTime, hashThreads, encode(salt), encode(hash))
}

// matches reports whether a password has a hash, whose parameters may be others than ours.
func matches(password, encoded string) (bool, error) {
	parts := strings.Split(encoded, "$")
	var version, memory, passes uint32
	var threads uint8
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errors.New("its hash is not of argon2id")
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &passes, &threads); err != nil || version != argon2.Version || passes == 0 || threads == 0 {
		return false, errors.New("the parameters of its hash are not valid")
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	want, hashErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || hashErr != nil || len(want) < saltLength {
		return false, errors.New("its hash is damaged")
	}
	if len(password) > maxPassword {
		return false, nil
	}
	got := argon2.IDKey([]byte(password), salt, passes, memory, threads, uint32(len(want))) //nolint:gosec // a short hash
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
