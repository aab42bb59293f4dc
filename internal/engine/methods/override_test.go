package methods_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/methods"
)

type viewer interface {
	VisibleTo(ctx context.Context) bool
}

// The base, as in package tools: its default is one level deeper than its other methods,
// so that a mixin wins.
type (
	defaults struct{}
	base     struct{ defaults }
)

//go:noinline
func (defaults) VisibleTo(context.Context) bool { return true }

func (base) Title() string { return "" }

type (
	plain          struct{ base }
	byPointer      struct{ *base }
	derived        struct{ plain }
	generic[T any] struct {
		base
		_ T
	}

	pointerReceiver struct{ base }
	valueReceiver   struct{ base }
	callsBase       struct {
		base
		open bool
	}
	onlyCallsBase     struct{ base }
	genericOwn[T any] struct {
		base
		of T
	}
	genericValue[T any] struct {
		base
		of T
	}

	Staff    struct{}
	StaffPtr struct{}
	mixed    struct {
		base
		Staff
	}
	mixedByPointer struct {
		*StaffPtr
		base
	}
	house         struct{ base } // a user's own base
	ofHouse       struct{ house }
	ofHousePtr    struct{ *house }
	ofHouseAgain  struct{ ofHouse }
	backToDefault struct {
		ofHouse
		Number
	}
	Number       int
	decorated    struct{ viewer }
	decoratedMix struct {
		base
		viewer
	}

	Deep       struct{ Staff }
	Deeper     struct{ Deep }
	Overlooked struct {
		base
		Deeper
	}
	OverlookedPtr struct {
		base
		*Deeper
	}
	Recursive struct {
		base
		*Link
	}
	Link struct {
		*Recursive
		*Link
	}
	Twice struct {
		Deep
		Staff2
		base
	}
	Staff2 struct{ StaffPtr }
)

func (*pointerReceiver) VisibleTo(context.Context) bool     { return false }
func (valueReceiver) VisibleTo(context.Context) bool        { return false }
func (c *callsBase) VisibleTo(ctx context.Context) bool     { return c.base.VisibleTo(ctx) && c.open }
func (c *onlyCallsBase) VisibleTo(ctx context.Context) bool { return c.base.VisibleTo(ctx) }
func (g *genericOwn[T]) VisibleTo(context.Context) bool     { return fmt.Sprint(g.of) == "" }
func (g genericValue[T]) VisibleTo(context.Context) bool    { return fmt.Sprint(g.of) == "" }
func (Staff) VisibleTo(context.Context) bool                { return false }
func (*StaffPtr) VisibleTo(context.Context) bool            { return false }
func (*house) VisibleTo(context.Context) bool               { return false }

func TestOverridesFindsTheDeclaringType(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		of   any
		want bool
	}{
		{"the base", &base{}, false},
		{"an embedded base", &plain{}, false},
		{"a value", plain{}, false},
		{"a base embedded by pointer", &byPointer{}, false},
		{"a base of a base", &derived{}, false},
		{"a generic type", &generic[int]{}, false},
		{"another instance of it", &generic[*string]{}, false},
		{"a type without a name", &struct{ base }{}, false},
		{"a base beside a type that embeds itself", &Recursive{}, false},

		{"a pointer receiver", &pointerReceiver{}, true},
		{"a value receiver", &valueReceiver{}, true},
		{"a value of a value receiver", valueReceiver{}, true},
		{"a method that calls the base's", &callsBase{}, true},
		{"a method that does nothing else", &onlyCallsBase{}, true},
		{"a generic type with its own", &genericOwn[int]{}, true},
		{"another instance of that", &genericOwn[*string]{}, true},
		{"a generic type with its own value receiver", &genericValue[int]{}, true},
		{"a mixin", &mixed{}, true},
		{"a mixin embedded by pointer", &mixedByPointer{}, true},
		{"a type without a name and a mixin", &struct {
			base
			Staff
		}{}, true},
		{"a user's base", &ofHouse{}, true},
		{"a user's base embedded by pointer", &ofHousePtr{}, true},
		{"a user's base two levels up", &ofHouseAgain{}, true},
		{"next to an embedded type that is not a struct", &backToDefault{}, true},
		{"an interface", &decorated{}, true},
		{"an interface beside the base", &decoratedMix{}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, ok := test.of.(viewer); !ok {
				t.Fatal("it has no such method")
			}
			if got := methods.Overrides(reflect.TypeOf(test.of), reflect.TypeFor[base](), "VisibleTo"); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// If it can't decide, the caller must call the method.
func TestOverridesIsTrueInDoubt(t *testing.T) {
	t.Parallel()
	for _, of := range []any{&Twice{}, 1, struct{}{}, &struct{ Number }{}} {
		if !methods.Overrides(reflect.TypeOf(of), reflect.TypeFor[base](), "VisibleTo") {
			t.Errorf("%T is said to have the default", of)
		}
	}
}

func TestHiddenFindsMethodsThatTheBaseWinsOver(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		of   any
		want string
	}{
		{&Overlooked{}, "[methods_test.Staff]"},
		{&OverlookedPtr{}, "[methods_test.Staff]"},
		{&plain{}, "[]"},
		{&Recursive{}, "[]"},
		{&mixed{}, "[]"},
		{&ofHouseAgain{}, "[]"},
		{&callsBase{}, "[]"},
	} {
		if got := fmt.Sprint(methods.Hidden(reflect.TypeOf(test.of), reflect.TypeFor[base](), "VisibleTo")); got != test.want {
			t.Errorf("%T: got %s, want %s", test.of, got, test.want)
		}
	}
}
