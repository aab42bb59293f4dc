package mcp_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bowline-mcp/bowline/framework/mcp"
)

// olderVersions are the versions with a handshake.
func olderVersions() []string {
	return []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
}

// A firstItem is added to an empty server at run time.
type firstItem struct {
	list   string // whose change is announced
	add    func(*toolbox) error
	method string // of the list that has the item
	want   string // the key of the item in the list
}

// eachFirstItem runs a test for each kind of item, on an empty server of its own.
func eachFirstItem(t *testing.T, test func(t *testing.T, box *toolbox, first firstItem)) {
	t.Parallel()
	for name, first := range map[string]firstItem{
		"tool":     {"tools", func(b *toolbox) error { return b.AddTool(saying("first", "")) }, "tools/list", `"name":"first"`},
		"prompt":   {"prompts", func(b *toolbox) error { return b.AddPrompt(wirePrompt("first", saysPrompt(""))) }, "prompts/list", `"name":"first"`},
		"resource": {"resources", func(b *toolbox) error { return b.AddResource(wireResource("first://a", saysResource(""))) }, "resources/list", `"uri":"first://a"`},
		"template": {"resources", func(b *toolbox) error { return b.AddResource(wireResource("first://{a}", saysResource(""))) }, "resources/templates/list", `"uriTemplate":"first://{a}"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, boxOf(), first) })
		})
	}
}

func TestTheFirstItemReachesAClientThatListens(t *testing.T) {
	const all = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`
	eachFirstItem(t, func(t *testing.T, box *toolbox, first firstItem) {
		handler := wireHandler(t, mcp.Config{}, box)
		l, only := listenTo(t, handler, `1`, all), listenTo(t, handler, `2`, `{"`+first.list+`ListChanged":true}`)
		l.hears(t, "at first", acknowledged(`1`, all))
		only.hears(t, "at first", acknowledged(`2`, `{"`+first.list+`ListChanged":true}`))
		must(t, first.add(box))
		l.hears(t, "the first item", listChanged(`1`, first.list))
		only.hears(t, "the first item", listChanged(`2`, first.list))
		l.hangUp()
		only.hangUp()
		synctest.Wait()
	})
}

func TestTheFirstItemReachesAClientThatListensOnStdio(t *testing.T) {
	eachFirstItem(t, func(t *testing.T, box *toolbox, first firstItem) {
		p := startPipeline(t, mcp.Config{}, box)
		p.send(t, listenMessage(`1`, `{"`+first.list+`ListChanged":true}`))
		p.gets(t, acknowledged(`1`, `{"`+first.list+`ListChanged":true}`))
		must(t, first.add(box))
		p.gets(t, listChanged(`1`, first.list))
	})
}

func TestTheFirstItemReachesAnOlderClientOnStdio(t *testing.T) {
	eachFirstItem(t, func(t *testing.T, box *toolbox, first firstItem) {
		for _, version := range olderVersions() {
			box := boxOf()
			p := startPipeline(t, mcp.Config{}, box)
			p.greet(t, version)
			p.silent(t)
			must(t, first.add(box))
			p.gets(t, told(first.list+"/list_changed"))
		}
	})
}

func TestTheFirstItemReachesAnOlderClientOverHTTP(t *testing.T) {
	eachFirstItem(t, func(t *testing.T, _ *toolbox, first firstItem) {
		for _, version := range olderVersions() {
			box := boxOf()
			client := (&wireClient{handler: wireHandler(t, mcp.Config{}, box)}).open(t, version)
			stream := client.get(t, "")
			stream.gets(t, version+" at first")
			must(t, first.add(box))
			stream.gets(t, version+" and the first item", first.list+"/list_changed")
			client.end(t)
			if !stream.over() {
				t.Error("the stream continues after its session")
			}
		}
	})
}

// A client that opens its stream late doesn't miss the item.
func TestTheFirstItemIsAnnouncedOnceTheStreamIsOpen(t *testing.T) {
	eachFirstItem(t, func(t *testing.T, box *toolbox, first firstItem) {
		client := (&wireClient{handler: wireHandler(t, mcp.Config{}, box)}).open(t, "2025-11-25")
		must(t, first.add(box))
		stream := client.get(t, "")
		stream.gets(t, "at first", first.list+"/list_changed")
		client.end(t)
		synctest.Wait()
	})
}

func TestTheFirstItemReachesAClientOfHTTPWithSSE(t *testing.T) {
	eachFirstItem(t, func(t *testing.T, box *toolbox, first firstItem) {
		c := connectSSE(t, sseHandler(t, mcp.Config{}, box))
		c.post(initialize("2024-11-05"))
		c.events()
		c.says("the handshake", []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`})
		must(t, first.add(box))
		c.says("the first item", nil, first.list+"/list_changed")
		c.hangUp()
		synctest.Wait()
	})
}

// The item is in the list, which was empty, for the client that was there before it.
func TestTheFirstItemIsListedForAConnectedClient(t *testing.T) {
	eachFirstItem(t, func(t *testing.T, box *toolbox, first firstItem) {
		modern := probeServer(t, mcp.Config{}, box)
		clients := []*probe{modern}
		for _, version := range olderVersions() {
			older, _ := modern.as(version)
			clients = append(clients, older)
		}
		for _, client := range clients {
			if r := client.ask(first.method, nil); r.status != http.StatusOK || r.err != nil {
				t.Errorf("%s: before the first item the list is %d %s", client.version, r.status, r.body)
			}
		}
		must(t, first.add(box))
		for _, client := range clients {
			if r := client.ask(first.method, nil); !strings.Contains(r.result, first.want) {
				t.Errorf("%s: afterwards the list is %s", client.version, r.body)
			}
		}
	})
}
