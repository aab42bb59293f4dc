// Arrows draws docs/arrows.svg, a picture of the imports between the packages of this module.
//
//	go run ./docs/arrows [-print]
//
// It reads the imports of all files but tests, and omits an arrow if a chain of others implies
// it. All arrows point down. It calculates only with integers, so that the picture is the same
// on every machine. With -print, it writes the picture to stdout instead of the file.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	onlyPrint := flag.Bool("print", false, "write the picture to stdout")
	flag.Parse()
	if err := run(*onlyPrint, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "arrows:", err)
		os.Exit(1)
	}
}

// run draws the module that contains the working directory.
func run(onlyPrint bool, stdout io.Writer) error {
	root, err := findModule()
	if err != nil {
		return err
	}
	imports, err := readImports(root)
	if err != nil {
		return err
	}
	picture := draw(imports)
	if onlyPrint {
		_, err = io.WriteString(stdout, picture)
		return err
	}
	return os.WriteFile(filepath.Join(root, "docs", "arrows.svg"), []byte(picture), 0o644)
}

// draw returns the picture of a module's imports.
func draw(imports graph) string {
	l := newLayout(imports.reduced())
	l.setRows()
	l.route()
	l.arrange()
	return l.svg()
}
