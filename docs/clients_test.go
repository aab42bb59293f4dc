package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/internal/clientrules"
)

// The table of the guide is that of the code.
func TestThePageOfClientsHasEachRuleWithItsSources(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/guide/clients.md")
	rules := clientrules.All()
	for _, rule := range rules {
		if row := rowOf(rule); strings.Count(page, "\n"+row+"\n") != 1 {
			t.Errorf("the page lacks\n%s", row)
		}
	}
	if got := strings.Count(page, "| `"); got < len(rules) {
		t.Errorf("the page has %d rows", got)
	}
}

// rowOf returns the row of a rule.
func rowOf(rule clientrules.Rule) string {
	clients := map[clientrules.Loss][]string{}
	for _, refusal := range rule.Refusals {
		clients[refusal.Loses] = append(clients[refusal.Loses], string(refusal.Client))
	}
	var sources []string
	for _, source := range rule.Sources {
		address := source
		if repository, number, found := strings.Cut(source, "#"); found {
			address = "https://github.com/" + repository + "/issues/" + number
		} else {
			source = strings.TrimPrefix(source, "https://")
			source, _, _ = strings.Cut(source, "/")
		}
		sources = append(sources, fmt.Sprintf("[%s](%s)", source, address))
	}
	list, tool := strings.Join(clients[clientrules.LosesList], ", "), strings.Join(clients[clientrules.LosesTool], ", ")
	if advice := clients[clientrules.LosesQuality]; advice != nil {
		return fmt.Sprintf("| `%s` | %s | %s | %s |", rule.ID, rule.Problem, strings.Join(advice, ", "), strings.Join(sources, ", "))
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s |", rule.ID, rule.Problem, list, tool, strings.Join(sources, ", "))
}
