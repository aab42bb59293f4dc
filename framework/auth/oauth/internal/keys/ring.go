// Package keys keeps the keys that an authorization server signs its tokens with. They are in
// a file of PEM blocks, which a command changes while the server runs, and which several
// servers share.
//
// A new key is published for a while before it signs, so that nobody gets a token whose key
// they have not seen. A replaced key is published until its last token has expired.
package keys

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
)

// Lead is how long a new key is published before it signs. It is longer than everybody who
// reads the published keys keeps them.
const Lead = 10 * time.Minute

// Algorithm is the algorithm of the keys that the server makes.
const Algorithm = jose.ES256

// checkPause is the least time between two looks at the file.
const checkPause = 10 * time.Second

// The headers of a PEM block.
const (
	algorithmHeader = "Algorithm"
	sinceHeader     = "Signs-Since"
)

// A key is a private key, and when it begins to sign.
type key struct {
	*jose.PrivateKey
	since time.Time
}

// A Ring has the keys of a file. Several goroutines may use it.
type Ring struct {
	path string
	hold time.Duration

	mu      sync.Mutex
	keys    []key // by the time when they begin to sign
	info    fs.FileInfo
	checked time.Time
}

// Open reads the keys of a file. Hold is how long a replaced key is published: the lifetime
// of a token.
func Open(path string, hold time.Duration) (*Ring, error) {
	r := &Ring{path: path, hold: hold}
	return r, r.load(time.Now())
}

// Parse reads one key from a text in PEM, such as one in the environment. It signs with the
// algorithm of its type: RS256 if it is an RSA key.
func Parse(text []byte, hold time.Duration) (*Ring, error) {
	found, err := parse(text)
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("there are %d keys, want one", len(found))
	}
	return &Ring{keys: found, hold: hold}, err
}

// load reads the file.
func (r *Ring) load(now time.Time) error {
	r.checked = now
	info, err := os.Stat(r.path)
	if err != nil {
		return err
	}
	if r.info != nil && os.SameFile(info, r.info) && info.ModTime().Equal(r.info.ModTime()) {
		return nil
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("the keys in %s can be read by others; run chmod 600 %s", r.path, r.path)
	}
	text, err := os.ReadFile(r.path)
	if err != nil {
		return err
	}
	found, err := parse(text)
	if err == nil && len(found) == 0 {
		err = errors.New("it has no key")
	}
	if err != nil {
		return fmt.Errorf("the file %s: %w", r.path, err)
	}
	r.keys, r.info = found, info
	return nil
}

func parse(text []byte) (found []key, err error) {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return found, nil
		}
		one := key{}
		if since := block.Headers[sinceHeader]; since != "" {
			if one.since, err = time.Parse(time.RFC3339, since); err != nil {
				return nil, fmt.Errorf("key %d: %s: %w", len(found)+1, sinceHeader, err)
			}
		}
		bare := pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes})
		algorithms := []string{block.Headers[algorithmHeader]}
		if algorithms[0] == "" {
			algorithms = []string{jose.ES256, jose.EdDSA, jose.RS256}
		}
		for _, algorithm := range algorithms {
			if one.PrivateKey, err = jose.ParsePrivateKey(algorithm, bare); err == nil {
				break
			}
		}
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", len(found)+1, err)
		}
		found = append(found, one)
	}
}

// current returns the keys. It reads the file again if it has changed. A file that can't be
// read any more changes nothing: the keys stay valid.
func (r *Ring) current(now time.Time) []key {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.path != "" && now.Sub(r.checked) >= checkPause {
		_ = r.load(now)
	}
	return published(r.keys, now, r.hold)
}

// published returns the keys without those whose tokens have all expired.
func published(keys []key, now time.Time, hold time.Duration) []key {
	for len(keys) > 1 && now.After(keys[1].since.Add(hold)) {
		keys = keys[1:]
	}
	return keys
}

// Sign returns a token of type typ with claims, signed with the newest key that signs.
func (r *Ring) Sign(typ string, claims map[string]any) (string, error) {
	now := time.Now()
	keys := r.current(now)
	signs := keys[0]
	for _, one := range keys[1:] {
		if !one.since.After(now) {
			signs = one
		}
	}
	return signs.Sign(typ, claims)
}

// JSON returns the public keys as a JSON Web Key Set (RFC 7517).
func (r *Ring) JSON() ([]byte, error) {
	var set struct {
		Keys []jose.Key `json:"keys"`
	}
	for _, one := range r.current(time.Now()) {
		set.Keys = append(set.Keys, one.Public())
	}
	return json.Marshal(set)
}

// Generate makes a file with a new key, which signs immediately. The error is fs.ErrExist if there is
// one, unless it is to be replaced: then tokens that were signed with the old keys are no longer
// valid.
func Generate(path, algorithm string, replaces bool) error {
	text, err := encode(algorithm, time.Now())
	if err != nil {
		return err
	}
	if replaces {
		return replace(path, text)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return write(path, text)
}

// Rotate adds a new key to a file, which signs after Lead, and removes keys whose tokens
// have all expired.
func Rotate(path, algorithm string, hold time.Duration) (signs time.Time, err error) {
	now := time.Now()
	r, err := Open(path, hold)
	if err != nil {
		return signs, err
	}
	var text []byte
	for _, one := range published(r.keys, now, hold) {
		block, err := one.encode()
		if err != nil {
			return signs, err
		}
		text = append(text, block...)
	}
	signs = now.Add(Lead)
	added, err := encode(algorithm, signs)
	if err != nil {
		return signs, err
	}
	return signs, replace(path, append(text, added...))
}

// replace replaces a file as a whole.
func replace(path string, text []byte) error {
	temporary := path + ".new"
	if err := write(temporary, text); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("another command changes the keys, or was killed; if none runs, remove %s: %w", temporary, err)
		}
		return err
	}
	return os.Rename(temporary, path)
}

// encode returns the PEM block of a new key.
func encode(algorithm string, since time.Time) ([]byte, error) {
	private, err := jose.GenerateKey(algorithm)
	if err != nil {
		return nil, err
	}
	return key{private, since}.encode()
}

func (k key) encode() ([]byte, error) {
	bare, err := k.PEM()
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(bare)
	block.Headers = map[string]string{algorithmHeader: k.Public().Algorithm}
	if !k.since.IsZero() {
		block.Headers[sinceHeader] = k.since.UTC().Format(time.RFC3339)
	}
	return pem.EncodeToMemory(block), nil
}

// write writes a new file that only the user of the process may read.
func write(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator chooses the path
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}
