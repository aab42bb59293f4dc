package protocol

import "github.com/bowline-mcp/bowline/internal/engine/changes"

// VisibilityChanged notifies all clients that they may see other items than before.
func (r *Registry) VisibilityChanged() { r.announce(changes.Change{}) }

// VisibilityChangedFor notifies the clients of the principal with an ID, which is "" for anonymous
// clients.
func (r *Registry) VisibilityChangedFor(principal string) {
	r.announce(changes.Change{Private: true, Principal: principal})
}

// announce publishes a change of the lists that have items which not everyone may see. The other
// lists are the same for all clients.
func (r *Registry) announce(change changes.Change) {
	if !r.serving.Load() {
		return
	}
	s := r.current.Load()
	for _, list := range []struct {
		kind        changes.ChangeKind
		conditional bool
	}{
		{changes.ToolsChanged, s.tools.conditional},
		{changes.PromptsChanged, s.prompts.conditional},
		{changes.ResourcesChanged, s.resources.conditional || s.templates.conditional},
	} {
		if list.conditional {
			change.Kind = list.kind
			r.feed.Publish(change)
		}
	}
}
