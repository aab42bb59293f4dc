package spec

// The members of _meta that the protocol reserves.
const (
	MetaVersion        = "io.modelcontextprotocol/protocolVersion"
	MetaCapabilities   = "io.modelcontextprotocol/clientCapabilities"
	MetaClientInfo     = "io.modelcontextprotocol/clientInfo"
	MetaServerInfo     = "io.modelcontextprotocol/serverInfo"
	MetaSubscriptionID = "io.modelcontextprotocol/subscriptionId"
)

// ServerInfo is the Implementation of a server, encoded once for each version.
type ServerInfo struct {
	newest     []byte // raw Implementation
	metaMember []byte // ,"_meta":{…}
	byVersion  map[Version][]byte
}

// NewServerInfo returns the info for a raw Implementation in the shape of the newest
// version.
func NewServerInfo(info []byte) *ServerInfo {
	s := &ServerInfo{newest: info, byVersion: map[Version][]byte{Newest: info}}
	s.metaMember = append([]byte(`,"_meta":{"`+MetaServerInfo+`":`), info...)
	s.metaMember = append(s.metaMember, '}')
	for v := Version20241105; v < Newest; v++ {
		s.byVersion[v] = DowngradeInfo(info, v)
	}
	return s
}

// In returns the raw Implementation in the shape of a version.
func (s *ServerInfo) In(v Version) []byte { return s.byVersion[v] }

// AppendMeta appends the member _meta of a result. It contains the members of own, a raw
// object or nil, and for modern versions the server info.
func (s *ServerInfo) AppendMeta(dst []byte, v Version, own []byte) []byte {
	const empty = len("{}")
	switch {
	case !v.Modern() && len(own) <= empty:
		return dst
	case !v.Modern():
		return append(append(dst, `,"_meta":`...), own...)
	case len(own) <= empty:
		return append(dst, s.metaMember...)
	}
	return append(append(dst, `,"_meta":`...), s.Meta(own)...)
}

// Meta returns the _meta of a modern result. It contains the members of own, a raw object or
// nil, and the server info.
func (s *ServerInfo) Meta(own []byte) []byte {
	meta := ParseObject(own)
	meta.Set(MetaServerInfo, s.newest)
	return meta.Append(nil)
}
