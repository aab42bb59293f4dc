package metadata_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/framework/auth/oauth/internal/metadata"
)

func TestOnlyURIsThatAreSafeCanBeRegistered(t *testing.T) {
	t.Parallel()
	schemes := []string{"cursor", "vscode", "javascript", "data", "file", "vbscript", "blob", "about", "filesystem", "view-source", "ws", "wss", "ftp"}
	for _, uri := range []string{
		"https://client.example/cb", "https://client.example", "https://client.example:8443/cb?a=b&c", "https://127.0.0.1/cb", "https://[2001:db8::1]/cb",
		"http://127.0.0.1/cb", "http://127.0.0.1:33418/", "http://127.8.9.1:1/", "http://[::1]:8080/cb", "http://localhost:6274/oauth/callback", "http://localhost",
		"cursor://anysphere.cursor-mcp/oauth/callback", "vscode:callback", "com.example.app:/cb", "com.example.app://cb?x=y",
		"https://claude.ai/api/mcp/auth_callback", "https://xn--e1awd7f.example/cb", "https://my_host.example/cb?codex=1&errors=2", "https://client.example:65535/", "https://client.example/" + strings.Repeat("a", 2025),
	} {
		if err := metadata.CheckRedirectURI(uri, schemes); err != nil {
			t.Errorf("%s is refused: %v", uri, err)
		}
	}
	for uri, why := range map[string]string{
		"": "absolute", "/cb": "absolute", "client.example/cb": "absolute", "//client.example/cb": "absolute", "https:": "no host", "https:///cb": "no host", "https://:443/cb": "no host",
		"http://client.example/cb": "use https", "http://127.0.0.1.evil.test/cb": "use https", "http://localhost.evil.test": "use https", "http://LOCALHOST/cb": "use https",
		"http://0.0.0.0/cb": "use https", "http://10.0.0.1/cb": "use https", "http://127.1/cb": "use https", "http://2130706433/cb": "use https", "http://[::ffff:127.0.0.1]/cb": "use https",
		"http://127.0.0.1:/cb": "use https", "http://127.0.0.1:123456/cb": "use https",
		"https://client.example/cb#": "no fragment", "https://client.example/cb#x": "no fragment", "https://user@client.example/cb": "no user", "https://u:p@client.example/cb": "no user",
		"http://127.0.0.1@evil.test/cb": "no user", "http://127.0.0.1:80@evil.test/": "no user", "https://@client.example/": "no user",
		"https://*.client.example/cb": "wildcard", "https://client.example/*": "wildcard", `https://client.example\@evil.test/`: "can't have", "https://client.example/ cb": "can't have",
		"https://client.example/\ncb": "can't have", "https://clïent.example/": "can't have", "https://client.example/\x7f": "can't have", "https://client.example/<script>": "can't have",
		"HTTPS://client.example/cb": "lower case", "Cursor://cb": "lower case",
		"javascript:alert(1)": "not allowed", "JavaScript:alert(1)": "lower case", "data:text/html,x": "not allowed", "file:///etc/passwd": "not allowed", "vbscript:x": "not allowed",
		"blob:https://x": "not allowed", "about:blank": "not allowed", "filesystem:https://x/y": "not allowed", "view-source:https://x": "not allowed", "ws://x": "not allowed",
		"wss://x": "not allowed", "ftp://x": "not allowed", "zed://cb": "the scheme is unknown: zed; a private scheme has a dot", "urn:ietf:wg:oauth:2.0:oob": "unknown",
		"https://" + strings.Repeat("a", 2041): "longer than 2048 bytes", "https://client.example:x/": "absolute",
		"https://client.example/cb?code=x": "parameter code, which", "https://client.example/cb?a=b&iss=https://client.example": "parameter iss, which", "https://client.example/cb?%73tate": "parameter state, which",
		"http://127.0.0.1/cb?error=x": "parameter error, which", "cursor://cb?response=x": "parameter response, which", "https://client.example/cb?a;b": "encoded as a form",
		"https://client.example;sandbox/cb": "other characters", "https://client.example,x/cb": "other characters", "https://client.example'x/cb": "other characters",
		"https://%D0%BAlient.example/cb": "other characters", "https://client%2Eexample/cb": "absolute",
		"https://client.example:65536/cb": "from 1 to 65535", "https://client.example:0/cb": "from 1 to 65535", "http://127.0.0.1:65536/cb": "use https", "https://[::1%25eth0]/cb": "IPv6",
		"https://[127.0.0.1]/cb": "absolute", "https://" + strings.Repeat("a", 254) + "/cb": "too long",
	} {
		if err := metadata.CheckRedirectURI(uri, schemes); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: the error is %v, want %q in it", uri, err, why)
		}
	}
}

