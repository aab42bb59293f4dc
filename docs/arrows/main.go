// Arrows draws docs/arrows.svg, a picture of the imports between the packages of this module.
//
//	go run ./docs/arrows
//
// It reads the imports of all files but tests, and omits an arrow if a chain of others implies
// it. All arrows point down. It calculates only with integers, so that the picture is the same
// on every machine.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "arrows:", err)
		os.Exit(1)
	}
}

// run draws the module that contains the working directory.
func run() error {
	root, err := findModule()
	if err != nil {
		return err
	}
	imports, err := readImports(root)
	if err != nil {
		return err
	}
	return os.WriteFile(picture(root), []byte(draw(imports)), 0o644)
}

// picture returns the path of the picture of the module in the folder root.
func picture(root string) string { return filepath.Join(root, "docs", "arrows.svg") }

// draw returns the picture of a module's imports.
func draw(imports graph) string {
	l := newLayout(imports.reduced())
	l.setRows()
	l.route()
	l.arrange()
	return l.svg()
}
