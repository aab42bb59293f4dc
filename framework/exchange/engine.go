package exchange

// A Link is what the engine does for a [Request]. Programs have no use for it.
type Link interface {
	Client() []byte // raw Implementation, or nil
	ProtocolVersion() string
	Method() string
	Params() []byte // raw object, or nil
	Meta() []byte   // raw object, or nil
	PathValue(name string) string
	Progress(done, total float64, message string) error
	Notify(method string, params []byte) error
}

// New returns a request that works by the link. It is for the engine.
func New(link Link) Request { return Request{link} }
