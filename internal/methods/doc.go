// Package methods finds out by reflection what the methods of a type mean to the framework: whether a type overrides a
// method of the base that it embeds, and whether a method is misspelt, so that nobody calls it.
//
// The framework works these out once, when a thing is registered.
package methods
