//go:build !race

package questions_test

const raced = false
