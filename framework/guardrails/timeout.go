package guardrails

import (
	"errors"
	"fmt"
	"time"
)

// Timeout ends what takes longer: the context of the handler ends, and the client is
// told, even if the handler goes on. It holds for calls, reads, gets and completions.
// Of several times the shortest counts, that of a tool's own Timeout included. Less than
// a millisecond is refused: it is a number whose unit was forgotten.
func Timeout(d time.Duration) Guardrail {
	kinds := setOf(Call, Read, Get, Complete)
	g := Guardrail{name: fmt.Sprintf("Timeout(%v)", d), able: kinds, kinds: kinds, timeout: d}
	if d < time.Millisecond {
		g.problem = errors.New("the time must be a millisecond or more, such as 10*time.Second")
	}
	return g
}
