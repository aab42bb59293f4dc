package upstream

import (
	"context"
	"slices"
	"strings"
)

// An Identity is a user as a provider knows it.
type Identity struct {
	// Issuer is the provider, such as https://accounts.google.com, and Subject is the ID of
	// the user there, which never changes and is never given to another user.
	Issuer  string `json:"iss"`
	Subject string `json:"sub"`

	// Name is for people: a verified e-mail address, the name of a GitHub account, or another
	// name at the provider. The user may be able to change it, so don't decide by it.
	Name string `json:"name"`

	// Emails are the e-mail addresses that the provider has verified. Others are left out.
	Emails []string `json:"emails,omitempty"`

	// Claims are the claims of the ID token or of the userinfo endpoint, or the members of
	// GitHub's user.
	Claims map[string]any `json:"claims,omitempty"`
}

// ID returns the ID of the user in our own tokens: the issuer and the subject.
func (i Identity) ID() string { return i.Issuer + "|" + i.Subject }

// A Rule reports whether a user may log in. It is asked at each login, and with the identity of
// the last login when a client renews its tokens, or uses them: at most every 4 seconds, so it
// should be fast. It must be safe for concurrent use. The user is shown an error page for an
// error, which is logged.
type Rule func(ctx context.Context, user Identity) (allowed bool, err error)

// Anyone allows every user of the provider. For GitHub and Google that is the whole world.
func Anyone() Rule {
	return func(context.Context, Identity) (bool, error) { return true, nil }
}

// Emails allows the users with one of the addresses, if the provider has verified it. Case
// doesn't matter.
func Emails(addresses ...string) Rule {
	return func(_ context.Context, user Identity) (bool, error) {
		return slices.ContainsFunc(user.Emails, func(verified string) bool {
			return slices.ContainsFunc(addresses, func(allowed string) bool { return isSame(verified, allowed) })
		}), nil
	}
}

// Domain allows the users of a domain, such as example.com, but not those of its subdomains.
// With Google these are the users of its Workspace. With other providers they have a verified
// e-mail address in the domain; GitHub doesn't notice when somebody loses an address.
func Domain(domain string) Rule {
	return func(_ context.Context, user Identity) (bool, error) {
		if user.Issuer == googleIssuer {
			workspace, _ := user.Claims["hd"].(string)
			return isSame(workspace, domain), nil
		}
		return slices.ContainsFunc(user.Emails, func(verified string) bool {
			return isSame(verified[strings.LastIndexByte(verified, '@')+1:], domain)
		}), nil
	}
}

// isSame compares addresses or domains. Only the case of ASCII letters doesn't matter: Unicode
// has characters whose lower case is an ASCII letter. Nothing is the same as an empty text,
// which may be a setting that is missing.
func isSame(a, b string) bool {
	return a != "" && (a == b || isASCII(a) && isASCII(b) && strings.EqualFold(a, b))
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > '~' })
}
