package throttle

import "testing"

// Each connection needs a descriptor, and others must be left for other addresses.
func TestAnAddressMayHaveAQuarterOfTheDescriptors(t *testing.T) {
	t.Parallel()
	quarter := int64(20_000) // if the system has no limit
	if descriptors := descriptorLimit(); descriptors > 0 {
		quarter = descriptors / 4
	}
	for setting, want := range map[int]int64{0: quarter, 7: 7} {
		if got := NewShares(Config{ClientConnections: setting}).Connections.Client; got != want {
			t.Errorf("with the setting %d, an address may have %d connections, want %d", setting, got, want)
		}
	}
}
