package jose

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// The errors of tokens. None has a part of the token in its text.
var (
	ErrNotJWT      = errors.New("jose: the token is not a signed JSON Web Token")
	ErrMalformed   = errors.New("jose: the token is malformed")
	ErrAlgorithm   = errors.New("jose: the algorithm of the token is not accepted")
	ErrUnknownKey  = errors.New("jose: the token is signed with an unknown key")
	ErrSignature   = errors.New("jose: the signature of the token is wrong")
	ErrExpired     = errors.New("jose: the token has expired")
	ErrNotYetValid = errors.New("jose: the token is not valid yet")
)

// An Unverified is a JSON Web Token whose signature was not verified. [KeySet.Verify]
// verifies it. Until then, anyone may have made it: its fields can select an issuer and a
// key, but prove nothing.
type Unverified struct {
	Type   string // header typ
	KeyID  string // header kid
	Issuer string // claim iss

	algorithm string
	critical  codec.Value
	claims    map[string]any
	signed    string // header and payload
	signature []byte
}

// A Token is a JSON Web Token whose signature and times are valid.
type Token struct {
	Type    string         // header typ
	Claims  map[string]any // all of the payload
	Expires time.Time      // claim exp
}

// Parse reads a token of at most 8 KiB. It returns an error that wraps ErrNotJWT if the token
// has another form, as an opaque token has, and ErrMalformed for mistakes in it. It
// refuses duplicate members.
func Parse(token string) (*Unverified, error) {
	if len(token) > limits.MaxToken {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrMalformed, limits.MaxToken)
	}
	header, rest, _ := strings.Cut(token, ".")
	payload, signature, ok := strings.Cut(rest, ".")
	decoded, err := decodePart(header)
	if !ok || err != nil || len(decoded) == 0 || decoded[0] != '{' || strings.Contains(signature, ".") {
		return nil, ErrNotJWT
	}
	var members struct {
		Type      string      `json:"typ"`
		KeyID     string      `json:"kid"`
		Algorithm string      `json:"alg"`
		Critical  codec.Value `json:"crit"`
	}
	if err := codec.Unmarshal(decoded, &members); err != nil {
		return nil, fmt.Errorf("%w: its header is not a JSON object with unique names", ErrMalformed)
	}
	u := &Unverified{Type: members.Type, KeyID: members.KeyID, algorithm: members.Algorithm, critical: members.Critical}
	u.signed = token[:len(header)+1+len(payload)]
	if u.signature, err = decodePart(signature); err != nil {
		return nil, fmt.Errorf("%w: its signature is not base64url", ErrMalformed)
	}
	if decoded, err = decodePart(payload); err != nil {
		return nil, fmt.Errorf("%w: its payload is not base64url", ErrMalformed)
	}
	if err := codec.Unmarshal(decoded, &u.claims); err != nil || u.claims == nil {
		return nil, fmt.Errorf("%w: its payload is not a JSON object with unique names", ErrMalformed)
	}
	u.Issuer, _ = u.claims["iss"].(string)
	return u, nil
}

// decodePart decodes a part of a token.
func decodePart(part string) ([]byte, error) {
	if strings.ContainsAny(part, "\r\n") { // the decoder ignores line ends
		return nil, ErrMalformed
	}
	return base64.RawURLEncoding.Strict().DecodeString(part)
}

// Supported returns an error if no key can verify the token: its algorithm is none of
// [Algorithms], it names no key, or it has critical header members (crit). Other header
// members, such as jwk, jku and x5u, are ignored.
func (u *Unverified) Supported() error {
	switch {
	case !slices.Contains(Algorithms(), u.algorithm):
		return fmt.Errorf("%w: only %s are", ErrAlgorithm, strings.Join(Algorithms(), ", "))
	case u.critical != nil:
		return fmt.Errorf(`%w: its header has "crit", which is not supported`, ErrMalformed)
	case u.KeyID == "":
		return fmt.Errorf(`%w: its header has no "kid"`, ErrUnknownKey)
	}
	return nil
}

