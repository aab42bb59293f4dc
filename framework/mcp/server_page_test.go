package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/servers"
)

// pagedServer has 123 tools, named t000 to t122.
type pagedServer struct{ sizedServer }

func (*pagedServer) Tools() (list []servers.Tool) {
	for i := range 123 {
		list = append(list, saying(fmt.Sprintf("t%03d", i), ""))
	}
	return list
}

func paged(size, most int) *pagedServer { return &pagedServer{sizedServer{size: size, most: most}} }

// defaultPages has as many tools, and the page sizes of the base.
type defaultPages struct {
	servers.Server
	paged pagedServer
}

func (d *defaultPages) Tools() []servers.Tool { return d.paged.Tools() }

// walk follows the cursors of a list and returns the number of items of each page.
func walk(t *testing.T, p *probe, given params) (sizes []int) {
	t.Helper()
	var names []string
	for {
		definitions, next := p.ask("tools/list", given).listed()
		sizes = append(sizes, len(definitions))
		for _, definition := range definitions {
			names = append(names, definition.Name)
		}
		if next == "" {
			break
		}
		given = params{"cursor": next, "per_page": given["per_page"]}
	}
	for i, name := range names {
		if want := fmt.Sprintf("t%03d", i); name != want {
			t.Fatalf("item %d is %s", i, name)
		}
	}
	if len(names) != 123 {
		t.Errorf("the pages have %d items", len(names))
	}
	return sizes
}

func TestListsComeInPages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		server servers.Interface
		asked  any // per_page
		want   string
	}{
		{"50 by default", &defaultPages{}, nil, "[50 50 23]"},
		{"100 at most", &defaultPages{}, 1000, "[100 23]"},
		{"what the server says", paged(60, 100), nil, "[60 60 3]"},
		{"what the client asks for", paged(60, 100), 41, "[41 41 41]"},
		{"a last page that is full", paged(41, 100), nil, "[41 41 41]"},
		{"what the server allows at most", paged(20, 62), 63, "[62 61]"},
		{"one is the least", paged(100, 100), 0, "[100 23]"},
		{"a negative number is none", paged(100, 100), -5, "[100 23]"},
		{"a text is none", paged(100, 100), "20", "[100 23]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			modern := probeServer(t, mcp.Config{}, test.server)
			legacy, _ := modern.as("2025-11-25")
			for _, p := range []*probe{modern, legacy} {
				given := params{}
				if test.asked != nil {
					given["per_page"] = test.asked
				}
				if got := fmt.Sprint(walk(t, p, given)); got != test.want {
					t.Errorf("%s: the pages have %s items, want %s", p.version, got, test.want)
				}
			}
		})
	}
}

func TestACursorOfAnotherListIsRefused(t *testing.T) {
	t.Parallel()
	p := probeServer(t, mcp.Config{Key: []string{"0123456789abcdef"}}, paged(50, 100))
	other := probeServer(t, mcp.Config{Key: []string{"0123456789abcdef"}}, &defaultPages{})
	_, cursor := p.ask("tools/list", nil).listed()
	_, others := other.ask("tools/list", nil).listed()
	if cursor == "" || others == "" {
		t.Fatal("there is no second page")
	}
	flipped := []byte(cursor)
	flipped[len(flipped)/2] ^= 1
	for name, wrong := range map[string]any{
		"garbage": "garbage", "another list's": others, "changed": string(flipped), "cut short": cursor[:len(cursor)-1],
		"an offset": "50", "base64 of an offset": "eyJvZmZzZXQiOjUwfQ==", "a number": 50, "an object": params{},
	} {
		for _, version := range []string{"2026-07-28", "2025-06-18"} {
			client, _ := p.as(version)
			r := client.ask("tools/list", params{"cursor": wrong})
			if r.status != 200 || r.err == nil || r.err.Code != -32602 || !strings.HasPrefix(r.err.Message, "Invalid params: the cursor doesn't belong to this list") {
				t.Errorf("%s, %s: got %d %.200s", name, version, r.status, r.body)
			}
		}
	}
}

