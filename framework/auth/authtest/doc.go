// Package authtest provides issuers of access tokens for tests and examples. They have the
// endpoints, documents and claims of well-known products.
package authtest
