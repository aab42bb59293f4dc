package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// Static returns a verifier of tokens that are listed in the program's configuration, for
// programs and people that you give tokens by hand. Each text has a name, the SHA-256 of a
// token in hex, and the token's scopes, separated by spaces:
//
//	auth.Static("ana 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 mcp:use files:write")
//
// The command "mcp auth:token ana mcp:use files:write" makes a token and its text. The
// principal's ID and Subject are the name. A token is valid until its text is removed
// from the configuration and the program is restarted. A name may have several tokens.
//
// The tokens are valid for every resource. Clients can't log in by themselves, since there
// is no authorization server.
func Static(tokens ...string) Verifier {
	s := &static{principals: map[[sha256.Size]byte]exchange.Principal{}}
	for i, text := range tokens {
		if err := s.add(text); err != nil {
			s.problem = errors.Join(s.problem, fmt.Errorf("auth.Static: token %d: %w", i+1, err))
		}
	}
	return s
}

type static struct {
	principals map[[sha256.Size]byte]exchange.Principal // by the hash of their tokens
	problem    error
}

// add adds a token. The error doesn't quote the text, which may have a token by mistake.
func (s *static) add(text string) error {
	words := strings.Fields(text)
	if len(words) < 2 {
		return errors.New("it must have a name, the SHA-256 of the token in hex, and the scopes, separated by spaces; make one with: mcp auth:token NAME SCOPE…")
	}
	var hash [sha256.Size]byte
	if n, err := hex.Decode(hash[:], []byte(words[1][:min(len(words[1]), hex.EncodedLen(len(hash)))])); err != nil || n != len(hash) || len(words[1]) != hex.EncodedLen(n) {
		return errors.New("its second word must be the SHA-256 of the token, in 64 hex digits, not the token; make one with: mcp auth:token NAME SCOPE…")
	}
	if _, taken := s.principals[hash]; taken {
		return errors.New("it is the same token as another one; make one for each name")
	}
	s.principals[hash] = exchange.Principal{ID: words[0], Subject: words[0], Scopes: words[2:]}
	return checkScopes(words[2:])
}

// scopes returns the scopes of all tokens.
func (s *static) scopes() (all []string) {
	for _, principal := range s.principals {
		all = append(all, principal.Scopes...)
	}
	return all
}

// Verify returns the principal whose token it is.
func (s *static) Verify(_ context.Context, token, _ string) (exchange.Principal, error) {
	principal, ok := s.principals[sha256.Sum256([]byte(token))]
	if !ok {
		return exchange.Principal{}, &TokenError{Reason: "The access token is not known", Unknown: true}
	}
	return principal, nil
}

// FindPrincipal returns the principal with a name, with the scopes of all its tokens.
func (s *static) FindPrincipal(_ context.Context, name string) (exchange.Principal, error) {
	found := exchange.Principal{ID: name, Subject: name}
	var names []string
	for _, principal := range s.principals {
		names = append(names, principal.ID)
		if principal.ID == name {
			found.Scopes = append(found.Scopes, principal.Scopes...)
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); !slices.Contains(names, name) {
		return exchange.Principal{}, naming.Unknown("static token of", name, names)
	}
	slices.Sort(found.Scopes)
	found.Scopes = slices.Compact(found.Scopes)
	return found, nil
}

// Issuers returns no issuer: nobody issues static tokens.
func (s *static) Issuers() ([]string, error) { return nil, s.problem }
