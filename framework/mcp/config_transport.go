package mcp

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/engine/transport"
	"github.com/bowline-mcp/bowline/internal/limits"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// isHost reports whether a text is a host's name or address, and nothing else. An IPv6
// address has no brackets.
func isHost(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil || text != "" && !strings.ContainsAny(text, "/:*?#@[] \t")
}

// path returns the decoded path of URL, without a slash at its end.
func (c Config) path() string {
	u, err := url.Parse(c.URL)
	if err != nil {
		return "" // validate says what is wrong
	}
	return strings.TrimRight(u.Path, "/")
}

// hostPolicy returns the host and origin checks, which keep web pages out. Unless the
// address is a loopback one, the program's host names must be configured.
func (c Config) hostPolicy() (transport.HostPolicy, error) {
	policy := transport.HostPolicy{Origins: c.AllowedOrigins, Hosts: slices.Clone(c.AllowedHosts)}
	if u, err := url.Parse(c.URL); err == nil && u.Host != "" {
		policy.Hosts = append(policy.Hosts, u.Hostname())
	}
	host, port, err := net.SplitHostPort(c.Addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return policy, fmt.Errorf("Config.Addr (APP_ADDR) is %q; it must be an address such as 127.0.0.1:8080 or :8080", c.Addr)
	}
	policy.Loopback = naming.IsLoopback(host)
	if !policy.Loopback && len(policy.Hosts) == 0 {
		return policy, fmt.Errorf("the address %s is not a loopback address, so the program needs its public name: "+
			"set Config.URL (APP_URL) or Config.AllowedHosts (APP_ALLOWED_HOSTS), or serve on 127.0.0.1", c.Addr)
	}
	return policy, nil
}

// limits returns the limits of the transports.
func (c Config) limits() transport.Limits {
	return transport.Limits{
		Depth: c.MaxDepth, Body: int64(c.MaxBody), BodyTime: c.BodyTimeout, WriteTime: c.WriteTimeout, KeepAlive: c.KeepAlive,
		Line: c.MaxLine, Calls: c.MaxCalls, Drain: c.StdioDrain, DrainGrace: limits.DrainGrace,
	}
}
