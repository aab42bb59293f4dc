// Package seam gives the framework access to the values inside its public types without
// exported methods. A public type is defined as a [Cell]:
//
//	type Request seam.Cell[request.Call]
//
// Code of the framework converts a *Request to a *Cell and gets the value. Users can't
// import this package. The public type doesn't inherit the methods of Cell, so its
// documentation shows only methods for users.
package seam

// A Cell holds a value that only the framework can access.
type Cell[T any] struct{ value T }

// Of returns a cell with a value.
func Of[T any](value T) Cell[T] { return Cell[T]{value} }

// Get returns the value.
func (c *Cell[T]) Get() *T { return &c.value }
