package oauth_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bowline-mcp/bowline/framework/auth"
	"github.com/bowline-mcp/bowline/framework/auth/jose"
	"github.com/bowline-mcp/bowline/framework/auth/login"
	"github.com/bowline-mcp/bowline/framework/auth/oauth"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store"
	"github.com/bowline-mcp/bowline/framework/auth/oauth/store/sqlite"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/internal/test/databasetest"
)

// An operator runs the commands of a program, each in a new process so to speak.
type operator struct{ oauth.Config }

func newOperator(t *testing.T, alter ...func(*oauth.Config)) operator {
	t.Helper()
	o := operator{oauth.Config{
		Authenticator: anybody{}, Store: lastingStore(t), Drivers: databasetest.Drivers(), Keys: filepath.Join(t.TempDir(), "oauth.keys"),
		Scopes: map[string]string{"mcp:use": "Use the tools", "files:write": "Change files"},
	}}
	for _, change := range alter {
		change(&o.Config)
	}
	return o
}

// lastingStore returns the address of a store that outlives its process.
func lastingStore(t *testing.T) (address string) {
	t.Helper()
	if address = databasetest.Store(t); address == "memory:" {
		address = "sqlite:" + filepath.Join(t.TempDir(), "oauth.db")
	}
	return address
}

// withPasswords makes the users those of the store.
func withPasswords(c *oauth.Config) { c.Authenticator = login.Password() }

// runs returns the exit code and the outputs of a command.
func (o operator) runs(t *testing.T, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	app := mcp.New(mcp.Config{})
	app.Router.Component(oauth.New(o.Config))
	var out, problems bytes.Buffer
	code = app.Run(t.Context(), args, stdin, &out, &problems)
	return code, out.String(), problems.String()
}

// does runs a command that succeeds, and returns what it writes.
func (o operator) does(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := o.runs(t, strings.NewReader("correct horse\n"), args...)
	if code != 0 || stderr != "" {
		t.Fatalf("%q: exit code %d, stderr %q", args, code, stderr)
	}
	return stdout
}

// fails runs a command that fails with an exit code and a text in the first line of stderr.
func (o operator) fails(t *testing.T, code int, text string, args ...string) {
	t.Helper()
	got, stdout, stderr := o.runs(t, strings.NewReader(""), args...)
	first, rest, _ := strings.Cut(stderr, "\n")
	if got != code || stdout != "" || !strings.Contains(first, text) || code == 1 && rest != "" {
		t.Errorf("%q: exit code %d, stdout %q, stderr %q; want %d and %q", args, got, stdout, stderr, code, text)
	}
}

// open opens the store.
func (o operator) open(t *testing.T) store.Store {
	t.Helper()
	opened, err := store.Open(t.Context(), o.Store, o.Drivers...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// field returns the part of a text that a pattern captures.
func field(t *testing.T, text, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("there is no %s in %q", pattern, text)
	}
	return found[1]
}

func TestKeysAreGeneratedAndRotatedByCommands(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.Store = "postgres://nobody@192.0.2.1/none" // which these commands don't open
	content := func() string {
		t.Helper()
		text, err := os.ReadFile(o.Keys)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	o.fails(t, 1, "there are no keys at "+o.Keys+" (Config.Keys); make them with: mcp key:generate, or set OAUTH_PRIVATE_KEY", "key:rotate")
	if text := o.does(t, "key:generate"); text != "The file "+o.Keys+" has a new key, which signs access tokens.\n" {
		t.Error(text)
	}
	if info, err := os.Stat(o.Keys); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	first := content()
	o.fails(t, 1, "there are keys at "+o.Keys+" already; add one with mcp key:rotate, or replace them with --force: then the tokens that they signed stop working", "key:generate")
	if content() != first {
		t.Error("a refused command changed the keys")
	}
	if text := o.does(t, "key:rotate"); !regexp.MustCompile(`^The file .* has a new key, which signs access tokens from \d\d:\d\d:\d\d UTC on\. Tokens of the old key stay valid until they expire\.\n$`).MatchString(text) {
		t.Error(text)
	}
	if both := content(); !strings.HasPrefix(both, first) || strings.Count(both, "BEGIN PRIVATE KEY") != 2 {
		t.Error("the old key is gone, or there is no new one")
	}
	o.does(t, "key:generate", "--force")
	if alone := content(); strings.Contains(alone, first) || strings.Count(alone, "BEGIN PRIVATE KEY") != 1 {
		t.Error("--force keeps the old keys, or makes none")
	}
	if err := os.Remove(o.Keys); err != nil {
		t.Fatal(err)
	}
	o.does(t, "key:generate", "--force") // there is nothing to replace

	o.PrivateKey = "in the environment"
	for _, command := range []string{"key:generate", "key:rotate"} {
		o.fails(t, 1, "the key is in OAUTH_PRIVATE_KEY (Config.PrivateKey), which a command can't change; set it to another key there", command)
		o.fails(t, 2, `unexpected argument "now"`, command, "now")
	}
}

// A public client's tokens may be valid for longer than others.
func TestARotationKeepsTheKeysOfTokensThatAreValid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOperator(t, func(c *oauth.Config) { c.PublicAccessTime = 2 * time.Hour })
		rotates := func(when string, want int) {
			t.Helper()
			o.does(t, "key:rotate")
			if text, err := os.ReadFile(o.Keys); err != nil || strings.Count(string(text), "BEGIN PRIVATE KEY") != want {
				t.Errorf("%s, the file has %d keys, %v; want %d", when, strings.Count(string(text), "BEGIN PRIVATE KEY"), err, want)
			}
		}
		o.does(t, "key:generate")
		rotates("at the start", 2)
		time.Sleep(10*time.Minute + 2*time.Hour)
		rotates("while a token of the first key is valid", 3)
		time.Sleep(time.Second)
		rotates("later", 3)
	})
}

