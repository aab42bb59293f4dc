package protocol_test

import (
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
)

func TestAChangeOfVisibilityConcernsTheListsThatDependOnIt(t *testing.T) {
	t.Parallel()
	const tools, prompts, resources = changes.ToolsChanged, changes.PromptsChanged, changes.ResourcesChanged
	hiddenTool, hiddenTemplate := tool("vault"), templateOf("users://")
	hiddenTool.Visible, hiddenTemplate.Visible = ann, ann
	hiddenPrompt, hiddenResource := &protocol.Prompt{Item: item("p", `{}`)}, &protocol.Resource{Item: item("a://b", `{}`)}
	hiddenPrompt.Visible, hiddenResource.Visible = ann, ann
	for name, test := range map[string]struct {
		items []any
		want  []changes.ChangeKind
	}{
		"nothing":            {nil, nil},
		"what everyone sees": {[]any{tool("echo"), &protocol.Prompt{Item: item("q", `{}`)}, &protocol.Resource{Item: item("c://d", `{}`)}}, nil},
		"a tool":             {[]any{tool("echo"), hiddenTool}, []changes.ChangeKind{tools}},
		"a prompt":           {[]any{tool("echo"), hiddenPrompt}, []changes.ChangeKind{prompts}},
		"a resource":         {[]any{hiddenResource}, []changes.ChangeKind{resources}},
		"a template":         {[]any{hiddenTemplate}, []changes.ChangeKind{resources}},
		"all":                {[]any{hiddenTemplate, hiddenResource, hiddenPrompt, hiddenTool}, []changes.ChangeKind{tools, prompts, resources}},
	} {
		w := newWorld(t).add(t, test.items...)
		var heard []changes.Change
		w.Feed().Listen(func(change changes.Change) { heard = append(heard, change) })
		w.VisibilityChanged()
		w.VisibilityChangedFor("ann")
		if heard != nil {
			t.Errorf("%s: before the server is open, %v is published", name, heard)
		}
		w.Opened()
		w.VisibilityChanged()
		w.VisibilityChangedFor("ann")
		var want []changes.Change
		for _, kind := range test.want {
			want = append(want, changes.Change{Kind: kind})
		}
		for _, kind := range test.want {
			want = append(want, changes.Change{Kind: kind, Private: true, Principal: "ann"})
		}
		if !slices.Equal(heard, want) {
			t.Errorf("%s: %v is published, want %v", name, heard, want)
		}
	}
}
