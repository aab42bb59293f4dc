// Package seal makes values that a client carries but can neither read nor change:
// the cursors of lists.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// A Ring seals with its first key and opens with any of them, so that keys can be
// replaced while old values are still about.
type Ring struct{ keys []cipher.AEAD }

// New returns a ring of keys made from secrets of any length. Without a secret the
// key is random, and what it seals does not survive the process.
func New(secrets ...string) *Ring {
	if len(secrets) == 0 {
		secrets = []string{rand.Text() + rand.Text()}
	}
	ring := &Ring{}
	for _, secret := range secrets {
		ring.keys = append(ring.keys, newKey(secret))
	}
	return ring
}

// newKey derives a key. None of the steps can fail for keys of 32 bytes.
func newKey(secret string) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "bowline seal", 32)
	if err != nil {
		panic("mcp: deriving a key from APP_KEY: " + err.Error())
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("mcp: deriving a key from APP_KEY: " + err.Error())
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("mcp: deriving a key from APP_KEY: " + err.Error())
	}
	return aead
}

// Seal returns text that only Open with the same purpose turns back into value.
func (r *Ring) Seal(purpose string, value []byte) string {
	return base64.RawURLEncoding.EncodeToString(r.keys[0].Seal(nil, nil, value, []byte(purpose)))
}

// Open returns the sealed value. It reports false for text that was not sealed for
// this purpose by a key of the ring, whatever the reason.
func (r *Ring) Open(purpose, text string) ([]byte, bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") { // Go's decoder skips line ends
		return nil, false
	}
	for _, key := range r.keys {
		if value, err := key.Open(nil, nil, sealed, []byte(purpose)); err == nil {
			return value, true
		}
	}
	return nil, false
}
