package protocol

import (
	"encoding/binary"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/bowline-mcp/bowline/internal/jsonrpc"
)

// maxPages bounds how many encoded pages a registry keeps. Lists that depend on
// who asks could otherwise fill the memory.
const maxPages = 256

// pages are the encoded results of a registry's lists, with the cursors in them. They
// go with the registry.
type pages struct {
	last atomic.Pointer[encodedPage] // the one that was asked for last, mostly the same

	lock    sync.RWMutex
	byKey   map[pageKey]*encodedPage
	cursors map[string]place // which need not be opened when they come back
}

// A place is where in a list a cursor leads.
type place struct {
	method string
	after  uint64 // the order of the item before
}

// handOut notes a cursor.
func (p *pages) handOut(cursor string, leads place) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.cursors == nil || len(p.cursors) == maxPages {
		p.cursors = map[string]place{}
	}
	p.cursors[cursor] = leads
}

// known returns where a cursor leads that was handed out for that list.
func (p *pages) known(method string, cursor []byte) (after uint64, ok bool) {
	p.lock.RLock()
	defer p.lock.RUnlock()
	leads := p.cursors[string(cursor)]
	return leads.after, leads.method == method
}

type encodedPage struct {
	key   pageKey
	bytes []byte
}

// A pageKey is all that a page depends on, apart from the registry.
type pageKey struct {
	method  string
	version Version
	visible string // a bit for each item that isn't visible to everyone
	after   uint64 // the order of the item before the first
	size    int
}

// page returns a page's bytes, encoding them the first time. The bytes follow a
// response's id: ,"result":{…}}
func (p *pages) page(key pageKey, encode func([]byte) []byte) []byte {
	if last := p.last.Load(); last != nil && last.key == key {
		return last.bytes
	}
	p.lock.RLock()
	page := p.byKey[key]
	p.lock.RUnlock()
	if page == nil {
		page = &encodedPage{key, append(encode([]byte(`,"result":`)), '}')}
		p.keep(page)
	}
	p.last.Store(page)
	return page.bytes
}

func (p *pages) keep(page *encodedPage) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.byKey == nil || len(p.byKey) == maxPages { // those that are asked for come back
		p.byKey = map[pageKey]*encodedPage{}
	}
	p.byKey[page.key] = page
}

// finishPage answers with shared bytes.
func (call *Call) finishPage(page []byte) {
	frame := jsonrpc.NewFrame()
	b := append(frame.Open(), `{"jsonrpc":"2.0","id":`...)
	frame.Close(append(b, call.Message().ID...))
	call.page[0] = page
	call.finish(OutcomeOK, http.StatusOK, frame, call.page[:]...)
}

// A listing says how the lists of one kind are written.
type listing struct {
	method    string
	member    string // of the result
	purpose   string // of the cursors
	downgrade func(definition []byte, v Version) []byte
}

// list answers a list method.
func list[T listed](c *Core, call *Call, r *Registry, things *catalog[T], how *listing) {
	m := call.Message()
	after, ok := c.openCursor(r, how, m.Cursor)
	if !ok {
		call.fail(invalidParams("Invalid params: the cursor isn't one of this list; start again without a cursor"))
		return
	}
	if c.config.List == nil {
		call.finishPage(pageOf(c, call, r, things, how, after))
		return
	}
	page, fault := c.runObject(call, func() ([]byte, *Fault) {
		return c.config.List(call, func() []byte { return pageOf(c, call, r, things, how, after) })
	})
	if fault != nil {
		call.fail(fault)
		return
	}
	call.finishPage(page)
}

// pageOf returns the page after an item, as the caller may see it.
func pageOf[T listed](c *Core, call *Call, r *Registry, things *catalog[T], how *listing, after uint64) []byte {
	key := pageKey{how.method, call.peer.Version, things.visibility(call.parent), after, c.pageSize(call.Message().PerPage)}
	return r.pages.page(key, func(b []byte) []byte {
		b = appendListHead(b, key.version, how.member)
		count, last := 0, uint64(0)
		next := ""
		for i, thing := range things.items {
			item := thing.item()
			if item.order <= after || key.visible != "" && key.visible[i] == '0' {
				continue
			}
			if count == key.size {
				next = c.config.Seal.Seal(how.purpose, binary.AppendUvarint(nil, last))
				r.pages.handOut(next, place{how.method, last})
				break
			}
			if count++; count > 1 {
				b = append(b, ',')
			}
			b = append(b, how.downgrade(item.Definition, key.version)...)
			last = item.order
		}
		return c.appendListEnd(b, key.version, next)
	})
}

// pageSize is the server's, or what the client asks for by the member per_page, up
// to the maximum. The member isn't part of MCP.
func (c *Core) pageSize(asked []byte) int {
	if asked == nil {
		return c.config.PageSize
	}
	if n, err := strconv.Atoi(string(asked)); err == nil && n > 0 {
		return min(n, c.config.MaxPageSize)
	}
	return c.config.PageSize
}

// openCursor returns the order of the last item of the page before.
func (c *Core) openCursor(r *Registry, how *listing, cursor []byte) (after uint64, ok bool) {
	if cursor == nil {
		return 0, true
	}
	text, ok := jsonrpc.Text(cursor)
	if !ok {
		return 0, false
	}
	if after, ok = r.pages.known(how.method, text); ok {
		return after, true
	}
	value, ok := c.config.Seal.Open(how.purpose, string(text))
	if !ok {
		return 0, false
	}
	after, n := binary.Uvarint(value)
	return after, n > 0
}

// appendListHead opens a list result up to its first item.
func appendListHead(b []byte, v Version, member string) []byte {
	b = append(b, '{')
	if v.Modern() {
		b = append(b, `"resultType":"complete",`...)
	}
	return append(append(append(b, '"'), member...), `":[`...)
}

// appendListEnd closes a list result. A next of "" is the end of the list.
func (c *Core) appendListEnd(b []byte, v Version, next string) []byte {
	b = append(b, ']')
	if next != "" {
		b = append(append(append(b, `,"nextCursor":"`...), next...), '"')
	}
	if v.Modern() {
		b = append(append(b, cacheHint...), c.identity.metaMember...)
	}
	return append(b, '}')
}

// cacheHint tells clients not to keep a result, and shared caches not to share it.
const cacheHint = `,"ttlMs":0,"cacheScope":"private"`
