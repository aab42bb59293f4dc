package grants

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
)

// seal encrypts a text with a key derived from a token. The store has only the token's hash,
// so a copy of the store can't open the text.
func seal(token string, text []byte) ([]byte, error) {
	aead, err := aeadOf(token)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return aead.Seal(nonce, nonce, text, nil), nil
}

// open decrypts a text that seal encrypted.
func open(token string, sealed []byte) ([]byte, error) {
	aead, err := aeadOf(token)
	if err != nil {
		return nil, err
	}
	if len(sealed) < aead.NonceSize() {
		return nil, errors.New("the sealed answer is too short")
	}
	nonce, sealed := sealed[:aead.NonceSize()], sealed[aead.NonceSize():]
	return aead.Open(nil, nonce, sealed, nil)
}

func aeadOf(token string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(token), nil, "bowline answer of a refresh token", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
