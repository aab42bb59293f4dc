package grants

import (
	"bytes"
	"testing"
)

func TestOnlyTheTokenOpensASealedText(t *testing.T) {
	t.Parallel()
	text := []byte("an answer with tokens")
	sealed, err := seal("a token", text)
	if err != nil {
		t.Fatal(err)
	}
	if opened, err := open("a token", sealed); err != nil || !bytes.Equal(opened, text) {
		t.Errorf("the token opens %q, %v", opened, err)
	}
	again, err := seal("a token", text)
	if err != nil || bytes.Equal(again, sealed) || bytes.Contains(sealed, text) {
		t.Errorf("a text is sealed as %q and %q, %v", sealed, again, err)
	}
	changed := bytes.Clone(sealed)
	changed[len(changed)-1]++
	for what, wrong := range map[string]struct {
		token  string
		sealed []byte
	}{"another token": {"another token", sealed}, "a changed text": {"a token", changed}, "a short text": {"a token", sealed[:5]}, "nothing": {"a token", nil}} {
		if opened, err := open(wrong.token, wrong.sealed); err == nil {
			t.Errorf("%s opens %q", what, opened)
		}
	}
}
