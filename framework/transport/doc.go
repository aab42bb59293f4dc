// Package transport is for programs that carry MCP over a custom transport, other than
// HTTP and stdio: a Unix socket, a message queue, a WebSocket, another goroutine. The
// messages and their meaning stay those of the protocol.
//
// A program implements [Transport] for one client's connection and passes it to
// mcp.ServeTransport, or to App.ServeTransport for a server that has a handle:
//
//	for {
//		conn, err := listener.Accept()
//		if err != nil {
//			return err
//		}
//		go mcp.ServeTransport(ctx, server, newTransport(conn))
//	}
//
// examples/transport is a complete program. [Pair] is a transport within one process.
//
// The server handles protocol versions, sessions, cancellation, limits and timeouts, as
// on stdio: Config.MaxLine limits the length of a message, Config.MaxCalls the calls that
// run at once, and Config.StdioDrain the time that running calls have after the client
// disconnects or the program stops.
package transport
