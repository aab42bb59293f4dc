// Package legacy serves the clients of the protocol versions that begin with a
// handshake, 2024-11-05 to 2025-11-25: sessions, initialize, ping, streams that are
// resumed, batches, requests of the server. It fits the wing that package transport
// declares, and hands requests to the same core as modern ones.
package legacy
