package protocol

import (
	"context"
	"errors"
	"slices"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/engine/call"
)

// An Item is the part that tools, resources, templates and prompts share.
type Item struct {
	Key        string                     // the name, or the URI
	Definition []byte                     // its JSON in a list, in the newest shape
	Visible    func(context.Context) bool // nil if everyone may see it
	Origin     string                     // the type or function that defines it, for error texts
	Operation  *call.Operation            // tools/call, resources/read or prompts/get
	CacheHint  exchange.CacheHint         // limits that of lists with the item
	Yields     bool                       // whether an item that doesn't yield replaces it

	order uint64 // its number among the registrations
}

func (i *Item) item() *Item { return i }

// visible reports whether the client may see the item.
func (i *Item) visible(ctx context.Context) bool { return i.Visible == nil || i.Visible(ctx) }

type listed interface {
	comparable
	item() *Item
}

// An itemList is a catalog of any type of item.
type itemList interface {
	visibility(ctx context.Context) string
	all(yield func(int, *Item) bool)
	named(key string) *Item
}

// A catalog holds the items of one type, in order of registration.
type catalog[T listed] struct {
	items       []T
	byKey       map[string]T
	conditional bool // whether some items are not visible to everyone
}

// ErrDuplicate is returned if an item of that name is already registered.
var ErrDuplicate = errors.New("the name is taken")

// A DuplicateError names the item that is already registered. It wraps [ErrDuplicate].
type DuplicateError struct{ Other *Item }

// Error returns the text of [ErrDuplicate].
func (e *DuplicateError) Error() string { return ErrDuplicate.Error() }

// Unwrap returns [ErrDuplicate].
func (e *DuplicateError) Unwrap() error { return ErrDuplicate }

// errAbsent is returned if the item to remove is not registered.
var errAbsent = errors.New("no item has that name")

// all yields the items.
func (c *catalog[T]) all(yield func(int, *Item) bool) {
	for i, thing := range c.items {
		if !yield(i, thing.item()) {
			return
		}
	}
}

// named returns the item with a key, visible or not, nil if there is none.
func (c *catalog[T]) named(key string) *Item {
	if thing, ok := c.byKey[key]; ok {
		return thing.item()
	}
	return nil
}

func (c catalog[T]) clone() catalog[T] {
	c.items = slices.Clone(c.items)
	c.byKey = cloneMap(c.byKey)
	return c
}

// ErrYielded is returned for an item that yields to one that is already registered.
var ErrYielded = errors.New("an item that doesn't yield has the name")

// replaces returns nil if an item replaces another of its name, and otherwise why not.
func (i *Item) replaces(other *Item) error {
	switch {
	case i.Yields && !other.Yields:
		return ErrYielded
	case other.Yields && !i.Yields:
		return nil
	}
	return &DuplicateError{other}
}

func add[T listed](c *catalog[T], thing T, order *uint64) error {
	item := thing.item()
	if other, taken := c.byKey[item.Key]; taken {
		if err := item.replaces(other.item()); err != nil {
			return err
		}
		_ = remove(c, item.Key) // it is there
	}
	*order++
	item.order = *order
	c.items = append(c.items, thing)
	c.byKey[item.Key] = thing
	c.conditional = c.conditional || item.Visible != nil
	return nil
}

func remove[T listed](c *catalog[T], key string) error {
	thing, ok := c.byKey[key]
	if !ok {
		return errAbsent
	}
	delete(c.byKey, key)
	c.items = slices.DeleteFunc(c.items, func(t T) bool { return t == thing })
	return nil
}

// same reports whether two catalogs list the same items.
func (c *catalog[T]) same(other *catalog[T]) bool { return slices.Equal(c.items, other.items) }

// find returns the item with the key if the client may see it.
func (c *catalog[T]) find(ctx context.Context, key []byte) (found T, ok bool) {
	if found, ok = c.byKey[string(key)]; !ok {
		return found, false
	}
	visible := found.item().Visible
	return found, visible == nil || visible(ctx)
}

func (c *catalog[T]) keys() []string {
	keys := make([]string, len(c.items))
	for i, thing := range c.items {
		keys[i] = thing.item().Key
	}
	return keys
}

// shown returns the keys of the items that the client may see.
func (c *catalog[T]) shown(ctx context.Context) (keys []string) {
	for _, thing := range c.items {
		if item := thing.item(); item.visible(ctx) {
			keys = append(keys, item.Key)
		}
	}
	return keys
}

// visibility returns a digit for each item: 1 if the client may see it, 0 if not. It returns
// "" if everyone may see all items.
func (c *catalog[T]) visibility(ctx context.Context) string {
	if !c.conditional {
		return ""
	}
	bits := make([]byte, len(c.items))
	for i, thing := range c.items {
		bits[i] = '0'
		if thing.item().visible(ctx) {
			bits[i] = '1'
		}
	}
	return string(bits)
}
