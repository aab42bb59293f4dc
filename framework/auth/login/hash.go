package login

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// The parameters of argon2id (RFC 9106): the ones with the least memory of those that OWASP
// recommends as equally strong. Each wrong password of a stranger takes as much.
const (
	hashMemory  = 7 << 10 // KiB
	hashTime    = 5
	hashThreads = 1
	hashLength  = 32
	saltLength  = 16
	hashFormat  = "$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s"
)

// nobody is the hash of a password that nobody has. It makes an unknown name take as long as
// a known one.
const nobody = "$argon2id$v=19$m=7168,t=5,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

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
	if len(password) > limits.MaxPassword {
		return false, nil
	}
	got := argon2.IDKey([]byte(password), salt, passes, memory, threads, uint32(len(want))) //nolint:gosec // a short hash
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
