package main

import (
	"maps"
	"slices"
)

// A node is a package, the caption of a group, or a place through which a long arrow passes.
type node struct {
	name   string // of a package, otherwise ""
	label  string // of a package or caption, otherwise ""
	group  group
	column int
	row    int
	index  int // in its row
	width  int
	x      int // of its middle

	up, down []*node // its neighbors in the rows above and below
}

// isCaption reports whether a node is a caption. It has no arrows.
func (n *node) isCaption() bool { return n.name == "" && n.label != "" }

// isPassed reports whether a node is a place through which an arrow passes.
func (n *node) isPassed() bool { return n.label == "" }

// rank orders the nodes of a row by column, with the caption first.
func (n *node) rank() int {
	if n.isCaption() {
		return 2 * n.column
	}
	return 2*n.column + 1
}

// An arrow leads from a package to one that it imports. It has one node in each row between.
type arrow []*node

// A layout is the position of every node.
type layout struct {
	nodes  []*node
	arrows []arrow
	rows   [][]*node
	left   [columns + 1]int // of each column; the last is the right margin
}

// newLayout returns a layout with the packages and arrows of a graph, but without positions.
func newLayout(g graph) *layout {
	l := &layout{}
	byName := map[string]*node{}
	for _, name := range slices.Sorted(maps.Keys(g)) {
		group := g.groupOf(name)
		n := &node{name: name, label: label(name, group), group: group, column: group.column()}
		n.width = textWidth(n.label) + 2*padding
		byName[name] = n
		l.nodes = append(l.nodes, n)
	}
	for _, from := range l.nodes {
		for _, to := range g[from.name] {
			l.arrows = append(l.arrows, arrow{from, byName[to]})
		}
	}
	return l
}

// A pair is two packages, one of which must be higher.
type pair struct{ high, low *node }

// setRows sets the row of each package: below all packages that import it, below the groups
// that must be higher, and so that arrows are short.
func (l *layout) setRows() {
	var pairs []pair
	for _, a := range l.arrows {
		pairs = append(pairs, pair{a[0], a[1]})
	}
	for _, low := range l.nodes {
		for _, high := range l.nodes {
			if slices.Contains(low.group.above(), high.group) {
				pairs = append(pairs, pair{high, low})
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range pairs {
			if p.low.row <= p.high.row {
				p.low.row, changed = p.high.row+1, true
			}
		}
	}
	l.lowerCommand()
	for range l.nodes {
		l.lower(pairs)
	}
	l.addCaptions()
}

// addCaptions adds a caption to the first row of each group.
func (l *layout) addCaptions() {
	first := map[group]int{}
	for _, n := range l.nodes {
		if row, seen := first[n.group]; !seen || n.row < row {
			first[n.group] = n.row
		}
	}
	for _, g := range groups() {
		if row, used := first[g]; used {
			caption, _ := g.title() // bold, and so wider than the text of a box
			l.nodes = append(l.nodes, &node{label: caption, group: g, column: g.column(), row: row, width: textWidth(caption) * 6 / 5})
		}
	}
}

// lowerCommand moves the command, which no package imports, down to one row above the lowest
// possible one.
func (l *layout) lowerCommand() {
	lowest, free := 0, 1<<30
	for _, n := range l.nodes {
		switch n.group {
		case theCommand:
			lowest = max(lowest, n.row)
		case theFoundations:
			free = min(free, n.row-2)
		default:
		}
	}
	for _, n := range l.nodes {
		if n.group == theCommand {
			n.row += max(free-lowest, 0)
		}
	}
}

// lower moves each package with more arrows down than up, or without arrows, down as far as
// possible. The app stays, since the picture is read from the top.
func (l *layout) lower(pairs []pair) {
	for _, n := range l.nodes {
		if n.group == theApp {
			continue
		}
		up, down, lowest := 0, 0, 1<<30
		for _, a := range l.arrows {
			switch n {
			case a[0]:
				down++
			case a[1]:
				up++
			}
		}
		for _, p := range pairs {
			if p.high == n {
				lowest = min(lowest, p.low.row-1)
			}
		}
		if (down > up || down+up == 0) && lowest < 1<<30 {
			n.row = lowest
		}
	}
}

// route adds a node to each row through which an arrow passes. The node is in the column of the
// arrow's target or, if that is below all columns, in the column of its source while there are
// columns.
func (l *layout) route() {
	ground := 1 << 30
	for _, n := range l.nodes {
		if n.group == theFoundations {
			ground = min(ground, n.row)
		}
	}
	for i, a := range l.arrows {
		from, to := a[0], a[1]
		passed := arrow{from}
		for row := from.row + 1; row < to.row; row++ {
			n := &node{group: from.group, column: to.column, row: row}
			if to.column == columns && row < ground {
				n.column = from.column
			}
			l.nodes = append(l.nodes, n)
			passed = append(passed, n)
		}
		l.arrows[i] = append(passed, to)
	}
	for _, a := range l.arrows {
		for i, n := range a[1:] {
			a[i].down = append(a[i].down, n)
			n.up = append(n.up, a[i])
		}
	}
	for _, n := range l.nodes {
		for len(l.rows) <= n.row {
			l.rows = append(l.rows, nil)
		}
		l.rows[n.row] = append(l.rows[n.row], n)
	}
}
