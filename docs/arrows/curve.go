package main

import "slices"

// head is the length of an arrow's head.
const head = 7

// A curve is a part of an arrow, from one place down to another. It begins and ends vertically.
type curve struct{ x, y, toX, toY int }

// curves returns the parts of an arrow, without its head.
func (a arrow) curves(tops []int) (parts []curve) {
	from, to := a[0], a[len(a)-1]
	x, y := port(from, a[1], from.down), tops[from.row]+boxHeight
	for _, n := range a[1 : len(a)-1] {
		parts = append(parts, curve{x, y, n.x, tops[n.row]}, curve{n.x, tops[n.row], n.x, tops[n.row] + boxHeight})
		x, y = n.x, tops[n.row]+boxHeight
	}
	return append(parts, curve{x, y, port(to, a[len(a)-2], to.up), tops[to.row] - head})
}

// meets reports whether a curve passes through a rectangle.
func (c curve) meets(left, top, right, bottom int) bool {
	if c.toY < top || c.y > bottom {
		return false
	}
	const steps = 64
	for t := range steps + 1 {
		s := steps - t
		// A cubic curve. Its control points are halfway down, below its beginning and above its end.
		x := (c.x*(s*s*s+3*s*s*t) + c.toX*(3*s*t*t+t*t*t)) / (steps * steps * steps)
		y := (c.y*s*s*s + (c.y+c.toY)/2*(3*s*s*t+3*s*t*t) + c.toY*t*t*t) / (steps * steps * steps)
		if x >= left && x <= right && y >= top && y <= bottom {
			return true
		}
	}
	return false
}

// port returns the x at which an arrow to or from a neighbor meets the box of a node. The
// arrows on one side are spread.
func port(n, neighbour *node, side []*node) int {
	const most = 14
	side = slices.Clone(side)
	slices.SortStableFunc(side, func(a, b *node) int { return a.x - b.x })
	step := min(most, (n.width-2*padding)/max(len(side)-1, 1))
	return n.x + step*slices.Index(side, neighbour) - step*(len(side)-1)/2
}

// hidden returns how many captions arrows cross.
func (l *layout) hidden() (count int) {
	tops, _ := l.tops()
	var curves []curve
	for _, a := range l.arrows {
		curves = append(curves, a.curves(tops)...)
	}
	for _, n := range l.nodes {
		left, right, y := n.x-n.width/2-padding/2, n.x+n.width/2+padding/2, tops[n.row]
		if n.isCaption() && slices.ContainsFunc(curves, func(c curve) bool { return c.meets(left, y, right, y+boxHeight) }) {
			count++
		}
	}
	return count
}