func TestAUserIsCreatedByACommand(t *testing.T) {
	t.Parallel()
	o := newOperator(t, withPasswords)
	text := o.does(t, "user:create", " Ana@Example.com", "--password-stdin")
	user, err := o.open(t).UserByName(t.Context(), "ana@example.com")
	if err != nil || text != "The user ana@example.com can log in. The ID is "+user.ID+".\n" || !strings.HasPrefix(user.Password, "$argon2id$") {
		t.Errorf("the user is %+v, %v: %s", user, err, text)
	}
	for stdin, want := range map[string]string{
		"correct horse\n": "mcp: there is a user ana@example.com already; choose another name\n",
		"short12\r\nmore": "mcp: the password is too short; it needs 8 characters or more\n",
		"\nmore":          "mcp: the first line of stdin is empty; --password-stdin reads the password from it\n",
		"":                "mcp: the first line of stdin is empty; --password-stdin reads the password from it\n",
	} {
		if code, stdout, stderr := o.runs(t, strings.NewReader(stdin), "user:create", "ana@example.com", "--password-stdin"); code != 1 || stdout != "" || stderr != want {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", stdin, code, stdout, stderr)
		}
	}
	o.fails(t, 1, "stdin is not a terminal, so nobody can be asked for the password; give it with --password-stdin", "user:create", "bob@example.com")
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	if code, _, stderr := o.runs(t, file, "user:create", "bob@example.com"); code != 1 || !strings.HasPrefix(stderr, "mcp: stdin is not a terminal, so nobody can be asked for the password") {
		t.Errorf("with a file as stdin the exit code is %d, stderr %q", code, stderr)
	}
	o.fails(t, 2, "user:create: EMAIL is missing", "user:create", "--password-stdin")
	o.fails(t, 2, `flag provided but not defined: -password`, "user:create", "bob@example.com", "--password=hunter2")

	elsewhere := newOperator(t)
	elsewhere.fails(t, 1, "the store has no users, since Config.Authenticator logs them in elsewhere", "user:create", "ana@example.com", "--password-stdin")
}

