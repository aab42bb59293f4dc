package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/protected"
)

// Any returns a verifier that accepts the tokens of several verifiers, for instance those of
// an issuer and static ones:
//
//	auth.Any(auth.JWT(auth.Issuer{URL: "https://login.example.com"}), auth.Static(tokens...))
//
// It asks the verifiers in turn. If all refuse a token, the error comes from a verifier that
// knows the token, such as an expired token of its issuer. If there is none, but a verifier
// can't verify tokens at the moment, the error has the status 503.
func Any(verifiers ...Verifier) Verifier { return &anyVerifier{slices.Clone(verifiers)} }

type anyVerifier struct{ verifiers []Verifier }

// A rememberer is a verifier that knows some tokens already. It returns nil for others.
type rememberer interface {
	known(token, resource string) *knownToken
}

// known returns the entry of a token that one of the verifiers knows. Without it, each
// request would parse the token again for all verifiers before that one, which takes several
// µs.
func (a *anyVerifier) known(token, resource string) *knownToken {
	for _, verifier := range a.verifiers {
		if verifier, ok := verifier.(rememberer); ok {
			if known := verifier.known(token, resource); known != nil {
				return known
			}
		}
	}
	return nil
}

// Verify returns the principal of a token that one of the verifiers accepts.
func (a *anyVerifier) Verify(ctx context.Context, token, resource string) (exchange.Principal, error) {
	if known := a.known(token, resource); known != nil {
		return known.principal, nil
	}
	var refusals []error
	for _, verifier := range a.verifiers {
		principal, err := verifier.Verify(ctx, token, resource)
		if err == nil {
			return principal, nil
		}
		refusals = append(refusals, err)
	}
	return exchange.Principal{}, mostHelpful(refusals)
}

// IssuableScopes returns the scopes that tokens can have, or nil if a verifier doesn't tell.
func (a *anyVerifier) IssuableScopes() (all []string) {
	for _, verifier := range a.verifiers {
		var scopes []string
		switch verifier := verifier.(type) {
		case *static:
			scopes = verifier.scopes()
		case interface{ IssuableScopes() []string }:
			if scopes = verifier.IssuableScopes(); scopes == nil {
				return nil
			}
		default:
			return nil
		}
		all = append(all, scopes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// mostHelpful returns the error that says most about a token.
func mostHelpful(refusals []error) error {
	var unavailable error
	unknown := &TokenError{Reason: "The access token is not known", Unknown: true}
	for _, err := range refusals {
		refusal, ok := errors.AsType[*TokenError](err)
		switch {
		case !ok && unavailable == nil:
			unavailable = err
		case ok && !refusal.Unknown:
			return err
		case ok:
			unknown.Err = joinRefusals(unknown.Err, refusal)
		}
	}
	if unavailable != nil {
		return unavailable
	}
	if len(refusals) == 1 {
		return refusals[0]
	}
	return unknown
}

// FindPrincipal returns the principal whom one of the verifiers knows by a name.
func (a *anyVerifier) FindPrincipal(ctx context.Context, name string) (exchange.Principal, error) {
	var reasons []string
	for _, verifier := range a.verifiers {
		principal, err := findPrincipal(ctx, verifier, name)
		if err == nil {
			return principal, nil
		}
		reasons = append(reasons, err.Error())
	}
	return exchange.Principal{}, errors.New(strings.Join(reasons, "; "))
}

// joinRefusals joins errors in one line.
func joinRefusals(first error, next *TokenError) error {
	if first == nil {
		return next
	}
	return fmt.Errorf("%w; %w", first, next)
}

// Issuers returns the issuers of all verifiers, or their mistakes.
func (a *anyVerifier) Issuers() ([]string, error) {
	if len(a.verifiers) == 0 {
		return nil, errors.New("auth.Any: it has no verifier; give it some, such as auth.JWT(…) and auth.Static(…)")
	}
	var all []string
	var mistakes []error
	for i, verifier := range a.verifiers {
		if protected.IsNil(verifier) {
			mistakes = append(mistakes, fmt.Errorf("auth.Any: verifier %d is nil; remove it", i+1))
			continue
		}
		issuers, err := verifier.Issuers()
		if err != nil {
			mistakes = append(mistakes, err)
		}
		for _, issuer := range issuers {
			if !slices.Contains(all, issuer) {
				all = append(all, issuer)
			}
		}
	}
	return all, errors.Join(mistakes...)
}
