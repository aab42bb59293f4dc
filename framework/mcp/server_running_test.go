package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/schema"
	"github.com/bowline-mcp/bowline/framework/tools"
)

func TestToolsAreAddedAndRemovedWhileServing(t *testing.T) {
	t.Parallel()
	box := boxOf(saying("a", "1"))
	p := probeServer(t, mcp.Config{}, box)
	if err := box.AddTool(saying("b", "2")); err != nil {
		t.Fatal(err)
	}
	if names := p.ask("tools/list", nil).names(); names != "a b" {
		t.Errorf("the list is %s", names)
	}
	if text, _ := p.call("b", nil).text(); text != "2" {
		t.Errorf("b says %q", text)
	}
	if !box.RemoveTool("a") || box.RemoveTool("a") || box.RemoveTool("none") {
		t.Error("RemoveTool does not tell whether there was one")
	}
	if names := p.ask("tools/list", nil).names(); names != "b" {
		t.Errorf("the list is %s", names)
	}
	if r := p.call("a", nil); r.err == nil || r.err.Code != -32602 {
		t.Errorf("a answers %s", r.body)
	}
	if err := box.AddTool(saying("a", "3")); err != nil {
		t.Fatal(err)
	}
	if text, _ := p.call("a", nil).text(); text != "3" {
		t.Errorf("the new a says %q", text)
	}
	box.RemoveTool("a")
	box.RemoveTool("b")
	if r := p.ask("tools/list", nil); r.err != nil || r.names() != "" || !strings.Contains(r.result, `"tools":[]`) {
		t.Errorf("an empty list is %s", r.body)
	}
}

func TestARunningCallSurvivesTheRemovalOfItsTool(t *testing.T) {
	t.Parallel()
	box := boxOf()
	box.tools = append(box.tools, doing("suicide", func(context.Context, *tools.Request) (tools.Result, error) {
		box.RemoveTool("suicide")
		return tools.Text("gone"), box.AddTool(saying("heir", ""))
	}))
	p := probeServer(t, mcp.Config{}, box)
	if text, isError := p.call("suicide", nil).text(); isError || text != "gone" {
		t.Errorf("got %q", text)
	}
	if names := p.ask("tools/list", nil).names(); names != "heir" {
		t.Errorf("the list is %s", names)
	}
}

func TestTwentyWritersAndReadersAtOnce(t *testing.T) {
	t.Parallel()
	box := boxOf(saying("anchor", "here"))
	p := probeServer(t, mcp.Config{Logger: (&logbook{}).logger()}, box)
	legacy, _ := p.as("2025-11-25")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			name := fmt.Sprintf("tool-%d", i)
			for range 20 {
				if err := box.AddTool(saying(name, name)); err != nil {
					t.Error(err)
				}
				if text, _ := p.call(name, nil).text(); text != name {
					t.Errorf("%s says %q", name, text)
				}
				if !box.RemoveTool(name) {
					t.Errorf("%s is not there", name)
				}
			}
		})
		all.Go(func() {
			for n := range 20 {
				reader := []*probe{p, legacy}[n%2]
				names := strings.Fields(reader.ask("tools/list", nil).names())
				if len(names) == 0 || names[0] != "anchor" || len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
					t.Errorf("the list is %s", names)
				}
				if text, _ := reader.call("anchor", nil).text(); text != "here" {
					t.Errorf("the anchor says %q", text)
				}
			}
		})
	}
	all.Wait()
	if names := p.ask("tools/list", nil).names(); names != "anchor" {
		t.Errorf("in the end the list is %s", names)
	}
}

func TestConcurrentAddsOfOneNameHaveOneWinner(t *testing.T) {
	t.Parallel()
	box := boxOf()
	probeServer(t, mcp.Config{}, box)
	var all sync.WaitGroup
	var won atomic.Int32
	for range 20 {
		all.Go(func() {
			if box.AddTool(saying("crown", "")) == nil {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d have won", won.Load())
	}
}

// countedTool counts how often it is registered.
type countedTool struct {
	plain
	compiled *int
}

func (c *countedTool) Schema(*schema.Object) { *c.compiled++ }

func TestAServerOnSeveralRoutesIsOne(t *testing.T) {
	t.Parallel()
	compiled, boots := 0, 0
	box := boxOf(&countedTool{compiled: &compiled})
	box.boot = func(context.Context) error {
		boots++
		return nil
	}
	app := mcp.New(mcp.Config{})
	for _, path := range []string{"/a", "/b", "/c"} {
		app.Router.Web(path, box)
	}
	app.Router.Local("demo", box)
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	if compiled != 1 || boots != 1 {
		t.Errorf("the tool was compiled %d times, and the server booted %d times", compiled, boots)
	}
	if err := box.AddTool(saying("late", "Late.")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/a", "/b", "/c"} {
		if text, _ := probeHandler(t, handler, path).call("late", nil).text(); text != "Late." {
			t.Errorf("%s: the tool returns %q", path, text)
		}
	}
	// A session belongs to its path, since another route may have other guards and name another tenant.
	legacy, _ := probeHandler(t, handler, "/a").as("2025-11-25")
	if names := legacy.ask("tools/list", nil).names(); names != "counted late" {
		t.Errorf("the list is %s", names)
	}
	legacy.path = "/b"
	if elsewhere := legacy.ask("tools/list", nil); elsewhere.status != http.StatusNotFound {
		t.Errorf("on another route, the session gets %d", elsewhere.status)
	}
}

func TestTwoServersOfOneTypeAreTwo(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Web("/a", boxOf(saying("only-a", "")))
	app.Router.Web("/b", boxOf(saying("only-b", "")))
	handler, err := app.Handler()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/a": "only-a", "/b": "only-b"} {
		if names := probeHandler(t, handler, path).ask("tools/list", nil).names(); names != want {
			t.Errorf("%s has %s", path, names)
		}
	}
}
