package main

// Measures of the picture, in pixels.
const (
	margin    = 20 // around everything
	padding   = 12 // between a box and its text
	inset     = 18 // between a group's box and its contents
	gap       = 16 // between neighbors of a row
	between   = 26 // between columns
	slack     = 16 // of a column, so that arrows can be straight
	boxHeight = 28
	rowHeight = 66
	groupGap  = 20 // additional space above the first row of a group
)

// textWidth returns the width of a label in the monospaced font.
func textWidth(text string) int { return (len(text)*78 + 9) / 10 }

// place sets the x of all nodes.
func (l *layout) place() {
	l.setColumns()
	for _, row := range l.rows {
		at := 0
		for i, n := range row {
			if i == 0 || n.column != row[i-1].column {
				at, _ = l.bounds(n.column)
			}
			n.x, n.index = at+n.width/2, i
			at += n.width + gap
		}
	}
	const rounds = 100
	for round := range rounds {
		for i := range l.rows {
			if round%2 == 1 {
				i = len(l.rows) - 1 - i
			}
			for from, to := 0, 0; from < len(l.rows[i]); from = to {
				for to < len(l.rows[i]) && l.rows[i][to].column == l.rows[i][from].column {
					to++
				}
				l.settle(l.rows[i][from:to])
			}
		}
	}
	for range 4 { // an arrow that moves may make room for another
		for _, a := range l.arrows {
			l.straighten(a)
		}
	}
}

// setColumns makes each column as wide as its widest row.
func (l *layout) setColumns() {
	var widths [columns]int
	for _, row := range l.rows {
		var sums [columns]int
		for _, n := range row {
			if n.column < columns {
				sums[n.column] += n.width + gap
			}
		}
		for column, sum := range sums {
			widths[column] = max(widths[column], sum-gap)
		}
	}
	at := margin
	for column, width := range widths {
		l.left[column] = at
		at += inset + width + slack + inset + between
	}
	l.left[columns] = at
}

// bounds returns the limits of the nodes of a column.
func (l *layout) bounds(column int) (left, right int) {
	if column == columns {
		return l.left[0] + inset, l.left[columns] - between - inset
	}
	return l.left[column] + inset, l.left[column+1] - between - inset
}

// settle moves the nodes of one row and column as near to the middles of their neighbors as
// their order and widths allow.
func (l *layout) settle(nodes []*node) {
	type run struct{ sum, weight, count int } // nodes that touch each other
	var runs []run
	offset, last := 0, 0
	offsets := make([]int, len(nodes))
	for i, n := range nodes {
		if i > 0 {
			offset += (last+n.width+1)/2 + gap
		}
		last, offsets[i] = n.width, offset
		wish, weight := n.wish()
		runs = append(runs, run{(wish - offset) * weight, weight, 1})
		for k := len(runs) - 1; k > 0 && runs[k-1].sum*runs[k].weight > runs[k].sum*runs[k-1].weight; k-- {
			runs[k-1] = run{runs[k-1].sum + runs[k].sum, runs[k-1].weight + runs[k].weight, runs[k-1].count + runs[k].count}
			runs = runs[:k]
		}
	}
	left, right := l.bounds(nodes[0].column)
	least, most := left+nodes[0].width/2, right-(nodes[len(nodes)-1].width+1)/2-offset
	i := 0
	for _, r := range runs {
		at := max(least, min(most, r.sum/r.weight))
		for range r.count {
			nodes[i].x = at + offsets[i]
			i++
		}
	}
}

// wish returns the desired x of a node, and its weight. Long arrows should be straight.
func (n *node) wish() (x, weight int) {
	for _, near := range [...][]*node{n.up, n.down} {
		for _, other := range near {
			w := 1
			if n.isPassed() {
				w *= 3
			}
			if other.isPassed() {
				w *= 3
			}
			x += other.x * w
			weight += w
		}
	}
	switch {
	case n.isCaption():
		return 0, 1000 // as far left as possible
	case weight == 0:
		return n.x, 1
	}
	return x / weight, weight
}

// straighten puts the places of an arrow one below the other, as near as possible to its ends.
func (l *layout) straighten(a arrow) {
	passed := a[1 : len(a)-1]
	if len(passed) == 0 {
		return
	}
	best, least := 0, 1<<30
	left, right := l.bounds(passed[0].column)
	for x := left; x <= right; x++ {
		cost := abs(x-a[0].x) + abs(x-a[len(a)-1].x)
		for _, n := range passed {
			cost += abs(x-n.x) / len(passed)
			if !l.free(n, x) {
				cost = least
				break
			}
		}
		if cost < least {
			best, least = x, cost
		}
	}
	if least == 1<<30 {
		return
	}
	for _, n := range passed {
		n.x = best
	}
}

// free reports whether a node can be at x without being too near to its neighbors.
func (l *layout) free(n *node, x int) bool {
	row := l.rows[n.row]
	for _, i := range [...]int{n.index - 1, n.index + 1} {
		if i >= 0 && i < len(row) && abs(row[i].x-x) < (row[i].width+n.width+1)/2+gap {
			return false
		}
		if i >= 0 && i < len(row) && (row[i].x < x) != (i < n.index) {
			return false
		}
	}
	return true
}

func abs(x int) int { return max(x, -x) }