// Verify verifies the signature of a token with the key that it names, and the times in it
// with [CheckTimes]. The claim exp is required.
func (s KeySet) Verify(token *Unverified, now time.Time, leeway time.Duration) (*Token, error) {
	if err := token.Supported(); err != nil {
		return nil, err
	}
	if !s.Has(token.KeyID) {
		return nil, s.unknown(token.KeyID)
	}
	if err := token.checkSignature(s.keys[token.KeyID]); err != nil {
		return nil, err
	}
	expires, err := CheckTimes(token.claims, now, leeway)
	if err != nil {
		return nil, err
	}
	if expires.IsZero() {
		return nil, fmt.Errorf("%w: it has no claim exp", ErrMalformed)
	}
	return &Token{Type: token.Type, Claims: token.claims, Expires: expires}, nil
}

// VerifyAny verifies a token as Verify does. The signature of a token that names no key may be
// of any key of the set, also of those without an ID: issuers with one key often don't name
// it (RFC 7515, section 4.1.4). If the set has more than 10 keys, such a token is refused with
// [ErrUnknownKey], since its signature would have to be tried with each.
func (s KeySet) VerifyAny(token *Unverified, now time.Time, leeway time.Duration) (*Token, error) {
	if token.KeyID != "" {
		return s.Verify(token, now, leeway)
	}
	all := s.all()
	if len(all) > limits.MaxTriedKeys {
		return nil, fmt.Errorf("%w: it names no key (kid), and the set has more than %d", ErrUnknownKey, limits.MaxTriedKeys)
	}
	const anyKey = "any"
	named := *token
	named.KeyID = anyKey
	return KeySet{keys: map[string][]Key{anyKey: all}}.Verify(&named, now, leeway)
}

// MayVerify reports whether the set has the key that a token names. For a token that names
// none, it reports whether a key of the set made the signature.
func (s KeySet) MayVerify(token *Unverified) bool {
	if token.KeyID != "" {
		return s.Has(token.KeyID)
	}
	all := s.all()
	return len(all) <= limits.MaxTriedKeys && token.checkSignature(all) == nil
}

// all returns the keys of the set, also those without an ID.
func (s KeySet) all() []Key {
	return slices.Concat(append(slices.Collect(maps.Values(s.keys)), s.unnamed)...)
}

// checkSignature verifies the signature. If the token names a key, all keys have its ID;
// usually there is one.
func (u *Unverified) checkSignature(keys []Key) error {
	method, err := methodOf(u.algorithm)
	if err != nil {
		return ErrAlgorithm
	}
	err = fmt.Errorf("%w: it does not fit the key", ErrAlgorithm)
	for _, key := range keys {
		if !slices.Contains(algorithmsFor(key.Public), u.algorithm) || key.Algorithm != "" && key.Algorithm != u.algorithm {
			continue
		}
		if method.Verify(u.signed, u.signature, key.Public) == nil {
			return nil
		}
		err = ErrSignature
	}
	return err
}

// CheckTimes checks the claims exp, nbf and iat, all of which may be missing. The leeway is
// how much the clock of the issuer may differ. It returns the time of exp, or the zero time.
func CheckTimes(claims map[string]any, now time.Time, leeway time.Duration) (expires time.Time, err error) {
	for _, name := range []string{"exp", "nbf", "iat"} {
		if err := checkTime(claims, name); err != nil {
			return time.Time{}, err
		}
	}
	validator := jwt.NewValidator(jwt.WithIssuedAt(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(func() time.Time { return now }))
	switch err := validator.Validate(jwt.MapClaims(claims)); {
	case errors.Is(err, jwt.ErrTokenExpired):
		return time.Time{}, ErrExpired
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return time.Time{}, fmt.Errorf("%w: its claim nbf is in the future", ErrNotYetValid)
	case errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return time.Time{}, fmt.Errorf("%w: its claim iat is in the future", ErrNotYetValid)
	case err != nil:
		return time.Time{}, ErrMalformed
	}
	if exp, err := jwt.MapClaims(claims).GetExpirationTime(); err == nil && exp != nil {
		expires = exp.Time
	}
	return expires, nil
}

// lastTime is the last second of the year 9999.
const lastTime = 253_402_300_799

// checkTime refuses a time that is not a number, or that Go's time.Unix would distort.
func checkTime(claims map[string]any, name string) error {
	value, ok := claims[name]
	if !ok {
		return nil
	}
	if seconds, ok := value.(float64); !ok || seconds < 0 || seconds > lastTime {
		return fmt.Errorf("%w: its claim %s is not a time in seconds since 1970", ErrMalformed, name)
	}
	return nil
}
