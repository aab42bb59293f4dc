package jose

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/big"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// The algorithms of signatures that this package supports (RFC 7518, RFC 8037).
const (
	ES256 = "ES256" // ECDSA with P-256
	EdDSA = "EdDSA" // Ed25519
	RS256 = "RS256" // RSA with PKCS #1 v1.5
	PS256 = "PS256" // RSA with PSS
)

// Algorithms returns the algorithms that this package supports.
func Algorithms() []string { return []string{ES256, EdDSA, RS256, PS256} }

// methodOf returns the implementation of an algorithm. Symmetric algorithms and none have
// no implementation here, so no token can select them.
func methodOf(algorithm string) (jwt.SigningMethod, error) {
	switch algorithm {
	case ES256:
		return jwt.SigningMethodES256, nil
	case EdDSA:
		return jwt.SigningMethodEdDSA, nil
	case RS256:
		return jwt.SigningMethodRS256, nil
	case PS256:
		return jwt.SigningMethodPS256, nil
	default:
		return nil, fmt.Errorf("jose: unknown algorithm %q; use one of %s", algorithm, strings.Join(Algorithms(), ", "))
	}
}

// A Key is a public key that verifies the signatures of an issuer.
type Key struct {
	// ID names the key in the header of tokens (kid). It may be "".
	ID string

	// Algorithm is the only one that the key is used with. If it is "", the key is used
	// with every algorithm that fits its type.
	Algorithm string

	// Public is an *ecdsa.PublicKey on P-256, an ed25519.PublicKey or an *rsa.PublicKey.
	Public crypto.PublicKey
}

// A jwk is the JSON of a public key. The first members are those of a thumbprint, and
// exactly those of the key's type are set.
type jwk struct {
	Curve    string `json:"crv,omitempty"`
	Exponent string `json:"e,omitempty"`
	Type     string `json:"kty"`
	Modulus  string `json:"n,omitempty"`
	X        string `json:"x,omitempty"`
	Y        string `json:"y,omitempty"`

	ID        string `json:"kid,omitempty"`
	Algorithm string `json:"alg,omitempty"`
	Use       string `json:"use,omitempty"`
}

// newJWK returns the members that RFC 7638 requires of a key of the type.
func newJWK(public crypto.PublicKey) (jwk, error) {
	encode := base64.RawURLEncoding.EncodeToString
	switch public := public.(type) {
	case *ecdsa.PublicKey:
		if public.Curve != elliptic.P256() {
			return jwk{}, fmt.Errorf("jose: an ECDSA key must be on P-256, not on %s", public.Params().Name)
		}
		point, err := public.Bytes() // 4, then both coordinates with 32 bytes each
		if err != nil {
			return jwk{}, fmt.Errorf("jose: %w", err)
		}
		return jwk{Type: "EC", Curve: "P-256", X: encode(point[1:33]), Y: encode(point[33:])}, nil
	case ed25519.PublicKey:
		return jwk{Type: "OKP", Curve: "Ed25519", X: encode(public)}, nil
	case *rsa.PublicKey:
		exponent := big.NewInt(int64(public.E)).Bytes()
		return jwk{Type: "RSA", Modulus: encode(public.N.Bytes()), Exponent: encode(exponent)}, nil
	default:
		return jwk{}, fmt.Errorf("jose: unknown type of public key %T; use *ecdsa.PublicKey, ed25519.PublicKey or *rsa.PublicKey", public)
	}
}

// MarshalJSON returns the key as a JSON Web Key for signatures (RFC 7517, RFC 8037).
func (k Key) MarshalJSON() ([]byte, error) {
	members, err := newJWK(k.Public)
	if err != nil {
		return nil, err
	}
	members.ID, members.Algorithm, members.Use = k.ID, k.Algorithm, "sig"
	return codec.Marshal(members)
}

// Thumbprint returns the SHA-256 thumbprint of the key (RFC 7638), which is the ID of
// generated keys.
func (k Key) Thumbprint() (string, error) {
	members, err := newJWK(k.Public)
	if err != nil {
		return "", err
	}
	// The members are declared in the order of their names, as RFC 7638 requires.
	canonical, err := codec.Marshal(members)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}