func TestACursorOfAnotherServerOfTheSameNameIsRefused(t *testing.T) {
	t.Parallel()
	app := mcp.New(mcp.Config{})
	app.Router.Web("/one", paged(50, 100))
	app.Router.Web("/two", paged(50, 100))
	handler, err := app.Handler()
	must(t, err)
	one, two := probeHandler(t, handler, "/one"), probeHandler(t, handler, "/two")
	_, cursor := one.ask("tools/list", nil).listed()
	if r := one.ask("tools/list", params{"cursor": cursor}); r.err != nil {
		t.Errorf("its own server returns %s", r.body)
	}
	if r := two.ask("tools/list", params{"cursor": cursor}); r.err == nil || r.err.Code != -32602 {
		t.Errorf("the other server returns %.200s", r.body)
	}
}

func TestCursorsOutliveARestartIfThereIsAKey(t *testing.T) {
	t.Parallel()
	const older, newer = "0123456789abcdef", "fedcba9876543210"
	_, cursor := probeServer(t, mcp.Config{Key: []string{older}}, paged(100, 100)).ask("tools/list", nil).listed()
	for _, test := range []struct {
		name string
		keys []string
		fine bool
	}{
		{"the same key", []string{older}, true}, {"a newer key before it", []string{newer, older}, true},
		{"another key", []string{newer}, false}, {"none, which is a random one", nil, false},
	} {
		r := probeServer(t, mcp.Config{Key: test.keys}, paged(100, 100)).ask("tools/list", params{"cursor": cursor})
		if fine := r.err == nil; fine != test.fine {
			t.Errorf("%s: got %.200s", test.name, r.body)
		} else if names := ""; fine {
			if names = r.names(); !strings.HasPrefix(names, "t100 ") || !strings.HasSuffix(names, " t122") {
				t.Errorf("%s: the page has %s", test.name, names)
			}
		}
	}
}

// pagedLibrary has resources as well.
type pagedLibrary struct{ pagedServer }

func (*pagedLibrary) Resources() []servers.Resource {
	return []servers.Resource{holding("docs://one", ""), holding("docs://{page}", "")}
}

// A cursor contains the sealed name of its list, so another process can check it too.
func TestACursorOfAnotherListIsRefusedAfterARestart(t *testing.T) {
	t.Parallel()
	start := func() *probe {
		return probeServer(t, mcp.Config{Key: []string{"0123456789abcdef"}}, &pagedLibrary{pagedServer{sizedServer{size: 100, most: 100}}})
	}
	_, cursor := start().ask("tools/list", nil).listed()
	restarted := start()
	for _, method := range []string{"resources/list", "resources/templates/list"} {
		if r := restarted.ask(method, params{"cursor": cursor}); r.err == nil || r.err.Code != -32602 {
			t.Errorf("%s: got %.200s", method, r.body)
		}
	}
	if r := restarted.ask("tools/list", params{"cursor": cursor}); !strings.HasPrefix(r.names(), "t100 ") {
		t.Errorf("its own list: got %.200s", r.body)
	}
}

// A cursor names the last item of its page, so added and removed items don't cause
// repetitions or gaps.
func TestPagesAreStableWhileToolsChange(t *testing.T) {
	t.Parallel()
	server := paged(100, 100)
	p := probeServer(t, mcp.Config{}, server)
	_, cursor := p.ask("tools/list", nil).listed()
	for _, gone := range []string{"t000", "t099", "t100", "t122"} {
		if !server.RemoveTool(gone) {
			t.Errorf("%s was not there", gone)
		}
	}
	if err := server.AddTool(saying("t123", "")); err != nil {
		t.Fatal(err)
	}
	names := p.ask("tools/list", params{"cursor": cursor}).names()
	if !strings.HasPrefix(names, "t101 t102 ") || !strings.HasSuffix(names, " t121 t123") {
		t.Errorf("the second page has %s", names)
	}
}

func TestListsAreInTheOrderOfRegistration(t *testing.T) {
	t.Parallel()
	box := boxOf(saying("zebra", ""), saying("apple", ""))
	box.boot = func(context.Context) error { return box.AddTool(saying("mango", "")) }
	p := probeServer(t, mcp.Config{}, box)
	for range 3 {
		if names := p.ask("tools/list", nil).names(); names != "zebra apple mango" {
			t.Errorf("got %s", names)
		}
	}
	box.RemoveTool("zebra")
	if err := box.AddTool(saying("zebra", "")); err != nil {
		t.Fatal(err)
	}
	if names := p.ask("tools/list", nil).names(); names != "apple mango zebra" {
		t.Errorf("got %s", names)
	}
}
