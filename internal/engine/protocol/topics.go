package protocol

import (
	"context"

	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// topics are what changes on every server: its lists, and the contents of its resources.
type topics struct{ tools, prompts, resources, contents *changes.Topic }

// newTopics returns the topics of a registry.
func newTopics(r *Registry) topics {
	return topics{
		tools:     &changes.Topic{Notification: "notifications/tools/list_changed", Filter: "toolsListChanged"},
		prompts:   &changes.Topic{Notification: "notifications/prompts/list_changed", Filter: "promptsListChanged"},
		resources: &changes.Topic{Notification: "notifications/resources/list_changed", Filter: "resourcesListChanged"}, // and of templates
		contents: &changes.Topic{
			Notification: "notifications/resources/updated", Filter: "resourceSubscriptions", Key: "uri", Normalize: naming.NormalizeURI,
			Visible: func(ctx context.Context, uri string) bool { return r.current.Load().readable(ctx, uri) },
		},
	}
}

// Contents returns the topic of the contents of resources.
func (r *Registry) Contents() *changes.Topic { return r.topics.contents }

// Feed returns the feed of the server's changes.
func (r *Registry) Feed() *changes.Feed { return r.feed }

// Publish publishes a change, unless the server is still being set up.
func (r *Registry) Publish(change changes.Change) {
	if r.serving.Load() {
		r.feed.Publish(change)
	}
}

// AppendChange appends the notification of a change to the client of a request. It returns nil if
// the client may not know of it. Subscription is the raw id of the client's subscription, nil
// for older clients.
func (c *Core) AppendChange(ctx context.Context, dst []byte, change changes.Change, subscription []byte) []byte {
	appended, err := change.AppendNotification(ctx, dst, subscription)
	if err != nil {
		c.server.Logger.ErrorContext(ctx, "a client is not notified of a change, since the params of the notification failed",
			"notification", change.Topic.Notification, "key", change.Key, "error", err)
		return nil
	}
	return appended
}

// ResourceUpdated notifies the subscribers of a resource that its contents have changed. It
// reports false if there is no such resource.
func (r *Registry) ResourceUpdated(uri string) bool {
	if !r.current.Load().exists(uri) {
		return false
	}
	r.Publish(changes.Change{Topic: r.topics.contents, Key: uri})
	return true
}

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
	s := r.current.Load()
	for _, list := range []struct {
		topic       *changes.Topic
		conditional bool
	}{
		{r.topics.tools, s.tools.conditional},
		{r.topics.prompts, s.prompts.conditional},
		{r.topics.resources, s.resources.conditional || s.templates.conditional},
	} {
		if list.conditional {
			change.Topic = list.topic
			r.Publish(change)
		}
	}
}
