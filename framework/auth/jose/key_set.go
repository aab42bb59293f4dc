package jose

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/limits"
)

// maxRSABits is the maximum length of a published RSA key, which bounds the time of a
// verification. minExponent is the minimum of its public exponent, as NIST requires.
const (
	maxRSABits  = 8192
	minExponent = 1<<16 + 1
)

// A KeySet has the public keys of an issuer, by their IDs: a JSON Web Key Set (RFC 7517).
// The zero value has no keys.
type KeySet struct {
	keys    map[string][]Key
	unnamed []Key // without an ID
	skipped []skippedKey
}

// A skippedKey is a published key that can't verify tokens.
type skippedKey struct {
	id     string
	number int // from 1
	reason error
}

// A publishedKey is the JSON of a key as others publish it.
type publishedKey struct {
	jwk
	Operations []string    `json:"key_ops"`
	Private    codec.Value `json:"d"`
}

// ParseKeySet reads a JSON Web Key Set. It skips keys that can't verify tokens, such as those
// for encryption, those without an ID, and all symmetric keys. See [KeySet.Skipped]. A set
// without any usable key is not an error. A set with more than 100 keys is.
func ParseKeySet(data []byte) (KeySet, error) {
	var document struct {
		Keys *[]codec.Value `json:"keys"`
	}
	if err := codec.Unmarshal(data, &document); err != nil {
		return KeySet{}, fmt.Errorf("jose: the document is not a JSON Web Key Set: %s", codec.Explain(err))
	}
	if document.Keys == nil {
		return KeySet{}, errors.New(`jose: the document is not a JSON Web Key Set: it has no list "keys"`)
	}
	if n := len(*document.Keys); n > limits.MaxKeys {
		return KeySet{}, fmt.Errorf("jose: the key set has %d keys; at most %d are allowed", n, limits.MaxKeys)
	}
	set := KeySet{keys: map[string][]Key{}}
	for i, data := range *document.Keys {
		key, err := parseKey(data)
		if err != nil {
			set.skipped = append(set.skipped, skippedKey{key.ID, i + 1, err})
			if errors.Is(err, errUnnamed) {
				set.unnamed = append(set.unnamed, key)
			}
			continue
		}
		set.keys[key.ID] = append(set.keys[key.ID], key)
	}
	return set, nil
}

// errUnnamed is the only reason to skip a key that can verify tokens.
var errUnnamed = errors.New(`it has no "kid"`)

// parseKey returns a key. If the key can't be used, it returns an error and the key's ID.
func parseKey(data []byte) (Key, error) {
	var published publishedKey
	if err := codec.Unmarshal(data, &published); err != nil {
		return Key{}, errors.New(codec.Explain(err))
	}
	key := Key{ID: published.ID, Algorithm: published.Algorithm}
	switch {
	case published.Use != "" && published.Use != "sig":
		return key, fmt.Errorf(`its "use" is %.20q, not "sig"`, published.Use)
	case published.Operations != nil && !slices.Contains(published.Operations, "verify"):
		return key, errors.New(`its "key_ops" lack "verify"`)
	case published.Private != nil:
		return key, errors.New("its private part is published, so anyone can sign with it")
	}
	public, err := published.public()
	if err != nil {
		return key, err
	}
	key.Public = public
	if fitting := algorithmsFor(public); key.Algorithm != "" && !slices.Contains(fitting, key.Algorithm) {
		return key, fmt.Errorf(`its "alg" is %.20q; only %v are supported for such a key`, key.Algorithm, fitting)
	}
	if key.ID == "" {
		return key, errUnnamed
	}
	return key, nil
}

