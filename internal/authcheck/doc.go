// Package authcheck checks how an MCP server authorizes clients, as a client would see it.
package authcheck
