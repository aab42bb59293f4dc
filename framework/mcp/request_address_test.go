package mcp_test

import (
	"context"
	"net/netip"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/mcp"
	"github.com/bowline-mcp/bowline/framework/tools"
)

// addressTool returns the address of its client.
func addressTool() *toolbox {
	return boxOf(doing("where", func(_ context.Context, r *tools.Request) (tools.Result, error) {
		return tools.Text(r.Address().String()), nil
	}))
}

// The probe connects from 192.0.2.1.
func TestOnlyATrustedProxySetsTheAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		proxies []string
		want    string
	}{
		{"nobody is trusted", nil, "192.0.2.1"},
		{"another network is", []string{"10.0.0.0/8"}, "192.0.2.1"},
		{"the connection's is", []string{"10.0.0.0/8", "192.0.2.0/24"}, "203.0.113.9"},
	} {
		newest := probeServer(t, mcp.Config{TrustedProxies: test.proxies}, addressTool())
		older, _ := newest.as("2025-11-25")
		for _, p := range []*probe{newest, older} {
			p.header["X-Forwarded-For"] = []string{"198.51.100.1, 203.0.113.9, 10.1.1.1"}
			if got, _ := p.call("where", nil).text(); got != test.want {
				t.Errorf("%s: %s: the address is %s, want %s", test.name, p.version, got, test.want)
			}
		}
	}
}

func TestStdioHasNoAddress(t *testing.T) {
	t.Parallel()
	p := startPipeline(t, mcp.Config{TrustedProxies: []string{"127.0.0.1"}}, addressTool())
	if got := p.ask(t, modernCall(`1`, "where", `{}`)); !strings.Contains(got, `"text":"invalid IP"`) {
		t.Errorf("got %s", got)
	}
}

func TestAListenerGetsTheAddressToo(t *testing.T) {
	t.Parallel()
	heard := make(chan netip.Addr, 1)
	box := boxOf(saying("any", ""))
	box.boot = func(context.Context) error {
		return box.AddNotification("notifications/acme/opened", func(_ context.Context, r *exchange.Request) error {
			heard <- r.Address()
			return nil
		})
	}
	probeServer(t, mcp.Config{}, box).tell("notifications/acme/opened", nil)
	if got := <-heard; got != netip.MustParseAddr("192.0.2.1") {
		t.Errorf("the address is %v", got)
	}
}
