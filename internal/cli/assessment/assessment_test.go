package assessment_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bowline-mcp/bowline/internal/cli/assessment"
	"github.com/bowline-mcp/bowline/internal/clientrules"
)

func tool(name, description, schema string) []byte {
	return fmt.Appendf(nil, `{"name":%q,"description":%q,"inputSchema":%s}`, name, description, schema)
}

const (
	sound  = `{"type":"object","properties":{}}`
	broken = `{"type":"object","properties":{"ids":{"type":"array"}}}`
)

func TestEachClientHasAVerdict(t *testing.T) {
	t.Parallel()
	report := assessment.Of(assessment.Lists{Server: "demo", Entry: "demo", Modern: true, Tools: [][]byte{
		tool("sound", "Is sound.", sound), tool("list", "Has a list.", broken), tool("a.b", "Has a dot.", sound),
	}})
	for client, want := range map[clientrules.Client]string{
		clientrules.ClaudeCode:    "nothing [] []",
		clientrules.ClaudeDesktop: "the whole list [a.b] [tool-name-characters]",
		clientrules.Cursor:        "the tool [a.b] [tool-name-characters]",
		clientrules.VSCode:        "the tool [list] [array-without-items]",
	} {
		i := slices.IndexFunc(report.Clients, func(v assessment.Verdict) bool { return v.Client == client })
		if got := report.Clients[i]; fmt.Sprintf("%v %v %v", got.Loses, got.Tools, got.Rules) != want {
			t.Errorf("the verdict of %s is %+v, want %s", client, got, want)
		}
	}
	if len(report.Clients) != len(clientrules.Clients()) || report.Loss() != clientrules.LosesList {
		t.Errorf("the report is %+v", report)
	}
	ignoring := assessment.Of(assessment.Lists{Tools: [][]byte{tool("a.b", "Has a dot.", sound)}, Ignored: []string{"tool-name-characters"}})
	if ignoring.Loss() >= clientrules.LosesTool {
		t.Errorf("the report is %+v", ignoring)
	}
}

func TestTheSizesOfListsAreCounted(t *testing.T) {
	t.Parallel()
	report := assessment.Of(assessment.Lists{
		Tools:     [][]byte{[]byte(`{"name":"abcdefgh","description":"12345678","inputSchema":{},"outputSchema":{"a":{}},"icons":[]}`)},
		Resources: [][]byte{[]byte(`{}`), []byte(`{ }`)}, Prompts: [][]byte{[]byte(`{"name":"x"}`)},
	})
	want := []assessment.Size{{"tools", 1, 96, 6}, {List: "resources", Entries: 2, Bytes: 5}, {List: "templates"}, {List: "prompts", Entries: 1, Bytes: 12}}
	if !slices.Equal(report.Lists, want) {
		t.Errorf("the sizes are %+v", report.Lists)
	}
}

func TestToolsThatAModelCannotTellApartAreFound(t *testing.T) {
	t.Parallel()
	report := assessment.Of(assessment.Lists{Tools: [][]byte{
		tool("create", "Creates a post in the blog.", sound), tool("delete", "Deletes a post in the blog.", sound),
		tool("status", "Returns the status of an order by its number.", sound), tool("state", "By its number, returns an order status", sound),
		tool("mute", "", sound), tool("mute2", "", sound), tool("list", "List.", sound), tool("list2", "LIST", sound),
		tool("near", "one two three four five six seven eight nine", sound), tool("nearer", "one two three four five six seven eight ten", sound),
		tool("far", "a1 a2 a3 a4 a5 a6 a7 a8", sound), tool("farther", "a1 a2 a3 a4 a5 a6 a7 b8 b9", sound),
	}})
	got := fmt.Sprint(report.Undescribed)
	for _, pair := range report.Similar {
		got += fmt.Sprintf(" %s %.2f", pair.Tools, pair.Similarity)
	}
	if want := "[mute mute2] [status state] 1.00 [list list2] 1.00 [near nearer] 0.80"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

func TestTheComparisonIsBounded(t *testing.T) {
	t.Parallel()
	same := ""
	for i := range 200 {
		same += fmt.Sprintf("same%d ", i)
	}
	lists := assessment.Lists{Tools: [][]byte{tool("a", same+strings.Repeat("x ", 9), sound), tool("b", same+"y1 y2 y3 y4 y5", sound)}}
	for i := range 998 {
		lists.Tools = append(lists.Tools, tool(fmt.Sprint("t", i), fmt.Sprintf("word%d", i), sound))
	}
	lists.Tools = append(lists.Tools, tool("t997b", "word997", sound)) // the 1001st
	if got := fmt.Sprint(assessment.Of(lists).Similar); got != "[{[a b] 1}]" {
		t.Errorf("the pairs are %s", got)
	}
}

func TestAThousandToolsAreComparedInTime(t *testing.T) {
	t.Parallel()
	var lists assessment.Lists
	for i := range 3000 {
		words := strings.Repeat(fmt.Sprintf("word%d other%d ", i%40, i%30), 20) + strings.Repeat("x ", 10_000)
		lists.Tools = append(lists.Tools, tool(fmt.Sprint("t", i), words, sound))
	}
	start := time.Now()
	if report := assessment.Of(lists); len(report.Similar) != 100 {
		t.Errorf("there are %d pairs", len(report.Similar))
	}
	if took := time.Since(start); took > 20*time.Second { // a quarter of a second, if nothing else runs
		t.Errorf("it took %v", took)
	}
}
