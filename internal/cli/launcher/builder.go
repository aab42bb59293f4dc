package launcher

import "io"

// A Builder builds the program of an app, again and again if its sources change. Only one
// goroutine may use it at a time.
type Builder struct {
	root   string
	cache  *cache
	log    io.Writer
	told   bool    // whether the log says that the app is built
	inputs []input // of the last build, even if that failed
	state  string  // the stamp of the inputs when they were listed for the last build
	before func() error
}

// NewBuilder returns a builder for the app in the folder root. Build messages go to log.
func NewBuilder(root string, log io.Writer) (*Builder, error) {
	cache, err := openCache(root)
	if err != nil {
		return nil, err
	}
	b := &Builder{root: root, cache: cache, log: log, inputs: append(moduleFiles(root), input{sources, root})}
	return b, nil
}

// Program returns the path of the newest program, or "" if there is none, and whether the
// sources are unchanged since its build.
func (b *Builder) Program() (path string, fresh bool) {
	path, m := b.cache.program()
	if path == "" {
		return "", false
	}
	b.inputs, b.state = m.Inputs, m.Stamp
	return path, !b.Changed()
}

// Changed reports whether a source has changed since the last build began, whether or not
// that build succeeded.
func (b *Builder) Changed() bool { return stamp(b.inputs) != b.state }

// Before sets a step that each build begins with. It may write sources. If it fails, so does the
// build.
func (b *Builder) Before(step func() error) { b.before = step }
