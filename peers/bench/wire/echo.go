// Package wire holds the messages that every contender is asked to answer, and the answer that each must give.
//
// All requests are encoded once, before anything is measured, so that a measurement holds the server's work only.
package wire

// EchoIn is what the echo tool takes. The same Go type is registered with every contender.
type EchoIn struct {
	Message string   `json:"message"`
	Repeat  int      `json:"repeat"`
	Tags    []string `json:"tags"`
}

// EchoOut is what the echo tool returns, as structured content and as its text mirror.
type EchoOut struct {
	Message string   `json:"message"`
	Count   int      `json:"count"`
	Tags    []string `json:"tags"`
}

// Echo is the whole tool. It does next to nothing, so that what is measured is the framework around it.
func Echo(in EchoIn) EchoOut {
	return EchoOut{Message: in.Message, Count: in.Repeat, Tags: in.Tags}
}

// sample returns the arguments of every call.
func sample() EchoIn {
	return EchoIn{Message: "The quick brown fox jumps over the lazy dog.", Repeat: 3, Tags: []string{"alpha", "beta", "gamma"}}
}
