// Package seal encrypts and authenticates values that clients send back later, such as the
// cursors of lists and the requestState of calls. Clients can neither read nor change them.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"sync"
)

// A Ring seals with its first key and opens with any of its keys, so that keys can be
// rotated while clients still have old values.
type Ring struct{ keys func() []cipher.AEAD }

// New returns a ring of keys that are derived from secrets of any length. Without a secret,
// the key is random, and only this process can open its values. The keys are derived when they
// are needed first: at the start they took 1.3 % of the processor time of a program on stdio.
func New(secrets ...string) *Ring {
	return &Ring{sync.OnceValue(func() (keys []cipher.AEAD) {
		if len(secrets) == 0 {
			return []cipher.AEAD{newKey(rand.Text() + rand.Text())}
		}
		for _, secret := range secrets {
			keys = append(keys, newKey(secret))
		}
		return keys
	})}
}

// newKey derives a key. It panics on errors, which can't occur for keys of 32 bytes.
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

// Seal returns a text from which only Open can get the value, and only for the same purpose.
func (r *Ring) Seal(purpose string, value []byte) string {
	return base64.RawURLEncoding.EncodeToString(r.keys()[0].Seal(nil, nil, value, []byte(purpose)))
}

// Open returns the sealed value. It reports false for any text that was not sealed for
// this purpose by a key of the ring.
func (r *Ring) Open(purpose, text string) ([]byte, bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") { // the decoder ignores line ends
		return nil, false
	}
	for _, key := range r.keys() {
		if value, err := key.Open(nil, nil, sealed, []byte(purpose)); err == nil {
			return value, true
		}
	}
	return nil, false
}
