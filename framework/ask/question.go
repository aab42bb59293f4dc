package ask

// A Question is what a handler asks its client. [Form], [Confirm], [URL], [Sample]
// and [Roots] make one. Setters record and never fail; what contradicts itself is
// found when the question is asked.
type Question interface {
	compile() (*Compiled, error)
}
