package main

import "strings"

// A group is a set of packages in one box.
type group int

// The groups. Those of one column are in this order, from the top.
const (
	theApp group = iota
	theVocabulary
	theEntryPoints
	theEngine
	theCommand
	theFoundations
)

// columns is the number of columns. The foundations are below all of them.
const columns = 3

// groups returns all groups.
func groups() []group {
	return []group{theApp, theVocabulary, theEntryPoints, theEngine, theCommand, theFoundations}
}

// column returns the column of a group, from the left.
func (g group) column() int {
	switch g {
	case theApp, theVocabulary:
		return 0
	case theEntryPoints, theEngine:
		return 1
	case theCommand:
		return 2
	default:
		return columns
	}
}

// above returns the groups that must be entirely higher.
func (g group) above() []group {
	switch g {
	case theVocabulary:
		return []group{theApp, theEntryPoints}
	case theEngine:
		return []group{theApp, theEntryPoints} // so that it begins at the height of the vocabulary
	case theFoundations:
		return []group{theApp, theVocabulary, theEntryPoints, theEngine, theCommand}
	default:
		return nil
	}
}

// class returns the name of the group's style.
func (g group) class() string {
	return [...]string{"app", "words", "entry", "engine", "command", "ground"}[g]
}

// title returns the caption of the group's box, and the folder that its labels omit.
func (g group) title() (caption, folder string) {
	switch g {
	case theApp:
		return "the app", ""
	case theVocabulary:
		return "the vocabulary", "framework/"
	case theEntryPoints:
		return "the entry points", "framework/"
	case theEngine:
		return "the engine", "internal/"
	case theCommand:
		return "the command", ""
	default:
		return "foundations", "internal/"
	}
}

// label returns the text of a package's box.
func label(name string, g group) string {
	_, folder := g.title()
	if name == "." {
		return "main"
	}
	return strings.TrimPrefix(name, folder)
}

// groupOf returns the group of a package. An internal package that only the command imports,
// directly or not, belongs to the command. It belongs to the foundations if the vocabulary, or
// the command and others, import it. If it also imports a package of the vocabulary, it belongs
// to the vocabulary. Any other belongs to the engine.
func (g graph) groupOf(name string) group {
	first, _, _ := strings.Cut(name, "/")
	switch {
	case first == "framework" && (name == "framework/mcp" || g.reaches(name, "framework/mcp")):
		return theEntryPoints
	case first == "framework":
		return theVocabulary
	case first == "cmd" || first == "stubs":
		return theCommand
	case first != "internal":
		return theApp
	}
	command, vocabulary, others := false, false, false
	for other := range g {
		switch {
		case !g.reaches(other, name):
		case strings.HasPrefix(other, "cmd/"):
			command = true
		case !strings.HasPrefix(other, "framework/"):
		case other == "framework/mcp" || g.reaches(other, "framework/mcp"):
			others = true
		default:
			vocabulary = true
		}
	}
	switch {
	case command && !vocabulary && !others:
		return theCommand
	case !command && !vocabulary:
		return theEngine
	}
	for imported := range g {
		if strings.HasPrefix(imported, "framework/") && g.reaches(name, imported) {
			return theVocabulary
		}
	}
	return theFoundations
}
