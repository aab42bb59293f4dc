package ask_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/ask"
	"github.com/bowline-mcp/bowline/internal/spec"
)

func TestAURLIsSentUnchanged(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"https://example.com/connect?state=1&x=%20#top", "https://[2001:db8::1]:8443/", "http://localhost:8080/connect", "http://127.0.0.1/", "http://[::1]:3000/",
	} {
		want := `{"mode":"url","message":"Connect \"it\".","url":"` + url + `"}`
		for _, version := range []spec.Version{modern, v20251125} {
			if got := compile(t, ask.URL(`Connect "it".`, url)).Kind.Params([]byte(everything), version); string(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		}
	}
}

func TestAnUnsafeURLIsAMistake(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                            "doesn't lead to a web page; write it in full",
		"/connect":                    "doesn't lead to a web page",
		"example.com/connect":         "doesn't lead to a web page",
		"//example.com/connect":       "doesn't lead to a web page",
		"https:///connect":            "doesn't lead to a web page",
		"https://:8080/":              "doesn't lead to a web page",
		"https://exa mple.com":        "doesn't lead to a web page",
		"javascript:alert(1)":         "doesn't lead to a web page",
		"file:///etc/passwd":          "doesn't lead to a web page",
		"ftp://example.com":           "doesn't lead to a web page",
		"https://user:pw@example.com": "the URL contains a user or password; remove it",
		"http://example.com":          "the URL is http, which the network can read and change; use https",
		"http://localhost.evil.com":   "use https",
		"http://128.0.0.1":            "use https",
	} {
		assertMistake(t, ask.URL("Connect.", url), want)
	}
	assertMistake(t, ask.URL("", "https://example.com"), "it has no message")
}

func TestAnAnsweredURLHasNoContent(t *testing.T) {
	t.Parallel()
	q := ask.URL("Connect.", "https://example.com")
	a := answer(t, q, `{"action":"accept","content":{"token":"x"}}`)
	if !a.Accepted() || a.Has("token") || a.Bind(&struct{}{}) == nil {
		t.Errorf("got %+v", a)
	}
	if a := answer(t, q, `{"action":"decline"}`); !a.Declined() {
		t.Errorf("got %+v", a)
	}
	assertRefused(t, q, `{"action":"done"}`, `/action must be accept, decline or cancel, not "done"`)
	assertRefused(t, q, `[]`, "it must be an object, not an array")
}
