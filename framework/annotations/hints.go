package annotations

// Hints are the hints of a tool as they are sent (specification: ToolAnnotations).
// A nil hint was not stated.
type Hints struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// Of returns the hints that v states by its methods.
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
