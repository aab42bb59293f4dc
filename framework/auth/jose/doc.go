// Package jose signs and verifies access tokens, which are JSON Web Tokens (RFC 7519,
// RFC 9068), and reads and writes the keys of issuers, JSON Web Key Sets (RFC 7517).
package jose
