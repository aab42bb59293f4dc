package login_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
)

// adds adds a user with a hash.
func (h *house) adds(t *testing.T, name, hash string) {
	t.Helper()
	if err := h.store.CreateUser(t.Context(), store.User{ID: name, Name: name, Password: hash, Created: time.Now()}); err != nil {
		t.Fatal(err)
	}
}

// quickHash hashes a password with other parameters than those of new users, which take longer.
func quickHash(password string) string {
	salt := []byte("a salt of 16 bytes")
	hash := argon2.IDKey([]byte(password), salt, 1, 64, 2, 24)
	return "$argon2id$v=19$m=64,t=1,p=2$" + base64.RawStdEncoding.EncodeToString(salt) + "$" + base64.RawStdEncoding.EncodeToString(hash)
}

func TestADamagedHashIsAnErrorOfTheServer(t *testing.T) {
	t.Parallel()
	const bits, text = "$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA", "$AAAAAAAAAAAAAAAAAAAAAA$"
	h := newHouse(t)
	for n, hash := range []string{
		"correct horse", "$argon2i$v=19$m=64,t=2,p=1" + bits, "$argon2id$v=18$m=64,t=2,p=1" + bits, "$argon2id$v=19$m=x" + bits, "$argon2id$v=19$m=64,t=0,p=1" + bits, "$argon2id$v=19$m=64,t=2,p=0" + bits,
		"$argon2id$v=19$m=64,t=2,p=1" + text, "$argon2id$v=19$m=64,t=2,p=1" + text + "AAAA", "$argon2id$v=19$m=64,t=2,p=1" + text + "A", "$argon2id$v=19$m=64,t=2,p=1$!$AAAAAAAAAAAAAAAAAAAAAA", "$argon2id$v=19$m=64,t=2,p=1" + bits + "$",
	} {
		name := "user" + string(rune('a'+n))
		h.adds(t, name, hash)
		if w := h.visit(t).try(name, "correct horse", "192.0.2.1"); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "argon") {
			t.Errorf("%s: the answer is %d %s", hash, w.Code, w.Body)
		}
	}
}

// A hash from another program, or from before a change of the parameters, stays valid.
func TestAHashMayHaveOtherParameters(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for name, password := range map[string]string{"short": "correct horse", "long": strings.Repeat("x", 1024), "longer": strings.Repeat("x", 1025)} {
		h.adds(t, name, quickHash(password))
		want := map[bool]int{true: http.StatusSeeOther, false: http.StatusForbidden}[len(password) <= 1024]
		if w := h.visit(t).try(name, password, "192.0.2.1"); w.Code != want {
			t.Errorf("%s: the answer is %d, want %d", name, w.Code, want)
		}
	}
}
