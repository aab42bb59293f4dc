package main

import (
	"fmt"
	"strings"
)

// svg returns the picture.
func (l *layout) svg() string {
	tops, height := l.tops()
	width := l.left[columns] - between + margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n", width, height, width, height)
	b.WriteString("<title>The packages of Bowline, and which of them import which</title>\n" + style)
	fmt.Fprintf(&b, `<rect class="page" width="%d" height="%d" rx="12"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text class="title" x="%d" y="%d">The packages of Bowline</text>`+"\n", l.left[1], margin+30)
	for i, line := range [...]string{"An arrow leads from a package to one that it imports.", "Arrows that follow from others are left out."} {
		fmt.Fprintf(&b, `<text class="legend" x="%d" y="%d">%s</text>`+"\n", l.left[1], margin+56+20*i, line)
	}
	for _, n := range l.nodes {
		if n.isCaption() {
			l.writeGroup(&b, n, tops)
		}
	}
	for _, a := range l.arrows {
		writeArrow(&b, a, tops)
	}
	for _, n := range l.nodes {
		if n.name != "" {
			writeBox(&b, n, tops[n.row])
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// tops returns the y of each row, and the height of the picture.
func (l *layout) tops() (tops []int, height int) {
	begins := map[int]bool{}
	for _, n := range l.nodes {
		begins[n.row] = begins[n.row] || n.isCaption()
	}
	at := margin + inset
	for row := range l.rows {
		if row > 0 && begins[row] {
			at += groupGap
		}
		tops = append(tops, at)
		at += rowHeight
	}
	return tops, at - rowHeight + boxHeight + inset + margin
}

// writeGroup writes the box around a group, and its caption.
func (l *layout) writeGroup(b *strings.Builder, n *node, tops []int) {
	bottom := 0
	for _, other := range l.nodes {
		if other.group == n.group && other.name != "" {
			bottom = max(bottom, tops[other.row]+boxHeight+inset)
		}
	}
	left, right := l.bounds(n.column)
	left, right, top := left-inset, right+inset, tops[n.row]-inset
	fmt.Fprintf(b, `<g class="%s"><rect class="group" x="%d" y="%d" width="%d" height="%d" rx="10"/>`, n.group.class(), left, top, right-left, bottom-top)
	_, folder := n.group.title()
	x, y := n.x-n.width/2, tops[n.row]
	fmt.Fprintf(b, `<text class="caption" x="%d" y="%d">%s</text>`, x, y+11, n.label)
	fmt.Fprintf(b, `<text class="caption folder" x="%d" y="%d">%s</text></g>`+"\n", x, y+27, folder)
}

// writeArrow writes an arrow.
func writeArrow(b *strings.Builder, a arrow, tops []int) {
	curves := a.curves(tops)
	fmt.Fprintf(b, `<g class="%s"><path class="line" d="M%d %d`, a[0].group.class(), curves[0].x, curves[0].y)
	for _, c := range curves {
		if middle := (c.y + c.toY) / 2; c.x != c.toX {
			fmt.Fprintf(b, "C%d %d %d %d %d %d", c.x, middle, c.toX, middle, c.toX, c.toY)
		} else {
			fmt.Fprintf(b, "V%d", c.toY)
		}
	}
	end := curves[len(curves)-1]
	fmt.Fprintf(b, `"/><path class="head" d="M%d %dl-4 -%dh8z"/></g>`+"\n", end.toX, end.toY+head, head+1)
}

// writeBox writes the box of a package.
func writeBox(b *strings.Builder, n *node, top int) {
	fmt.Fprintf(b, `<g class="%s"><title>%s</title>`, n.group.class(), n.name)
	fmt.Fprintf(b, `<rect class="box" x="%d" y="%d" width="%d" height="%d" rx="6"/>`, n.x-n.width/2, top, n.width, boxHeight)
	fmt.Fprintf(b, `<text class="label" x="%d" y="%d">%s</text></g>`+"\n", n.x, top+19, n.label)
}
