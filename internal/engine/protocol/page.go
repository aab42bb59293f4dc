package protocol

import (
	"context"
	"encoding/binary"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/json/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// pages caches the encoded pages of a snapshot's lists. Without it, a list of one tool takes
// 1.8 times as long.
type pages struct {
	last atomic.Pointer[Page] // most requests want the same page; saves 5 % of a list

	lock  sync.RWMutex
	byKey map[pageKey]*Page
}

// A pageKey contains everything on which a page of a snapshot depends.
type pageKey struct {
	method    string
	version   spec.Version
	visible   string // see catalog.visibility
	known     bool   // whether the principal is known
	anonymous bool   // see Core.IsAnonymous
	after     uint64 // the order of the item before the first
	size      int
}

// shows reports whether the client sees the item with an index.
func (k *pageKey) shows(i int) bool { return k.visible == "" || k.visible[i] == '1' }

// page returns a page. It encodes the page on the first request.
func (p *pages) page(key pageKey, encode func() []byte) *Page {
	if last := p.last.Load(); last != nil && last.key == key {
		return last
	}
	p.lock.RLock()
	page := p.byKey[key]
	p.lock.RUnlock()
	if page == nil {
		page = &Page{key, append(encode(), '}')}
		p.keep(page)
	}
	p.last.Store(page)
	return page
}

func (p *pages) keep(page *Page) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.byKey == nil || len(p.byKey) == limits.MaxPages { // pages that are still in use are encoded again
		p.byKey = map[pageKey]*Page{}
	}
	p.byKey[page.key] = page
}

// A listing describes the lists of one type of item.
type listing struct {
	method    string
	member    string // the list in the result
	purpose   string // what its cursors are bound to; see listing.cursors
	downgrade func(definition []byte, v spec.Version) []byte
	items     func(*snapshot) itemList
}

// cursors returns the purpose of the cursors of anonymous principals, or of known ones. The
// cursors of an open route are not valid at a guarded route of the same server.
func (l *listing) cursors(known bool) string {
	if known {
		return l.purpose + " of a principal"
	}
	return l.purpose
}

// lister returns the function that returns the pages of a list.
func (c *Core) lister(method, member string, downgrade func([]byte, spec.Version) []byte, items func(*snapshot) itemList) Do {
	how := &listing{method, member, "cursor of " + c.server.Scope + " " + member, downgrade, items}
	return func(ctx context.Context, k *call.Call) (call.Result, error) {
		s, known := c.current.Load(), c.server.Principal(ctx) != ""
		after, ok := c.openCursor(how, s, known, k.Message().Cursor)
		if !ok {
			return nil, fault.InvalidParams("the cursor doesn't belong to this list; start again without a cursor")
		}
		anonymous := !known && !hasCredentials(k)
		key := pageKey{method, k.Facts().Version, items(s).visibility(ctx), known, anonymous, after, c.pageSize(k.Message().PerPage)}
		return s.pages.page(key, func() []byte { return c.encodePage(s, how, key) }), nil
	}
}

// encodePage encodes the page with a key.
func (c *Core) encodePage(s *snapshot, how *listing, key pageKey) []byte {
	b := appendListHead(nil, key.version, how.member)
	count, last := 0, (*Item)(nil)
	next := ""
	for i, item := range how.items(s).all {
		if item.order <= key.after || !key.shows(i) {
			continue
		}
		if count == key.size {
			next = c.server.Seal.Seal(how.cursors(key.known), append(binary.AppendUvarint(nil, last.order), last.Key...))
			break
		}
		if count++; count > 1 {
			b = append(b, ',')
		}
		b = append(b, how.downgrade(item.Definition, key.version)...)
		last = item
	}
	return c.appendListEnd(b, key.version, next, c.listHint(how.items(s), key))
}

// pageSize returns the server's page size, or the size that the client requests by the member
// per_page, up to the maximum. The member isn't part of MCP.
func (c *Core) pageSize(asked []byte) int {
	if asked == nil {
		return c.config.PageSize
	}
	if n, err := strconv.Atoi(string(asked)); err == nil && n > 0 {
		return min(n, c.config.MaxPageSize)
	}
	return c.config.PageSize
}

// openCursor returns the order of the last item on the page before the cursor. The cursor has
// the key of the item, since another process may have registered the items in another order. It
// has the order for an item that was removed meanwhile.
func (c *Core) openCursor(how *listing, s *snapshot, known bool, cursor []byte) (after uint64, ok bool) {
	if cursor == nil || string(cursor) == `""` { // some clients send an empty cursor for the first page
		return 0, true
	}
	text, ok := jsonrpc.Text(cursor)
	if !ok {
		return 0, false
	}
	value, ok := c.server.Seal.Open(how.cursors(known), string(text))
	if !ok {
		return 0, false
	}
	after, n := binary.Uvarint(value)
	if n <= 0 {
		return 0, false
	}
	if last := how.items(s).named(string(value[n:])); last != nil {
		after = last.order
	}
	return after, true
}

// appendListHead appends a list result up to its first item.
func appendListHead(b []byte, v spec.Version, member string) []byte {
	b = append(b, '{')
	if v.Modern() {
		b = append(b, `"resultType":"complete",`...)
	}
	return append(append(append(b, '"'), member...), `":[`...)
}

// appendListEnd appends the end of a list result. Next is the cursor, "" at the end.
func (c *Core) appendListEnd(b []byte, v spec.Version, next string, hint exchange.CacheHint) []byte {
	b = append(b, ']')
	if next != "" {
		b = append(append(append(b, `,"nextCursor":"`...), next...), '"')
	}
	if v.Modern() {
		b = c.server.Info.AppendMeta(appendCacheHint(b, hint), v, nil)
	}
	return append(b, '}')
}
