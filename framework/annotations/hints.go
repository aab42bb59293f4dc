// Package annotations defines the hints that describe a tool to clients. Embed a marker
// to set a hint:
//
//	type EchoTool struct {
//		tools.Tool
//		annotations.IsReadOnly
//	}
//
// A hint that isn't set isn't sent. Clients then assume the protocol's defaults: the tool
// may modify and destroy data, isn't idempotent, and interacts with an open world. To set
// a hint to false, define its method:
//
//	func (*CountTool) DestructiveHint() bool { return false }
//
// A server refuses a tool that is both read-only and destructive, since one of the hints
// must be wrong.
package annotations

// Hints are a tool's hints in their wire form (specification: ToolAnnotations). Nil means
// that a hint isn't set.
type Hints struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// Of returns the hints that the methods of v set.
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

// IsReadOnly marks a tool that doesn't modify anything.
type IsReadOnly struct{}

// ReadOnlyHint returns true.
func (IsReadOnly) ReadOnlyHint() bool { return true }

// IsDestructive marks a tool that may delete or overwrite data. It matters only for a
// tool that isn't read-only.
type IsDestructive struct{}

// DestructiveHint returns true.
func (IsDestructive) DestructiveHint() bool { return true }

// IsIdempotent marks a tool for which a repeated call with the same arguments has no
// further effect. It matters only for a tool that isn't read-only.
type IsIdempotent struct{}

// IdempotentHint returns true.
func (IsIdempotent) IdempotentHint() bool { return true }

// IsOpenWorld marks a tool that interacts with systems outside the server, such as the
// web.
type IsOpenWorld struct{}

// OpenWorldHint returns true.
func (IsOpenWorld) OpenWorldHint() bool { return true }
