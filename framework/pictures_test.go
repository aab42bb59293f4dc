package framework_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "draw the pictures of docs/architecture.md anew")

// TestPicturesShowTheImports checks the pictures in docs/architecture.md. "make arrows" draws them.
func TestPicturesShowTheImports(t *testing.T) {
	t.Parallel()
	const file = "../docs/architecture.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	imports := importsOf(sources(t))
	pictures := map[string]string{"groups": pictureOfGroups()}
	for _, g := range groups {
		pictures[g.name] = imports.within(g.name).picture()
	}
	picture := regexp.MustCompile("(?s)<!-- picture: ([^>]*) -->\n```mermaid\n.*?```\n(\nWithout arrows: [^\n]*\n)?")
	drawn := picture.ReplaceAllStringFunc(string(text), func(found string) string {
		name := picture.FindStringSubmatch(found)[1]
		return "<!-- picture: " + name + " -->\n```mermaid\n" + pictures[name]
	})
	if *update {
		if err := os.WriteFile(file, []byte(drawn), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if drawn != string(text) {
		t.Error("the pictures in docs/architecture.md don't show the imports of today; run: make arrows")
	}
	for _, name := range []string{"groups", "app", "vocabulary", "authorization", "stores", "engine", "JSON", "command"} {
		if strings.Count(drawn, "<!-- picture: "+name+" -->\n```mermaid\n") != 1 {
			t.Errorf("docs/architecture.md doesn't have the picture of %s once", name)
		}
	}
}

func TestImpliedImportsAreOmitted(t *testing.T) {
	t.Parallel()
	g := graph{"a": {"b", "c", "d"}, "b": {"c"}, "c": {"d"}, "d": nil, "e": {"d"}}
	want := graph{"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": nil, "e": {"d"}}
	if got := g.reduced(); !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A graph maps packages or groups to what they import.
type graph map[string][]string

// pictureOfGroups returns the picture of the groups that a program or the command links. A dotted arrow leads to single packages of a group,
// or comes from single packages.
func pictureOfGroups() string {
	whole, single := graph{}, graph{}
	var b strings.Builder
	b.WriteString("%%{init: {\"flowchart\": {\"rankSpacing\": 25, \"padding\": 8}}}%%\nflowchart TD\n")
	for _, g := range groups {
		if slices.Contains([]string{"tests", "programs", "examples"}, g.name) {
			continue
		}
		var members []string
		for _, member := range g.members {
			members = append(members, strings.NewReplacer("/...", "/…", ".", "main").Replace(member))
		}
		fmt.Fprintf(&b, "  %s[\"<b>%s</b><br>%s\"]\n", identifier(g.name), g.name, strings.Join(members, ", "))
		whole[g.name] = nil
		for _, may := range g.may {
			if of := groupOf(may).name; of == "" {
				whole[g.name] = append(whole[g.name], may)
			} else {
				single[g.name] = append(single[g.name], of)
			}
		}
	}
	for folder, more := range exceptions {
		for _, may := range more {
			if of := groupOf(may).name; of != "" {
				may = of
			}
			from := groupOf(folder).name
			single[from] = append(single[from], may)
		}
	}
	whole = whole.reduced()
	for _, g := range groups {
		if _, drawn := whole[g.name]; drawn {
			b.WriteString(arrows(g.name, " --> ", whole[g.name]))
			b.WriteString(arrows(g.name, " -.-> ", single[g.name]))
		}
	}
	return b.String() + "```\n"
}

// picture returns the picture of the packages of a group, from the left, since most groups have more packages beside each other than in a
// chain. A line below names the packages that import no other of the group, and that none imports.
func (g graph) picture() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	var lines, alone []string
	reduced := g.reduced()
	for _, folder := range slices.Sorted(maps.Keys(g)) {
		imported := func(others []string) bool { return slices.Contains(others, folder) }
		if len(g[folder]) == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(g)), imported) {
			alone = append(alone, labelOf(folder))
			continue
		}
		fmt.Fprintf(&b, "  %s[%s]\n", identifier(folder), labelOf(folder))
		lines = append(lines, arrows(folder, " --> ", reduced[folder]))
	}
	b.WriteString(strings.Join(lines, ""))
	b.WriteString("```\n")
	if len(alone) > 0 {
		fmt.Fprintf(&b, "\nWithout arrows: `%s`.\n", strings.Join(alone, "`, `"))
	}
	return b.String()
}

// arrows returns a line with the arrows that come from one box, or "" if none does.
func arrows(from, arrow string, to []string) string {
	if len(to) == 0 {
		return ""
	}
	var names []string
	for _, name := range slices.Sorted(slices.Values(to)) {
		names = append(names, identifier(name))
	}
	return "  " + identifier(from) + arrow + strings.Join(slices.Compact(names), " & ") + "\n"
}

// identifier returns a box's name in arrows. It is never one of Mermaid's own words, such as call.
func identifier(name string) string {
	return regexp.MustCompile(`\W`).ReplaceAllString(labelOf(name), "_") + "_"
}

// labelOf returns the name of a package in the picture of its group.
func labelOf(folder string) string {
	for _, prefix := range []string{"internal/engine/", "internal/json/", "internal/cli/", "internal/", "framework/"} {
		if label, ok := strings.CutPrefix(folder, prefix); ok {
			return label
		}
	}
	return strings.Replace(folder, ".", "main", 1) // the root
}

// within returns the imports between the packages of a group. The package framework only has documentation.
func (g graph) within(group string) graph {
	found := graph{}
	for folder, imported := range g {
		if groupOf(folder).name == group && folder != "framework" {
			found[folder] = slices.DeleteFunc(slices.Clone(imported), func(to string) bool { return groupOf(to).name != group })
		}
	}
	return found
}

// reaches reports whether a package imports another, directly or not.
func (g graph) reaches(from, to string) bool {
	return slices.ContainsFunc(g[from], func(next string) bool { return next == to || g.reaches(next, to) })
}

// reduced returns the graph without the imports that a chain of others implies.
func (g graph) reduced() graph {
	reduced := graph{}
	for from, imported := range g {
		reduced[from] = slices.DeleteFunc(slices.Clone(imported), func(to string) bool {
			return slices.ContainsFunc(imported, func(other string) bool { return g.reaches(other, to) })
		})
	}
	return reduced
}
