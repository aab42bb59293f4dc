// Package auth protects routes with OAuth 2.1 access tokens, as a resource server
// (specification: Authorization). A verifier says which tokens are valid; a guard of the
// route requires one in every request:
//
//	company := auth.JWT(auth.Issuer{URL: "https://login.example.com/realms/staff"})
//	mcp.Web("private", &servers.DemoServer{}).Guard(auth.Bearer(company, "mcp:use"))
package auth
