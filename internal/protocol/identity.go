package protocol

const metaServerInfo = "io.modelcontextprotocol/serverInfo"

// identity is who the server is, encoded once for each shape.
type identity struct {
	modern     []byte // raw Implementation
	metaMember []byte // ,"_meta":{…} as it ends a modern result
	byVersion  map[Version][]byte
}

func newIdentity(info []byte) identity {
	id := identity{modern: info, byVersion: map[Version][]byte{}}
	id.metaMember = append([]byte(`,"_meta":{"`+metaServerInfo+`":`), info...)
	id.metaMember = append(id.metaMember, '}')
	for v := Version20241105; v < Newest; v++ {
		id.byVersion[v] = downgradeInfo(info, v)
	}
	return id
}
