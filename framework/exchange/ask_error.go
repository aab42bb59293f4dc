package exchange

// An AskError is why Ask has no answer, for a reason that the client may read: that an
// older client refused the question or did not answer in time, or that it can't be
// asked, in which case the error wraps [ErrCannotAsk]. If a context that the handler has
// made ended first, it wraps that one's error, such as context.DeadlineExceeded.
type AskError struct {
	Key    string // of the question
	Reason string
	Err    error // ErrCannotAsk, or that of the handler's own context, or nil
}

// Error returns the reason, with the question.
func (e *AskError) Error() string { return "The question " + e.Key + " has no answer: " + e.Reason }

// Unwrap returns Err.
func (e *AskError) Unwrap() error { return e.Err }
