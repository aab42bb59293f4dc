package docs_test

import (
	"strings"
	"testing"
)

// A coding agent copies the form of the tool and of its test from the skill.
func TestTheToolOfTheSkillPassesItsTest(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, b := range blocks("docs/skills/bowline/SKILL.md", read(t, "docs/skills/bowline/SKILL.md")) {
		if name := b.file(); name != "" {
			files[name] = strings.ReplaceAll(b.text, `"example.com/shop/app/`, `"github.com/bowline-mcp/bowline/app/`)
		}
	}
	if files["order_status_tool.go"] == "" || files["order_status_tool_test.go"] == "" {
		t.Fatal("the skill has no order_status_tool.go with order_status_tool_test.go")
	}
	testTools(t, "TestOrderStatusTool", files)
}
