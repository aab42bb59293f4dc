// Package transport is for programs that carry MCP over something other than HTTP
// and stdio: a unix socket, a message queue, a web socket, another goroutine. The
// specification calls these custom transports; the messages and their meaning stay
// those of the protocol.
//
// A program implements [Transport] for one client's connection and hands it to
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
// examples/transport is a whole program that does so. [Pair] is a transport within
// one process.
//
// The server takes care of protocol versions, sessions, cancellation, limits and
// timeouts. They are the same as on stdio: Config.MaxLine bounds a message,
// Config.MaxCalls the calls that run at once, Config.StdioDrain how long they may still
// run when the client has gone or the program stops.
package transport
