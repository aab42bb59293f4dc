// Package wire defines the requests to the contenders, and checks their answers. All requests are
// encoded once, before the measurement, so that it includes only the work of the server.
package wire

// EchoIn is the arguments of the echo tool. All contenders register the same Go type.
type EchoIn struct {
	Message string   `json:"message"`
	Repeat  int      `json:"repeat"`
	Tags    []string `json:"tags"`
}

// EchoOut is the result of the echo tool, as structured content and repeated as text.
type EchoOut struct {
	Message string   `json:"message"`
	Count   int      `json:"count"`
	Tags    []string `json:"tags"`
}

// Echo is the whole tool. It does almost no work, so that the measurement is that of the framework.
func Echo(in EchoIn) EchoOut {
	return EchoOut{Message: in.Message, Count: in.Repeat, Tags: in.Tags}
}

// sample returns the arguments of every call.
func sample() EchoIn {
	return EchoIn{Message: "The quick brown fox jumps over the lazy dog.", Repeat: 3, Tags: []string{"alpha", "beta", "gamma"}}
}
