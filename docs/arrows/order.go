package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// attempts is how many orders are tried.
const attempts = 200

// arrange orders the nodes of each row and sets their x, so that arrows are short and few of
// them cross each other or a caption. Columns stay apart.
func (l *layout) arrange() {
	random := rand.New(rand.NewPCG(1, 2)) // the same numbers in each run
	var best [][]*node
	fewest, shortest := 1<<30, 1<<30
	for range attempts {
		for _, row := range l.rows {
			random.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
			slices.SortStableFunc(row, func(a, b *node) int { return a.rank() - b.rank() })
		}
		l.sweep()
		l.swap(random)
		crossings := l.crossings()
		if crossings > fewest { // don't waste time to place them
			continue
		}
		l.place()
		crossings += l.hidden()
		if length := l.length(); crossings < fewest || crossings == fewest && length < shortest {
			fewest, shortest, best = crossings, length, nil
			for _, row := range l.rows {
				best = append(best, slices.Clone(row))
			}
		}
	}
	l.rows = best
	l.place()
}

// length returns how far arrows go sideways. A bend of a long arrow costs more than a few
// pixels.
func (l *layout) length() (sum int) {
	const bend = 200
	for _, a := range l.arrows {
		for i, n := range a[1:] {
			sum += abs(n.x - a[i].x)
			if n.x != a[i].x && n.isPassed() && a[i].isPassed() {
				sum += bend
			}
		}
	}
	return sum
}

// sweep moves each node near the middle of its neighbors, from the top down and up again.
func (l *layout) sweep() {
	const sweeps = 8
	for sweep := range sweeps {
		for i := range l.rows {
			row := i
			if sweep%2 == 1 {
				row = len(l.rows) - 1 - i
			}
			places := l.places()
			middle := func(n *node) int {
				near := n.up
				if sweep%2 == 1 {
					near = n.down
				}
				sum := 0
				for _, other := range near {
					sum += places[other]
				}
				return sum * 1000 / max(len(near), 1)
			}
			slices.SortStableFunc(l.rows[row], func(a, b *node) int {
				return cmp.Or(a.rank()-b.rank(), middle(a)-middle(b))
			})
		}
	}
}

// places returns the place of each node in its row.
func (l *layout) places() map[*node]int {
	places := map[*node]int{}
	for _, row := range l.rows {
		for i, n := range row {
			places[n] = i
		}
	}
	return places
}

// swap exchanges neighbors of a row while that reduces crossings. In the first rounds, it also
// makes some exchanges that keep their number, which may allow a reduction later.
func (l *layout) swap(random *rand.Rand) {
	const rounds = 20
	places := l.places()
	for round, changed := 0, true; changed || round < rounds; round++ {
		changed = false
		for _, row := range l.rows {
			for i := range len(row) - 1 {
				a, b := row[i], row[i+1]
				gain := crossed(a, b, places) - crossed(b, a, places)
				if a.rank() != b.rank() || gain < 0 || gain == 0 && (round >= rounds || random.IntN(3) > 0) {
					continue
				}
				row[i], row[i+1] = b, a
				places[a], places[b] = i+1, i
				changed = changed || gain > 0
			}
		}
	}
}

// crossed returns how many arrows of two nodes cross if the first is left of the second.
func crossed(first, second *node, places map[*node]int) (crossings int) {
	for _, near := range [...][2][]*node{{first.up, second.up}, {first.down, second.down}} {
		for _, a := range near[0] {
			for _, b := range near[1] {
				if places[a] > places[b] {
					crossings++
				}
			}
		}
	}
	return crossings
}

// crossings returns how many arrows cross.
func (l *layout) crossings() (crossings int) {
	places := l.places()
	for _, row := range l.rows {
		for i, first := range row {
			for _, second := range row[i+1:] {
				crossings += crossed(&node{down: first.down}, &node{down: second.down}, places)
			}
		}
	}
	return crossings
}
