// Package mistakes has what users get wrong. It does not compile: mistakes_test.go
// checks that the compiler says so, and how.
package mistakes