func TestClientsAreCreatedListedAndRevokedByCommands(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	const uri = "https://client.example/cb"
	keys := writeKeys(t)
	public := o.does(t, "client:create", "Web app", "--redirect", uri, "--redirect", "http://127.0.0.1/cb", "--scope", "mcp:use")
	secret := o.does(t, "client:create", "--confidential", "--redirect="+uri, "--resource", "https://example.com/mcp/private", "Office")
	machine := o.does(t, "client:create", "Robot", "--machine")
	opened := o.open(t)
	for _, test := range []struct {
		text string
		want store.Client
	}{
		{public, store.Client{Name: "Web app", RedirectURIs: []string{uri, "http://127.0.0.1/cb"}, Scopes: []string{"mcp:use"}}},
		{secret, store.Client{Name: "Office", RedirectURIs: []string{uri}, Resources: []string{"https://example.com/mcp/private"}, Secret: &store.Hash{}}},
		{machine, store.Client{Name: "Robot", GrantTypes: []string{"client_credentials"}, Scopes: []string{"mcp:use"}, Secret: &store.Hash{}}},
	} {
		want := test.want
		want.ID, want.Source = field(t, test.text, `client_id +(\S+)\n`), store.Static
		got, err := opened.Client(t.Context(), want.ID)
		if want.Secret != nil {
			*want.Secret = store.HashOf(field(t, test.text, `client_secret +([A-Z2-7]{52})\n\nThe secret can't be shown again\.`))
		} else if strings.Contains(test.text, "secret") {
			t.Errorf("the public client is %s", test.text)
		}
		want.Created = got.Created
		if err != nil || !reflect.DeepEqual(got, want) || time.Since(got.Created) > time.Minute {
			t.Errorf("the client is\n%+v, %v, want\n%+v", got, err, want)
		}
		if !regexp.MustCompile(`(?m)^` + want.ID + ` +` + want.Name + ` +static +(none|client_secret_basic client_secret_post) +\d{4}-\d\d-\d\d +-$`).MatchString(o.does(t, "client:list")) {
			t.Errorf("the list lacks %s:\n%s", want.Name, o.does(t, "client:list"))
		}
	}
	id := field(t, public, `client_id +(\S+)\n`)
	if text := o.does(t, "client:revoke", id); text != "The client "+id+" is removed, with its access. Other programs accept its access tokens until they expire.\n" || strings.Contains(o.does(t, "client:list"), id) {
		t.Error(text)
	}
	var elevenURIs []string
	for n := range 11 {
		elevenURIs = append(elevenURIs, fmt.Sprintf("--redirect=%s/%d", uri, n))
	}
	o.fails(t, 1, `there is no client "`+id+`"; mcp client:list shows the IDs`, "client:revoke", id)
	for want, args := range map[string][]string{
		"NAME is missing":                               {"--redirect", uri},
		"or invisible ones":                             {"\u202eName", "--redirect", uri},
		"NAME has more than 100 characters":             {"Na\xffme", "--redirect", uri},
		"a client has at most 10 redirect URIs":         append([]string{"Name"}, elevenURIs...),
		"--redirect URI is missing":                     {"Name"},
		"a client has either --redirect":                {"Name", "--redirect", uri, "--machine"},
		"--redirect http://client.example/cb: ":         {"Name", "--redirect", "http://client.example/cb"},
		"--resource is for a client with a secret":      {"Name", "--redirect", uri, "--resource", "https://example.com/mcp/private"},
		"--resource https://example.com/: it must be":   {"Name", "--machine", "--resource", "https://example.com/"},
		"--resource https://EXAMPLE.com/x: it must be":  {"Name", "--machine", "--resource", "https://EXAMPLE.com/x"},
		"--resource https://example.com?x: it must be":  {"Name", "--machine", "--resource", "https://example.com?x"},
		`the scope "admin" is unknown; Config.Scopes h`: {"Name", "--machine", "--scope", "admin"},
		"has either --machine, for itself":              {"Name", "--machine", "--enterprise"},
		"Config.IdentityProviders has none":             {"Name", "--enterprise"},
		"a client has either a secret or keys":          {"Name", "--redirect", uri, "--confidential", "--jwks-uri", "https://client.example/keys"},
		"must be an https URL":                          {"Name", "--machine", "--jwks-uri", "http://client.example/keys"},
		"needs either jwks or jwks_uri":                 {"Name", "--machine", "--jwks-uri", "https://client.example/keys", "--jwks", keys},
		"it is given twice":                             {"Name", "--machine", "--scope", "mcp:use", "--scope", "mcp:use"},
	} {
		o.fails(t, 2, want, append([]string{"client:create"}, args...)...)
	}
	o.NoPublicClients = true
	o.fails(t, 2, "Config.NoPublicClients refuses clients without a secret or a key; add --confidential", "client:create", "Name", "--redirect", uri)
	if rows := strings.Count(o.does(t, "client:list"), "\n"); rows != 3 {
		t.Errorf("after refused commands there are %d rows, want a header and two clients", rows)
	}
}

