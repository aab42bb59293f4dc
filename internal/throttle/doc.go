// Package throttle limits how often each of many clients may do something, by token
// buckets of which it remembers a bounded number.
package throttle
