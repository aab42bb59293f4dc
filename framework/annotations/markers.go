package annotations

// IsReadOnly marks a tool that doesn't change anything.
type IsReadOnly struct{}

// ReadOnlyHint reports true.
func (IsReadOnly) ReadOnlyHint() bool { return true }

// IsDestructive marks a tool that may delete or overwrite. It means something only
// for a tool that isn't read-only.
type IsDestructive struct{}

// DestructiveHint reports true.
func (IsDestructive) DestructiveHint() bool { return true }

// IsIdempotent marks a tool for which a second call with the same arguments changes
// nothing more. It means something only for a tool that isn't read-only.
type IsIdempotent struct{}

// IdempotentHint reports true.
func (IsIdempotent) IdempotentHint() bool { return true }

// IsOpenWorld marks a tool that reaches things beyond the server's own, such as
// the web.
type IsOpenWorld struct{}

// OpenWorldHint reports true.
func (IsOpenWorld) OpenWorldHint() bool { return true }
