package protocol_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
)

func TestAChangeOfVisibilityConcernsTheListsThatDependOnIt(t *testing.T) {
	t.Parallel()
	const tools, prompts, resources = "toolsListChanged", "promptsListChanged", "resourcesListChanged"
	hiddenTool, hiddenTemplate := tool("vault"), templateOf("users://")
	hiddenTool.Visible, hiddenTemplate.Visible = ann, ann
	hiddenPrompt, hiddenResource := &protocol.Prompt{Item: item("p", `{}`)}, &protocol.Resource{Item: item("a://b", `{}`)}
	hiddenPrompt.Visible, hiddenResource.Visible = ann, ann
	for name, test := range map[string]struct {
		items []any
		want  []string
	}{
		"nothing":            {nil, nil},
		"what everyone sees": {[]any{tool("echo"), &protocol.Prompt{Item: item("q", `{}`)}, &protocol.Resource{Item: item("c://d", `{}`)}}, nil},
		"a tool":             {[]any{tool("echo"), hiddenTool}, []string{tools}},
		"a prompt":           {[]any{tool("echo"), hiddenPrompt}, []string{prompts}},
		"a resource":         {[]any{hiddenResource}, []string{resources}},
		"a template":         {[]any{hiddenTemplate}, []string{resources}},
		"all":                {[]any{hiddenTemplate, hiddenResource, hiddenPrompt, hiddenTool}, []string{tools, prompts, resources}},
	} {
		w := newWorld(t).add(t, test.items...)
		var heard []string
		w.Feed().Listen(func(change changes.Change) {
			heard = append(heard, fmt.Sprint(change.Topic.Filter, change.Private, change.Principal))
		})
		w.VisibilityChanged()
		w.VisibilityChangedFor("ann")
		if heard != nil {
			t.Errorf("%s: before the server is open, %v is published", name, heard)
		}
		w.Opened()
		w.VisibilityChanged()
		w.VisibilityChangedFor("ann")
		var want []string
		for _, kind := range test.want {
			want = append(want, fmt.Sprint(kind, false, ""))
		}
		for _, kind := range test.want {
			want = append(want, fmt.Sprint(kind, true, "ann"))
		}
		if !slices.Equal(heard, want) {
			t.Errorf("%s: %v is published, want %v", name, heard, want)
		}
	}
}
