package guardrails

import "strings"

// A Kind is what an operation does.
type Kind uint8

// The kinds of operations, with the methods of the specification.
const (
	Call     Kind = iota // a tool: tools/call
	Read                 // a resource: resources/read
	Get                  // a prompt: prompts/get
	List                 // one of the four lists, such as tools/list
	Complete             // an argument or a variable: completion/complete
)

// String returns the name of the kind, such as "call".
func (k Kind) String() string {
	switch k {
	case Call:
		return "call"
	case Read:
		return "read"
	case Get:
		return "get"
	case List:
		return "list"
	case Complete:
		return "complete"
	}
	return "unknown"
}

// kinds is a set of kinds, a bit each.
type kinds uint8

// all is every kind.
const all = kinds(1<<Call | 1<<Read | 1<<Get | 1<<List | 1<<Complete)

func setOf(list ...Kind) (set kinds) {
	for _, kind := range list {
		set |= 1 << kind
	}
	return set
}

func (s kinds) has(kind Kind) bool { return s&(1<<kind) != 0 }

// String lists the kinds for a message.
func (s kinds) String() string {
	var names []string
	for kind := Call; kind <= Complete; kind++ {
		if s.has(kind) {
			names = append(names, kind.String())
		}
	}
	return strings.Join(names, ", ")
}
