package seal_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/seal"
)

func TestOpenReturnsWhatWasSealed(t *testing.T) {
	t.Parallel()
	ring := seal.New("secret")
	text := ring.Seal("cursor", []byte("42"))
	if got, ok := seal.New("secret").Open("cursor", text); !ok || string(got) != "42" {
		t.Errorf("Open = %q, %v, want 42 in another process with the same key", got, ok)
	}
	if got, ok := seal.New("new", "secret").Open("cursor", text); !ok || string(got) != "42" {
		t.Errorf("Open = %q, %v, want 42 with the key in second place", got, ok)
	}
}

func TestOpenRefusesEverythingElse(t *testing.T) {
	t.Parallel()
	ring := seal.New("secret")
	text := ring.Seal("cursor", []byte("42"))
	for name, tt := range map[string]struct {
		ring          *seal.Ring
		purpose, text string
	}{
		"another purpose": {ring, "state", text},
		"another key":     {seal.New("other"), "cursor", text},
		"a random key":    {seal.New(), "cursor", text},
		"an appendix":     {ring, "cursor", text + "A"},
		"a changed end":   {ring, "cursor", text[:len(text)-2] + "__"},
		"a cut":           {ring, "cursor", text[:10]},
		"nothing":         {ring, "cursor", ""},
		"not base64":      {ring, "cursor", "!"},
	} {
		if _, ok := tt.ring.Open(tt.purpose, tt.text); ok {
			t.Errorf("Open accepts %s", name)
		}
	}
}

func FuzzOpen(f *testing.F) {
	ring := seal.New("secret")
	const sealed = "v_vRwOwDJI0jshd8jpcQ4RshqXcx0W0xWd863OO1" // sealed with this key; a new seal would differ in each process of the fuzzer
	f.Add(sealed)
	f.Add(sealed[:8] + "\n" + sealed[8:])
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := ring.Open("cursor", text); ok != (text == sealed) {
			t.Errorf("Open(%q) accepts it: %t", text, ok)
		}
	})
}
