package schema

import "bytes"

// names is the set of the names met in one object, to find those that are repeated. The first few cost no allocation.
type names struct {
	few   [8][]byte
	count int
	many  map[string]struct{}
}

// add reports whether the name is new.
func (n *names) add(name []byte) bool {
	if n.many != nil {
		_, known := n.many[string(name)]
		n.many[string(name)] = struct{}{}
		return !known
	}
	for _, known := range n.few[:n.count] {
		if bytes.Equal(known, name) {
			return false
		}
	}
	if n.count < len(n.few) {
		n.few[n.count] = name
		n.count++
		return true
	}
	n.many = make(map[string]struct{}, 4*len(n.few))
	for _, known := range n.few {
		n.many[string(known)] = struct{}{}
	}
	n.many[string(name)] = struct{}{}
	return true
}
