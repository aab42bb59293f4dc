package protocol

import (
	"context"
	"strconv"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
)

// appendCacheHint appends the members of a result that have its hint.
func appendCacheHint(b []byte, hint exchange.CacheHint) []byte {
	b = append(append(b, `,"ttlMs":`...), ttl(hint)...)
	return append(append(b, `,"cacheScope":`...), scope(hint)...)
}

func ttl(hint exchange.CacheHint) []byte {
	return strconv.AppendInt(nil, hint.TTL.Milliseconds(), 10)
}

func scope(hint exchange.CacheHint) []byte {
	if hint.Public {
		return []byte(`"public"`)
	}
	return []byte(`"private"`)
}

// IsAnonymous reports whether a request has neither a principal nor one of the usual headers with
// credentials, which middleware of the program may check without storing a principal. Only then
// may a result be public.
func (c *Core) IsAnonymous(ctx context.Context, k *call.Call) bool {
	return c.server.Principal(ctx) == "" && !hasCredentials(k)
}

func hasCredentials(k *call.Call) bool {
	r := k.Facts().HTTP
	return r != nil && (r.Header["Authorization"] != nil || r.Header["Cookie"] != nil || r.Header["X-Api-Key"] != nil)
}

// listHint returns the hint of a page. All pages of a list have the same: the shortest TTL of
// the items that the client sees, and public only if the hints of all are, and everybody sees
// the same items.
func (c *Core) listHint(items itemList, key pageKey) exchange.CacheHint {
	hint, isFirst := c.config.CacheHint, true // that of the server, if there are no items
	for i, item := range items.all {
		switch own := item.CacheHint; {
		case !key.shows(i):
		case isFirst:
			hint, isFirst = own, false
		default:
			hint = exchange.CacheHint{TTL: min(hint.TTL, own.TTL), Public: hint.Public && own.Public}
		}
	}
	hint.Public = hint.Public && key.anonymous && key.visible == ""
	return hint
}
