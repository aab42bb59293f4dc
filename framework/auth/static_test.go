package auth_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/auth"
)

// hashed returns the SHA-256 of a token, in hex.
func hashed(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func TestAStaticTokenIsThatOfItsName(t *testing.T) {
	t.Parallel()
	verifier := auth.Static("ana "+hashed("one")+" mcp:use files:write", "ana "+strings.ToUpper(hashed("two")), " bo\t"+hashed("three")+"  mcp:use ")
	if issuers, err := verifier.Issuers(); issuers != nil || err != nil {
		t.Errorf("the issuers are %v, %v", issuers, err)
	}
	for token, want := range map[string]string{"one": "ana mcp:use files:write", "two": "ana ", "three": "bo mcp:use"} {
		principal, err := verifier.Verify(t.Context(), token, "https://example.com/mcp")
		if got := principal.Subject + " " + strings.Join(principal.Scopes, " "); err != nil || got != want || principal.ID != principal.Subject {
			t.Errorf("the token %s is that of %q (%v), want %q", token, got, err, want)
		}
	}
	for _, token := range []string{"", "four", "One", hashed("one"), "ana"} {
		var refused *auth.TokenError
		if _, err := verifier.Verify(t.Context(), token, "https://example.com/mcp"); !errors.As(err, &refused) || refused.Reason != "The access token is not known" {
			t.Errorf("the token %q gets the error %v", token, err)
		}
	}
}

func TestMistakesInStaticTokensAreReportedWithoutTheirTexts(t *testing.T) {
	t.Parallel()
	const secret = "bwl_hunter2hunter2"
	for what, test := range map[string]struct{ text, want string }{
		"nothing":        {"", "it must have a name, the SHA-256 of the token in hex, and the scopes"},
		"only a name":    {secret, "it must have a name"},
		"the token":      {"ana " + secret, "its second word must be the SHA-256 of the token, in 64 hex digits, not the token; make one with: mcp auth:token"},
		"a longer hash":  {"ana " + hashed(secret) + "00", "64 hex digits"},
		"a shorter hash": {"ana " + hashed(secret)[:62], "64 hex digits"},
		"not hex":        {"ana " + hashed(secret)[:63] + "g", "64 hex digits"},
		"a quoted scope": {"ana " + hashed(secret) + ` mcp"use`, "the scope"},
		"the same twice": {"bo " + hashed("known"), "it is the same token as another one"},
	} {
		_, err := auth.Static("ana "+hashed("known"), test.text).Issuers()
		if err == nil || !strings.Contains(err.Error(), "auth.Static: token 2: ") || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error is %v, want %q", what, err, test.want)
		}
	}
}
