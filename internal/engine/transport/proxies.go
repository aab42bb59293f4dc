package transport

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/bowline-mcp/bowline/internal/limits"
)

// Proxies are the networks of trusted proxies. The headers that a proxy adds are ignored if
// they come from other addresses, because any client can send them.
type Proxies struct {
	networks []netip.Prefix
	list     []string // as in the setting
	logger   *slog.Logger

	mutex    sync.Mutex
	reported []netip.Addr // proxies that aren't trusted and that the log has
}

// ParseProxies parses a list of addresses and networks. It refuses a network of all
// addresses, because that would trust every client; then the result trusts nobody.
func ParseProxies(list []string, logger *slog.Logger) (*Proxies, error) {
	p := &Proxies{list: list, logger: logger}
	for _, text := range list {
		prefix, err := netip.ParsePrefix(text)
		if addr, single := netip.ParseAddr(text); single == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil || prefix.Bits() == 0 || prefix.Addr().Is4In6() {
			return &Proxies{logger: logger}, fmt.Errorf("the proxy %q", text)
		}
		p.networks = append(p.networks, prefix.Masked())
	}
	return p, nil
}

// Client returns the address of a request's client: the connection's or, behind a
// trusted proxy, the last entry of X-Forwarded-For that isn't a trusted proxy. A client can
// forge the entries before it. The header Forwarded (RFC 7239) is ignored: few proxies set
// it, and the others forward what the client sends. The address is invalid if the
// connection has none.
func (p *Proxies) Client(r *http.Request) netip.Addr {
	addr := node(r.RemoteAddr)
	header := r.Header["X-Forwarded-For"]
	if header == nil {
		return addr
	}
	if !p.trusts(addr) {
		if isInternal(addr) {
			p.report(addr, header[len(header)-1])
		}
		return addr
	}
	hops := strings.Split(strings.Join(header, ","), ",")
	for i := len(hops) - 1; i >= 0 && p.trusts(addr); i-- {
		next := node(hops[i])
		if !next.IsValid() {
			break // it isn't an address
		}
		addr = next
	}
	return addr
}

// report logs, once for each of a few addresses, that a proxy isn't trusted. Any client can send
// the header, and the one that the operator adds may name others. So the log never suggests to
// trust a public address, such as that of a client on the Internet, nor a proxy that only passes
// on the header of its client. A proxy that names its own address, as for a client on the same
// machine, keeps no clients apart.
func (p *Proxies) report(proxy netip.Addr, header string) {
	client := node(header[strings.LastIndexByte(header, ',')+1:])
	if !client.IsValid() || client == proxy {
		return
	}
	p.mutex.Lock()
	isKnown := len(p.reported) == limits.ReportedProxies || slices.Contains(p.reported, proxy)
	if !isKnown {
		p.reported = append(p.reported, proxy)
	}
	p.mutex.Unlock()
	if isKnown {
		return
	}
	p.logger.Warn("a proxy that isn't trusted names clients in X-Forwarded-For, so the program counts all its clients as one and limits them together; "+
		"if it is your proxy, let it set the header (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for), since the client chooses it otherwise, "+
		"and add its address to Config.TrustedProxies (APP_TRUSTED_PROXIES)",
		"proxy", proxy.String(), "setting", "APP_TRUSTED_PROXIES="+strings.Join(append(slices.Clone(p.list), proxy.String()), ","))
}

// isInternal reports whether an address isn't one on the Internet.
func isInternal(addr netip.Addr) bool {
	return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || shared.Contains(addr)
}

// shared are the addresses that carriers and clouds use inside of their networks (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10") //nolint:gochecknoglobals // never changes

func (p *Proxies) trusts(addr netip.Addr) bool {
	for _, prefix := range p.networks {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// node parses an address with or without a port. The result is invalid if the text is
// neither.
func node(text string) netip.Addr {
	text = strings.TrimSpace(text)
	if addr, err := netip.ParseAddrPort(text); err == nil {
		return addr.Addr().Unmap().WithZone("")
	}
	addr, _ := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return addr.Unmap().WithZone("")
}
