package request

import "github.com/bowline-mcp/bowline/internal/spec"

// A Compiled question is checked and can be sent. A is the type of its answer.
type Compiled[A any] struct {
	Method string // that asks it, such as "elicitation/create"
	Early  bool   // whether the client may answer before it is asked
	Kind   Kind[A]
}

// A Kind implements one kind of question. Its methods get the client's capabilities, as a raw
// object or nil.
type Kind[A any] interface {
	// Since returns the first version that has such questions.
	Since() spec.Version

	// Missing returns the capabilities that the question needs and the client lacks, as a
	// raw object such as {"elicitation":{"url":{}}}, or "" if it lacks none.
	Missing(capabilities []byte, v spec.Version) string

	// Params returns the params of the request that asks the question, as a raw object in
	// the shape of the version. It omits members that the client doesn't support.
	Params(capabilities []byte, v spec.Version) []byte

	// Answer decodes the client's raw result for the question with the key. The error says
	// what is wrong with its shape.
	Answer(call Call, key string, raw []byte) (A, error)
}

// A Draft is embedded by the questions of framework/ask, which it compiles.
type Draft[A any] struct {
	compile func() (*Compiled[A], error)
}

// NewDraft returns the draft of a question that the function compiles.
func NewDraft[A any](compile func() (*Compiled[A], error)) Draft[A] { return Draft[A]{compile} }

// A Drafted question embeds a [Draft]. The method isn't exported, so that users don't see
// it.
type Drafted[A any] interface{ compiled() (*Compiled[A], error) }

func (d Draft[A]) compiled() (*Compiled[A], error) { return d.compile() }

// Compile checks a question. The error lists all its mistakes, with their places and fixes.
func Compile[A any](question Drafted[A]) (*Compiled[A], error) { return question.compiled() }
