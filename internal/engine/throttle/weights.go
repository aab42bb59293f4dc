package throttle

import (
	"container/heap"
	"slices"
)

// Weights count units for each client, such as bytes or sessions, and find the client with
// the most. The zero value is empty.
type Weights struct {
	clients map[Key]*weight
	heap    weightHeap
}

// A weight is the number of units of one client. It is more than 0.
type weight struct {
	client Key
	units  int
	index  int // in the heap
}

// Of returns the units of a client.
func (w *Weights) Of(client Key) int {
	if have := w.clients[client]; have != nil {
		return have.units
	}
	return 0
}

// Heaviest returns the client with the most units, and their number: 0 if no client has any.
func (w *Weights) Heaviest() (client Key, units int) {
	if len(w.heap) == 0 {
		return Key{}, 0
	}
	return w.heap[0].client, w.heap[0].units
}

// Add adds units to what a client has, or subtracts them if they are negative.
func (w *Weights) Add(client Key, units int) {
	have := w.clients[client]
	if have == nil {
		if w.clients == nil {
			w.clients = map[Key]*weight{}
		}
		have = &weight{client: client}
		w.clients[client] = have
		heap.Push(&w.heap, have)
	}
	have.units += units
	if have.units > 0 {
		heap.Fix(&w.heap, have.index)
		return
	}
	heap.Remove(&w.heap, have.index)
	if delete(w.clients, client); len(w.clients) == 0 {
		w.clients = nil // a map doesn't shrink
	}
}

// A weightHeap has the heaviest client first.
type weightHeap []*weight

func (h weightHeap) Len() int           { return len(h) }
func (h weightHeap) Less(i, j int) bool { return h[i].units > h[j].units }

func (h weightHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push adds a client at the end, for package heap.
func (h *weightHeap) Push(added any) {
	w := added.(*weight)
	w.index = len(*h)
	*h = append(*h, w)
}

// Pop removes the last client, for package heap.
func (h *weightHeap) Pop() any {
	last := len(*h) - 1
	removed := (*h)[last]
	*h = slices.Delete(*h, last, last+1)
	return removed
}
