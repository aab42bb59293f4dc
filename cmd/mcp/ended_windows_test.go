package main

import "github.com/rogpeppe/go-internal/testscript"

// ended FILE: waits until the processes whose IDs are in a file have ended. No script does that on Windows.
func ended(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("ended is for Unix") }
