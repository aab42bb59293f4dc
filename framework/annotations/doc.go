// Package annotations has the hints that a tool gives about itself. Embed a marker
// to state a hint:
//
//	type EchoTool struct {
//		tools.Tool
//		annotations.IsReadOnly
//	}
//
// A hint that isn't stated isn't sent, and clients take the protocol's default: a
// tool may write, may destroy, isn't idempotent, and reaches an open world. To
// state that a hint is false, define its method:
//
//	func (*CountTool) DestructiveHint() bool { return false }
//
// A tool that says that it is read-only and destructive is refused: one of the hints is
// wrong.
package annotations
