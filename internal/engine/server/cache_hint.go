package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
)

// cacheHints are the cache hints of a server and of what it has.
type cacheHints struct {
	server *Server
	hint   exchange.CacheHint // the server's own
	public string             // which hint is public first, "" if none is; the server's lock guards it
}

// set sets the hint of the server. It returns the mistakes in it.
func (c *cacheHints) set(hint *exchange.CacheHint) error {
	if hint == nil {
		return nil
	}
	c.hint = *hint
	if !hint.Public {
		return checkCacheHint(hint)
	}
	c.public = c.server.what + ": its CacheHint"
	if !hides(c.server.guardrails, chain.Call|chain.Read|chain.Get) {
		return checkCacheHint(hint)
	}
	c.hint.Public = false // so that the items, whose hint this is, don't repeat the mistake
	return errors.Join(checkCacheHint(hint),
		errors.New("its CacheHint is public, but its guardrails have a Permission, which may hide items from some clients; take Public out, or move Permission to the items that it hides"))
}

// check returns the mistakes in the hint of an item, its own or the server's. It refuses a
// public one for an item that may be hidden from some clients.
func (c *cacheHints) check(what string, thing any, hint *exchange.CacheHint, own []guardrails.Guardrail, kinds chain.Kinds) error {
	public, whose, fix := c.hint.Public, "the server's", "give it a CacheHint of its own that isn't public"
	if hint != nil {
		public, whose, fix = hint.Public, "its", "take Public out"
	}
	if public && (visibleTo(thing) != nil || hides(slices.Concat(c.server.guardrails, own), kinds)) {
		return fmt.Errorf("%s CacheHint is public, but VisibleTo or a Permission may hide %s from some clients; %s", whose, what, fix)
	}
	if public {
		c.server.lock.Lock()
		defer c.server.lock.Unlock()
		c.public = cmp.Or(c.public, fmt.Sprintf("%s: the CacheHint of %s", c.server.what, what))
	}
	return checkCacheHint(hint)
}

// orOwn returns the hint of an item, its own or the server's.
func (c *cacheHints) orOwn(hint *exchange.CacheHint) exchange.CacheHint {
	if hint != nil {
		return *hint
	}
	return c.hint
}

// PublicCacheHint says which cache hint of a server is public, "" if none is.
func PublicCacheHint(s *Server) string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.cacheHints.public
}

// checkCacheHint returns an error for a hint that nobody can mean.
func checkCacheHint(hint *exchange.CacheHint) error {
	switch {
	case hint == nil:
	case hint.TTL < 0, hint.TTL > 0 && hint.TTL < time.Millisecond:
		return fmt.Errorf("the TTL of its CacheHint is %v; it must be a millisecond or more, such as time.Hour, or 0 so that nobody reuses a result", hint.TTL)
	case hint.Public && hint.TTL == 0:
		return errors.New("its CacheHint is public, but has no TTL, so nobody may reuse a result; set TTL, such as time.Hour")
	}
	return nil
}

// hides reports whether guardrails have a permission for operations of these kinds.
func hides(list []guardrails.Guardrail, kinds chain.Kinds) bool {
	return slices.ContainsFunc(opened(list), func(g chain.Guardrail[guardrails.Operation]) bool { return g.Kinds&kinds != 0 && g.Allowed != nil })
}

// resultHint returns the cache hint of what a client has read: that of the result, or else the
// resource's. A result that depends on answers of the client may not be reused (specification:
// Caching).
func (r *resource) resultHint(ctx context.Context, k *call.Call, own *exchange.CacheHint) exchange.CacheHint {
	if m := k.Message(); m.InputResponses != nil || m.RequestState != nil {
		return exchange.CacheHint{}
	}
	hint := r.server.cacheHints.orOwn(cmp.Or(own, r.definition.CacheHint))
	hint.TTL = max(hint.TTL, 0)
	hint.Public = hint.Public && !r.hidden && r.server.core.IsAnonymous(ctx, k)
	return hint
}
