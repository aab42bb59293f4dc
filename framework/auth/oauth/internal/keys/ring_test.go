package keys_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/keys"
)

const hold = time.Hour

func generate(t *testing.T, algorithm string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "storage", "oauth.keys")
	if err := keys.Generate(path, algorithm, false); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) *keys.Ring {
	t.Helper()
	ring, err := keys.Open(path, hold)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// published returns the IDs of the published keys.
func published(t *testing.T, ring *keys.Ring) (ids []string) {
	t.Helper()
	text, err := ring.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var set struct {
		Keys []map[string]string `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		t.Fatal(err)
	}
	for _, key := range set.Keys {
		for _, private := range []string{"d", "p", "q", "dp", "dq", "qi", "k"} {
			if key[private] != "" {
				t.Errorf("the private member %s is published", private)
			}
		}
		ids = append(ids, key["kid"])
	}
	return ids
}

// signer returns the ID of the key that signs. The token must be valid for the published keys.
func signer(t *testing.T, ring *keys.Ring) string {
	t.Helper()
	token, err := ring.Sign("at+jwt", map[string]any{"sub": "ana", "exp": time.Now().Add(time.Minute).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	text, err := ring.JSON()
	if err != nil {
		t.Fatal(err)
	}
	set, err := jose.ParseKeySet(text)
	if err != nil {
		t.Fatal(err)
	}
	unverified, err := jose.Parse(token)
	if err != nil {
		t.Fatal(err)
	}
	verified, err := set.Verify(unverified, time.Now(), 0)
	if err != nil || verified.Type != "at+jwt" || verified.Claims["sub"] != "ana" {
		t.Fatalf("the token is not valid: %+v, %v", verified, err)
	}
	return unverified.KeyID
}

func TestAKeyOfEachAlgorithmSigns(t *testing.T) {
	t.Parallel()
	for _, algorithm := range jose.Algorithms() {
		path := generate(t, algorithm)
		ring := open(t, path)
		if ids := published(t, ring); len(ids) != 1 || signer(t, ring) != ids[0] {
			t.Errorf("%s: the keys are %v", algorithm, ids)
		}
		if err := keys.Generate(path, algorithm, false); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a second key replaces the first: %v", err)
		}
		for name, mode := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v; want mode %o", name, info, err, mode)
			}
		}
	}
	if err := keys.Generate(filepath.Join(t.TempDir(), "oauth.keys"), "HS256", false); err == nil {
		t.Error("a key for HS256 is made")
	}
}

func TestANewKeyIsPublishedBeforeItSignsAndAnOldOneWhileItsTokensAreValid(t *testing.T) {
	t.Parallel()
	path := generate(t, jose.ES256)
	synctest.Test(t, func(t *testing.T) {
		// The file is from the time outside of the bubble.
		ring := open(t, path)
		first := signer(t, ring)
		signs, err := keys.Rotate(path, jose.EdDSA, hold)
		if err != nil || !signs.Equal(time.Now().Add(10*time.Minute)) {
			t.Fatalf("the new key signs at %v, %v", signs, err)
		}
		time.Sleep(10 * time.Second) // until the ring looks at the file
		ids := published(t, ring)
		if len(ids) != 2 || ids[0] != first || signer(t, ring) != first {
			t.Fatalf("after the rotation the keys are %v, and %s signs", ids, signer(t, ring))
		}
		second := ids[1]
		time.Sleep(10*time.Minute - 11*time.Second)
		if signer(t, ring) != first {
			t.Error("the new key signs too early")
		}
		time.Sleep(time.Second)
		if signer(t, ring) != second || len(published(t, ring)) != 2 {
			t.Errorf("after ten minutes the keys are %v, and %s signs", published(t, ring), signer(t, ring))
		}
		time.Sleep(hold)
		if ids := published(t, ring); len(ids) != 2 {
			t.Errorf("while a token of the old key is valid, the keys are %v", ids)
		}
		time.Sleep(time.Second)
		if ids := published(t, ring); len(ids) != 1 || ids[0] != second || signer(t, ring) != second {
			t.Errorf("after the last token of the old key, the keys are %v", ids)
		}
		for n := range 2 {
			if _, err := keys.Rotate(path, jose.ES256, hold); err != nil {
				t.Fatal(err)
			}
			if ids := published(t, open(t, path)); len(ids) != n+2 || ids[0] != second {
				t.Errorf("after another rotation the keys are %v", ids)
			}
		}
		if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "BEGIN PRIVATE KEY") != 3 {
			t.Errorf("the file has more than three keys, %v:\n%s", err, text)
		}
	})
}

func TestReplacedKeysAreGone(t *testing.T) {
	t.Parallel()
	path := generate(t, jose.ES256)
	synctest.Test(t, func(t *testing.T) {
		ring := open(t, path)
		first := signer(t, ring)
		if err := keys.Generate(path, jose.ES256, true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if ids := published(t, ring); len(ids) != 1 || ids[0] == first || signer(t, ring) != ids[0] {
			t.Errorf("the keys are %v, and %s signs; before, it was %s", ids, signer(t, ring), first)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("the file is %v, %v", info, err)
		}
	})
	if err := os.WriteFile(path+".new", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := keys.Generate(path, jose.ES256, true); err == nil || !strings.Contains(err.Error(), "another command changes the keys, or was killed; if none runs, remove "+path+".new") {
		t.Errorf("the error is %v", err)
	}
}

func TestAFileThatIsDamagedLaterDoesNotStopTheServer(t *testing.T) {
	t.Parallel()
	path := generate(t, jose.ES256)
	synctest.Test(t, func(t *testing.T) {
		ring := open(t, path)
		first := signer(t, ring)
		for _, damage := range []func() error{
			func() error { return os.WriteFile(path, []byte("damaged"), 0o600) },
			func() error { return os.Remove(path) },
		} {
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			if signer(t, ring) != first {
				t.Error("another key signs")
			}
		}
	})
}

func TestAKeyOfAnotherProgramIsRead(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []string{jose.ES256, jose.EdDSA, jose.RS256} {
		key, err := jose.GenerateKey(algorithm)
		if err != nil {
			t.Fatal(err)
		}
		text, err := key.PEM()
		if err != nil {
			t.Fatal(err)
		}
		ring, err := keys.Parse(text, hold)
		if err != nil || signer(t, ring) != key.ID {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
}

func TestMistakesInKeysAreNamed(t *testing.T) {
	t.Parallel()
	key, err := jose.GenerateKey(jose.ES256)
	if err != nil {
		t.Fatal(err)
	}
	text, err := key.PEM()
	if err != nil {
		t.Fatal(err)
	}
	good := string(text)
	body := strings.TrimPrefix(good, "-----BEGIN PRIVATE KEY-----\n")
	folder := t.TempDir()
	for name, mistake := range map[string]struct{ text, want string }{
		"missing":   {"", "no such file"},
		"empty":     {" ", "it has no key"},
		"text":      {"hello", "it has no key"},
		"public":    {"-----BEGIN PUBLIC KEY-----\n" + strings.ReplaceAll(body, "PRIVATE", "PUBLIC"), `key 1: jose: the private key has no PEM block "PRIVATE KEY"`},
		"algorithm": {"-----BEGIN PRIVATE KEY-----\nAlgorithm: RS256\n\n" + body, "key 1: jose: a private key of type"},
		"since":     {good + "-----BEGIN PRIVATE KEY-----\nSigns-Since: tomorrow\n\n" + body, "key 2: Signs-Since"},
	} {
		path := filepath.Join(folder, name)
		if mistake.text != "" {
			if err := os.WriteFile(path, []byte(mistake.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := keys.Open(path, hold)
		if err == nil || !strings.Contains(err.Error(), mistake.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the error is %v, want %q and the path in it", name, err, mistake.want)
		}
	}
	if runtime.GOOS != "windows" {
		path := generate(t, jose.ES256)
		if err := os.Chmod(path, 0o640); err != nil { //nolint:gosec // what is tested
			t.Fatal(err)
		}
		if _, err := keys.Open(path, hold); err == nil || !strings.Contains(err.Error(), "run chmod 600 "+path) {
			t.Errorf("keys that others can read: %v", err)
		}
	}
	for _, text := range []string{"", good + good} {
		if _, err := keys.Parse([]byte(text), hold); err == nil || !strings.Contains(err.Error(), "want one") {
			t.Errorf("the error is %v", err)
		}
	}
}