// writeKeys writes a file with a public key.
func writeKeys(t *testing.T) (file string) {
	t.Helper()
	key, err := jose.GenerateKey(jose.ES256)
	if err != nil {
		t.Fatal(err)
	}
	set, err := json.Marshal(map[string]any{"keys": []jose.Key{key.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "client.jwks.json")
	if err := os.WriteFile(file, set, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A client with keys has no secret.
func TestClientsWithKeysAreCreatedByCommands(t *testing.T) {
	t.Parallel()
	o := newOperator(t, func(c *oauth.Config) { c.IdentityProviders = []auth.Issuer{{URL: "https://login.example.com"}} })
	file := writeKeys(t)
	set, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const published = "https://client.example/keys"
	machine := o.does(t, "client:create", "Robot", "--machine", "--jwks", file)
	desk := o.does(t, "client:create", "Desk", "--enterprise", "--jwks-uri", published)
	both := o.does(t, "client:create", "Both", "--enterprise", "--redirect", "https://client.example/cb")
	opened := o.open(t)
	for _, test := range []struct {
		text string
		want store.Client
	}{
		{machine, store.Client{GrantTypes: []string{"client_credentials"}, Scopes: []string{"mcp:use"}, Keys: set}},
		{desk, store.Client{GrantTypes: []string{"urn:ietf:params:oauth:grant-type:jwt-bearer"}, KeysURI: published}},
		{both, store.Client{GrantTypes: []string{"urn:ietf:params:oauth:grant-type:jwt-bearer", "authorization_code", "refresh_token"}, RedirectURIs: []string{"https://client.example/cb"}}},
	} {
		got, err := opened.Client(t.Context(), field(t, test.text, `client_id +(\S+)\n`))
		hasSecret := len(test.want.RedirectURIs) > 0
		if err != nil || hasSecret != (got.Secret != nil) || hasSecret != strings.Contains(test.text, "client_secret") || string(got.Keys) != string(test.want.Keys) ||
			got.KeysURI != test.want.KeysURI || !reflect.DeepEqual(got.GrantTypes, test.want.GrantTypes) || !reflect.DeepEqual(got.Scopes, test.want.Scopes) {
			t.Errorf("the client is\n%+v, %v, want\n%+v\n%s", got, err, test.want, test.text)
		}
	}
	o.fails(t, 1, "--jwks: open ", "client:create", "Robot", "--machine", "--jwks", filepath.Join(t.TempDir(), "missing"))
	if err := os.WriteFile(file, []byte(`{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	o.fails(t, 2, "a symmetric key or a private one; publish public keys only", "client:create", "Robot", "--machine", "--jwks", file)
}

func TestPersonalTokensAreCreatedListedAndRevokedByCommands(t *testing.T) {
	t.Parallel()
	o := newOperator(t, withPasswords)
	o.does(t, "user:create", "ana@example.com", "--password-stdin")
	user, err := o.open(t).UserByName(t.Context(), "ana@example.com")
	if err != nil {
		t.Fatal(err)
	}
	text := o.does(t, "token:create", "CI", "--user", "Ana@example.com")
	id := field(t, text, `Its ID is (\S+)\. It stands for ana@example\.com with mcp:use until \d{4}-\d\d-\d\d \d\d:\d\d UTC\.\n$`)
	token, err := o.open(t).Token(t.Context(), store.HashOf(field(t, text, `\n\n  (bowline_pat_[A-Za-z0-9_-]{43})\n\n`)))
	if err != nil || token.ID != id || token.UserID != user.ID || token.UserName != user.Name || token.Name != "CI" || token.Expires.Sub(token.Created).Round(time.Second) != 90*24*time.Hour {
		t.Errorf("the token is %+v, %v", token, err)
	}
	long := o.does(t, "token:create", "--user="+user.ID, "laptop", "--expires", "36h", "--scope", "files:write mcp:use", "--scope", "mcp:use ")
	id30 := field(t, o.does(t, "token:create", "month", "--user", user.ID, "--expires", "30d"), `Its ID is (\S+)\.`)
	tokens, err := o.open(t).ListTokens(t.Context(), user.ID, "", 100)
	if i := slices.IndexFunc(tokens, func(token store.Token) bool { return token.ID == id30 }); err != nil || i < 0 || tokens[i].Expires.Sub(tokens[i].Created).Round(time.Second) != 30*24*time.Hour {
		t.Errorf("the token of 30 days is not one: %+v, %v", tokens, err)
	}
	list := o.does(t, "token:list")
	for _, row := range []string{id + ` +CI +ana@example.com +mcp:use +`, `\S+ +laptop +ana@example.com +files:write mcp:use +`} {
		if !regexp.MustCompile(`(?m)^` + row + `\d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d$`).MatchString(list) {
			t.Errorf("the list lacks %s:\n%s", row, list)
		}
	}
	if strings.Contains(list, "bowline_pat_") || o.does(t, "token:list", "--user", "ana@example.com") != list {
		t.Errorf("the list is\n%s", list)
	}
	o.does(t, "token:revoke", id)
	if left := o.does(t, "token:list"); strings.Contains(left, id) || !strings.Contains(left, field(t, long, `Its ID is (\S+)\.`)) {
		t.Errorf("the list is\n%s", left)
	}
	o.fails(t, 1, `there is no token "`+id+`"; mcp token:list shows the IDs`, "token:revoke", id)
	o.fails(t, 1, `there is no user "bob"; make one with mcp user:create`, "token:create", "CI", "--user", "bob")
	o.fails(t, 1, `there is no user "bob"; make one with mcp user:create`, "token:list", "--user", "bob")
	for want, args := range map[string][]string{
		"NAME is missing":         {"--user", "ana@example.com"},
		"--user EMAIL|ID is miss": {"CI"},
		"NAME has more than 100":  {strings.Repeat("x", 101), "--user", "ana@example.com"},
		`the scope "admin" is`:    {"CI", "--user", "ana@example.com", "--scope", "admin"},
		"--expires 30s: it is no": {"CI", "--user", "ana@example.com", "--expires", "30s"},
		"--expires -1d: it is no": {"CI", "--user", "ana@example.com", "--expires", "-1d"},
		"--expires never: it is ": {"CI", "--user", "ana@example.com", "--expires", "never"},
		"--expires 99999d: it is": {"CI", "--user", "ana@example.com", "--expires", "99999d"},
	} {
		o.fails(t, 2, want, append([]string{"token:create"}, args...)...)
	}
	o.does(t, "user:disable", "ana@example.com")
	o.fails(t, 1, "the user ana@example.com is disabled", "token:create", "CI", "--user", "ana@example.com")
}

// The IDs of another login's users are known to that alone.
func TestAUserOfAnotherLoginGetsAPersonalToken(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.does(t, "token:create", "CI", "--user", "github:1234")
	if list := o.does(t, "token:list", "--user", "github:1234"); !regexp.MustCompile(`\S+ +CI +github:1234 +mcp:use`).MatchString(list) {
		t.Errorf("the list is\n%s", list)
	}
}

func TestExpiredRecordsArePurgedByACommand(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	old := store.Token{ID: "old", UserID: "ana", Hash: store.HashOf("old"), Created: time.Now().Add(-time.Hour), Expires: time.Now().Add(-time.Minute)}
	if err := o.open(t).CreateToken(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Removed 1 expired grants, tokens and logins, and 0 clients that nobody has used.\n", "Removed 0 expired grants, tokens and logins, and 0 clients that nobody has used.\n"} {
		if text := o.does(t, "auth:purge"); text != want {
			t.Error(text)
		}
	}
}

func TestCommandsNeedAStoreThatOutlivesThem(t *testing.T) {
	t.Parallel()
	o := newOperator(t, func(c *oauth.Config) { c.Drivers = []store.Driver{sqlite.Driver()} })
	commands := [][]string{
		{"auth:purge"}, {"client:create", "x", "--machine"}, {"client:list"}, {"client:revoke", "x"},
		{"token:create", "x", "--user", "x"}, {"token:list"}, {"token:revoke", "x"}, {"user:create", "x", "--password-stdin"},
		{"grant:list"}, {"grant:revoke", "x"}, {"session:end", "x"}, {"user:list"}, {"user:password", "x", "--password-stdin"}, {"user:disable", "x"}, {"user:enable", "x"}, {"user:remove", "x"},
	}
	for address, want := range map[string]string{
		"memory:":                 "the store is in memory, so it ends with the process, and a command can't change the store of the running program; set Config.Store (OAUTH_STORE) to another one",
		"redis://:hunter2@host/1": "add redis.Driver() to the drivers",
		"":                        "Config.Store is missing",
		"sqlite:" + t.TempDir():   "oauth: ",
	} {
		o.Store = address
		for _, args := range commands {
			o.fails(t, 1, want, args...)
			if _, _, stderr := o.runs(t, strings.NewReader(""), args...); strings.Contains(stderr, "hunter2") {
				t.Errorf("%q: stderr has a password: %s", args, stderr)
			}
		}
	}
}
