//go:build race

package questions_test

// raced says that the race detector is on. bubbletea 2.0.2 closes its reader of the terminal
// while a goroutine of its own may still use it, so a form can't be tested with the detector.
const raced = true
