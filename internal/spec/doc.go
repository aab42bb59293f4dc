// Package spec has what the versions of the protocol differ in: the [Version]s, the
// severities of log messages, and the shapes of definitions and results. Everything
// comes in the shape of the newest version, and is cut down here for older clients.
package spec