func TestARequestUsesExactlyARegisteredURI(t *testing.T) {
	t.Parallel()
	const https, loopback, local = "https://client.example/cb", "http://127.0.0.1:1234/callback", "http://localhost/callback?x=y"
	for requested, registered := range map[string]string{
		https: https, loopback: loopback, local: local, "http://127.0.0.1/callback": loopback, "http://127.0.0.1:9/callback": loopback, "http://127.0.0.1:65535/callback": loopback,
		"http://localhost:8080/callback?x=y": local, "http://[::1]:5/cb": "http://[::1]/cb", "cursor://x/cb": "cursor://x/cb",
	} {
		if !metadata.MatchRedirectURI(registered, requested) {
			t.Errorf("%s does not match %s", requested, registered)
		}
	}
	for _, requested := range []string{
		"", "https://client.example/cb/", "https://client.example/CB", "https://client.example/cb?", "https://client.example/cb?x", "https://client.example/c%62", "https://client.example/./cb",
		"https://client.example:443/cb", "https://CLIENT.example/cb", "HTTPS://client.example/cb", "http://client.example/cb", "https://evil-client.example/cb", "https://client.example.evil.test/cb",
		"https://client.example/cb#x", "https://client.example@evil.test/cb", "https://client.example\\@evil.test/cb",
		"http://127.0.0.1:1234/callback/", "http://127.0.0.1:1234/callback?x", "http://127.0.0.1:1234/other", "http://127.0.0.1:1234", "http://127.0.0.2:1234/callback", "https://127.0.0.1:1234/callback",
		"http://127.0.0.1:80@evil.test/callback", "http://127.0.0.1@evil.test/callback", "http://127.0.0.1.evil.test/callback", "http://127.0.0.1:1234.evil.test/callback", "http://127.0.0.1:/callback",
		"http://127.0.0.1:1x/callback", "http://[127.0.0.1]:1234/callback", "http://localhost:1234/callback", "http://LOCALHOST/callback?x=y", "http://localhost/callback?x=z", "http://localhost./callback?x=y",
		"http://[::1]:1234/callback",
	} {
		for _, registered := range []string{https, loopback, local} {
			if metadata.MatchRedirectURI(registered, requested) {
				t.Errorf("%s matches %s", requested, registered)
			}
		}
	}
}

func TestAnUnknownSchemeIsToldApart(t *testing.T) {
	t.Parallel()
	if err := metadata.CheckRedirectURI("zed://cb", nil); !errors.Is(err, metadata.ErrUnknownScheme) {
		t.Errorf("an unknown scheme: %v", err)
	}
	for _, uri := range []string{"javascript:alert(1)", "http://client.example/cb", "zed://cb#x"} {
		if err := metadata.CheckRedirectURI(uri, nil); err == nil || errors.Is(err, metadata.ErrUnknownScheme) {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

// What passes can be written into a page, its policy and the header Location, and the parameters of
// the answer are the only ones of their names.
func FuzzRedirectURI(f *testing.F) {
	for _, seed := range []string{"https://client.example/cb?a=b", "http://127.0.0.1:1234/callback", "http://[::1]/", "cursor://x/cb", "https://client.example;sandbox/", "https://x/?iss=y", "HTTPS://x/", "https://%D0%BAlient.example/cb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		if metadata.CheckRedirectURI(uri, []string{"cursor"}) != nil {
			return
		}
		u, err := url.Parse(uri)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{metadata.Host(uri), metadata.Source(uri)} {
			isForeign := func(r rune) bool { return r >= utf8.RuneSelf }
			if text == "" || strings.ContainsAny(text, " ;,'\"\\<>\n@") || strings.ContainsFunc(text, isForeign) {
				t.Errorf("%q: the page has %q", uri, text)
			}
		}
		answer, err := url.ParseQuery(u.RawQuery)
		if err != nil || answer.Has("code") || answer.Has("iss") || answer.Has("state") || answer.Has("error") {
			t.Errorf("%q has %v, %v", uri, answer, err)
		}
		if !metadata.MatchRedirectURI(uri, uri) {
			t.Errorf("%q does not match itself", uri)
		}
		if metadata.IsOnThisComputer(uri) == (u.Scheme == "https") {
			t.Errorf("%q: whether it is on this computer is wrong", uri)
		}
		if u.Scheme == "http" && !metadata.IsLoopback(strings.Split(u.Host, ":")[0]) && !strings.HasPrefix(u.Host, "[::1]") {
			t.Errorf("%q is not on this computer", uri)
		}
	})
}