// public returns the public key that the members describe.
func (k *publishedKey) public() (crypto.PublicKey, error) {
	switch {
	case k.Type == "EC" && k.Curve == "P-256":
		x, errX := decode(k.X, 32)
		y, errY := decode(k.Y, 32)
		if err := errors.Join(errX, errY); err != nil {
			return nil, err
		}
		public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
		if err != nil {
			return nil, errors.New("its point is not on the curve P-256")
		}
		return public, nil
	case k.Type == "OKP" && k.Curve == "Ed25519":
		x, err := decode(k.X, ed25519.PublicKeySize)
		if err != nil {
			return nil, err
		}
		return ed25519.PublicKey(x), nil
	case k.Type == "RSA":
		return k.rsa()
	default:
		return nil, fmt.Errorf(`its type "kty" %.20q with the curve "crv" %.20q is not supported; EC with P-256, OKP with Ed25519 and RSA are`, k.Type, k.Curve)
	}
}

// rsa returns the RSA key that the members describe.
func (k *publishedKey) rsa() (crypto.PublicKey, error) {
	modulus, errN := decode(k.Modulus, 0)
	exponent, errE := decode(k.Exponent, 0)
	if err := errors.Join(errN, errE); err != nil {
		return nil, err
	}
	n, e := new(big.Int).SetBytes(modulus), new(big.Int).SetBytes(exponent)
	if bits := n.BitLen(); bits < minRSABits || bits > maxRSABits {
		return nil, fmt.Errorf("it has %d bits; %d to %d are supported", bits, minRSABits, maxRSABits)
	}
	if e.Cmp(big.NewInt(minExponent)) < 0 || e.Cmp(big.NewInt(math.MaxInt32)) > 0 || e.Bit(0) == 0 {
		return nil, fmt.Errorf(`its exponent "e" is not an odd number from %d to %d`, minExponent, math.MaxInt32)
	}
	return &rsa.PublicKey{N: n, E: int(e.Int64())}, nil
}

// decode returns the bytes of a member. Their number must be size, unless it is 0.
func decode(text string, size int) ([]byte, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || size > 0 && len(data) != size {
		return nil, errors.New("a member has the wrong length or is not base64url")
	}
	return data, nil
}

// algorithmsFor returns the algorithms that fit the type of a key.
func algorithmsFor(public crypto.PublicKey) []string {
	switch public := public.(type) {
	case *ecdsa.PublicKey:
		if public.Curve != elliptic.P256() {
			return nil
		}
		return []string{ES256}
	case ed25519.PublicKey:
		return []string{EdDSA}
	case *rsa.PublicKey:
		return []string{RS256, PS256}
	default:
		return nil
	}
}

// Has reports whether the set has a usable key with the ID.
func (s KeySet) Has(id string) bool { return len(s.keys[id]) > 0 }

// Len returns the number of usable keys.
func (s KeySet) Len() (n int) {
	for _, keys := range s.keys {
		n += len(keys)
	}
	return n
}

// IsEmpty reports whether no key of the set can verify a token, not even with VerifyAny.
func (s KeySet) IsEmpty() bool { return len(s.keys) == 0 && len(s.unnamed) == 0 }

// Skipped describes the keys that can't verify tokens, and why, for a log.
func (s KeySet) Skipped() (reasons []string) {
	for _, key := range s.skipped {
		reasons = append(reasons, fmt.Sprintf("key %d %.*q: %v", key.number, limits.MaxLogged, key.id, key.reason))
	}
	return reasons
}

// unknown returns the error for a token whose key the set doesn't have.
func (s KeySet) unknown(id string) error {
	for _, key := range s.skipped {
		if key.id == id {
			return fmt.Errorf("%w: the issuer publishes it, but it can't be used: %w", ErrUnknownKey, key.reason)
		}
	}
	return fmt.Errorf("%w: the issuer publishes %d other usable keys", ErrUnknownKey, s.Len())
}

// Includes reports whether the set has all usable keys of another one, unchanged.
func (s KeySet) Includes(other KeySet) bool {
	for id, keys := range other.keys {
		for _, key := range keys {
			if !slices.ContainsFunc(s.keys[id], key.equal) {
				return false
			}
		}
	}
	return true
}

// equal reports whether two keys with the same ID verify the same tokens.
func (k Key) equal(other Key) bool {
	public, ok := k.Public.(interface{ Equal(crypto.PublicKey) bool })
	return ok && k.Algorithm == other.Algorithm && public.Equal(other.Public)
}
