// Package seam lets the framework look into the values of its public types, which
// their users can't, without exporting anything for that. A public type is defined
// as a [Cell]:
//
//	type Request seam.Cell[request.Call]
//
// Code that may import this package converts a *Request to a *Cell and gets at what
// it holds. The methods of a Cell are not those of the public type, so the
// documentation shows only what users call.
package seam

// A Cell holds a value that only the framework reaches.
type Cell[T any] struct{ value T }

// Of returns a cell with a value.
func Of[T any](value T) Cell[T] { return Cell[T]{value} }

// Get returns the value.
func (c *Cell[T]) Get() *T { return &c.value }
