// Package annotations defines the hints that describe a tool to clients. Embed a marker
// to state a hint:
//
//	type EchoTool struct {
//		tools.Tool
//		annotations.IsReadOnly
//	}
//
// A hint that isn't stated isn't sent. Clients then assume the protocol's defaults: the
// tool may write, may destroy, isn't idempotent, and reaches an open world. To state
// that a hint is false, define its method:
//
//	func (*CountTool) DestructiveHint() bool { return false }
//
// A server refuses a tool that is both read-only and destructive: one of the hints is
// wrong.
package annotations

// Hints are a tool's hints in their wire form (specification: ToolAnnotations). A nil
// hint was not stated.
type Hints struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// Of returns the hints that the methods of v state.
func Of(v any) Hints {
	var h Hints
	if v, ok := v.(interface{ ReadOnlyHint() bool }); ok {
		h.ReadOnly = new(v.ReadOnlyHint())
	}
	if v, ok := v.(interface{ DestructiveHint() bool }); ok {
		h.Destructive = new(v.DestructiveHint())
	}
	if v, ok := v.(interface{ IdempotentHint() bool }); ok {
		h.Idempotent = new(v.IdempotentHint())
	}
	if v, ok := v.(interface{ OpenWorldHint() bool }); ok {
		h.OpenWorld = new(v.OpenWorldHint())
	}
	return h
}

// IsReadOnly marks a tool that doesn't change anything.
type IsReadOnly struct{}

// ReadOnlyHint reports true.
func (IsReadOnly) ReadOnlyHint() bool { return true }

// IsDestructive marks a tool that may delete or overwrite. It only matters for a tool
// that isn't read-only.
type IsDestructive struct{}

// DestructiveHint reports true.
func (IsDestructive) DestructiveHint() bool { return true }

// IsIdempotent marks a tool for which a second call with the same arguments changes
// nothing more. It only matters for a tool that isn't read-only.
type IsIdempotent struct{}

// IdempotentHint reports true.
func (IsIdempotent) IdempotentHint() bool { return true }

// IsOpenWorld marks a tool that reaches systems beyond the server's own, such as the
// web.
type IsOpenWorld struct{}

// OpenWorldHint reports true.
func (IsOpenWorld) OpenWorldHint() bool { return true }
