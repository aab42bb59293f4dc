package documents

import "net/netip"

// IsPublic reports whether an address is one of the public Internet, which special-purpose
// registries don't reserve (RFC 6890).
func IsPublic(address netip.Addr) bool {
	address = address.Unmap()
	if address.Is4() {
		for _, prefix := range []string{
			"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24",
			"192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		} {
			if netip.MustParsePrefix(prefix).Contains(address) {
				return false
			}
		}
		return true
	}
	if !netip.MustParsePrefix("2000::/3").Contains(address) { // or it has a zone
		return false
	}
	for _, prefix := range []string{"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"} {
		if netip.MustParsePrefix(prefix).Contains(address) {
			return false
		}
	}
	return true
}
