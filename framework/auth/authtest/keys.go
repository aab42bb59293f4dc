package authtest

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net/http"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/internal/json/codec"
)

// A signingKey is a key with the members of its published JSON Web Key.
type signingKey struct {
	private *jose.PrivateKey
	members map[string]any
}

// A keyRing holds keys, oldest first. The last one signs.
type keyRing []signingKey

// Key returns the key that signs access tokens. A copy with another ID signs tokens that
// name a key which the issuer doesn't publish.
func (i *Issuer) Key() *jose.PrivateKey {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ensureKeys()
	return i.keys[len(i.keys)-1].private
}

// Rotate makes a new key, which signs from now on. Older keys stay published until Retire.
func (i *Issuer) Rotate() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ensureKeys()
	i.addKeys()
}

// Retire stops publishing all keys but the newest.
func (i *Issuer) Retire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ensureKeys()
	i.keys, i.idKeys = i.keys[len(i.keys)-1:], i.idKeys[len(i.idKeys)-1:]
}

// ensureKeys makes the first keys when they are needed, because an RSA key takes a while.
func (i *Issuer) ensureKeys() {
	if len(i.keys) == 0 {
		i.addKeys()
	}
}

func (i *Issuer) addKeys() {
	key := i.newKey()
	i.keys = append(i.keys, key)
	if i.product.separateID {
		key = i.newKey()
	}
	i.idKeys = append(i.idKeys, key)
}

// newKey makes a key with the published members and the ID of the product.
func (i *Issuer) newKey() signingKey {
	private := must(jose.GenerateKey(i.algorithm))
	key := signingKey{private: private, members: map[string]any{}}
	must(0, codec.Unmarshal(must(codec.Marshal(private.Public())), &key.members))
	if i.product.certified {
		certify(key)
	}
	if i.product.publish != nil {
		i.product.publish(key.members, i.URL())
	}
	private.ID = key.members["kid"].(string)
	return key
}

// certify adds a certificate that the key signed for itself.
func certify(key signingKey) {
	block, _ := pem.Decode(must(key.private.PEM()))
	signer := must(x509.ParsePKCS8PrivateKey(block.Bytes))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "test"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(10, 0, 0),
	}
	certificate := must(x509.CreateCertificate(rand.Reader, template, template, key.private.Public().Public, signer))
	short, long := sha1.Sum(certificate), sha256.Sum256(certificate)
	key.members["x5c"] = []string{base64.StdEncoding.EncodeToString(certificate)}
	key.members["x5t"] = base64.RawURLEncoding.EncodeToString(short[:])
	key.members["x5t#S256"] = base64.RawURLEncoding.EncodeToString(long[:])
}

// serveKeys serves the JSON Web Key Set, newest key first.
func (i *Issuer) serveKeys(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"keys": i.published()})
}

func (i *Issuer) published() (keys []map[string]any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ensureKeys()
	for n := len(i.keys) - 1; n >= 0; n-- {
		keys = append(keys, i.keys[n].members)
		if i.product.separateID {
			keys = append(keys, i.idKeys[n].members)
		}
	}
	return append(keys, i.product.otherKeys...)
}

// must returns a value that only a mistake in the calling test can prevent, such as an
// unknown algorithm or a claim that isn't JSON.
func must[T any](value T, err error) T {
	if err != nil {
		panic("authtest: " + err.Error()) //nolint:forbidigo // tests read better without an error for each token
	}
	return value
}
