package jose

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"

	"github.com/golang-jwt/jwt/v5"
)

// minRSABits is the length of generated RSA keys. Shorter ones are refused.
const minRSABits = 2048

// A PrivateKey signs the tokens of an issuer. [GenerateKey] and [ParsePrivateKey] make one.
type PrivateKey struct {
	// ID names the key in the header of tokens (kid). It is the thumbprint of the public
	// key unless it is changed before the first use.
	ID string

	algorithm string
	signer    crypto.Signer
}

// GenerateKey makes a key for one of [Algorithms].
func GenerateKey(algorithm string) (*PrivateKey, error) {
	signer, err := generate(algorithm)
	if err != nil {
		return nil, err
	}
	return newPrivateKey(algorithm, signer)
}

func generate(algorithm string) (crypto.Signer, error) {
	switch algorithm {
	case ES256:
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case EdDSA:
		_, private, err := ed25519.GenerateKey(rand.Reader)
		return private, err
	case RS256, PS256:
		return rsa.GenerateKey(rand.Reader, minRSABits)
	default:
		_, err := methodOf(algorithm)
		return nil, err
	}
}

func newPrivateKey(algorithm string, signer crypto.Signer) (*PrivateKey, error) {
	id, err := Key{Public: signer.Public()}.Thumbprint()
	if err != nil {
		return nil, err
	}
	return &PrivateKey{ID: id, algorithm: algorithm, signer: signer}, nil
}

// ParsePrivateKey reads a key that [PrivateKey.PEM] or another program wrote: PKCS #8 in
// PEM. The algorithm must fit the type of the key.
func ParsePrivateKey(algorithm string, text []byte) (*PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New(`jose: the private key has no PEM block "PRIVATE KEY"; write it as PKCS #8`)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("jose: the private key is not PKCS #8: %w", err)
	}
	if err := checkPrivate(algorithm, parsed); err != nil {
		return nil, err
	}
	return newPrivateKey(algorithm, parsed.(crypto.Signer))
}

// checkPrivate reports a key whose type or length an algorithm does not allow.
func checkPrivate(algorithm string, private any) error {
	if _, err := methodOf(algorithm); err != nil {
		return err
	}
	if key, ok := private.(*rsa.PrivateKey); ok && key.N.BitLen() < minRSABits {
		return fmt.Errorf("jose: the RSA key has %d bits; at least %d are required", key.N.BitLen(), minRSABits)
	}
	signer, ok := private.(crypto.Signer)
	if !ok || !slices.Contains(algorithmsFor(signer.Public()), algorithm) {
		return fmt.Errorf("jose: a private key of type %T does not fit %s", private, algorithm)
	}
	return nil
}

// PEM returns the key as PKCS #8 in PEM, to be stored. It does not hold the algorithm,
// because RS256 and PS256 use the same keys.
func (k *PrivateKey) PEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.signer)
	if err != nil {
		return nil, fmt.Errorf("jose: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// Public returns the public key, which the issuer publishes.
func (k *PrivateKey) Public() Key {
	return Key{ID: k.ID, Algorithm: k.algorithm, Public: k.signer.Public()}
}

// Sign returns a token with claims. Its header has the algorithm, the ID of the key, and
// the type typ, such as "at+jwt" for an access token (RFC 9068). The member typ is left out
// if it is "".
func (k *PrivateKey) Sign(typ string, claims map[string]any) (token string, err error) {
	method, err := methodOf(k.algorithm)
	if err != nil {
		return "", err
	}
	header := map[string]any{"alg": k.algorithm, "kid": k.ID}
	if typ != "" {
		header["typ"] = typ
	}
	unsigned := &jwt.Token{Header: header, Claims: jwt.MapClaims(claims), Method: method}
	token, err = unsigned.SignedString(k.signer)
	if err != nil {
		return "", fmt.Errorf("jose: %w", err)
	}
	return token, nil
}
