package aiclients

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/bowline-mcp/bowline/internal/atomicfile"
	"github.com/bowline-mcp/bowline/internal/cli/aiclients/document"
)

// explain says what is wrong with the content of the edit's file, and what to do.
func (e *Edit) explain(err error) error {
	is := e.File + ", the file of " + e.Client.Name + ", is"
	strict := new(document.StrictError)
	switch {
	case errors.As(err, &strict):
		return fmt.Errorf("%s left as it is: %s reads strict JSON, so it refuses the whole file; remove the %s in line %d, and run this again",
			is, e.Client.Name, strict.Part, strict.Line)
	case errors.Is(err, document.ErrSyntax):
		return fmt.Errorf("%s not %s; correct it, or %s: %w", is, e.Client.format, e.byHand("yourself"), err)
	case errors.Is(err, document.ErrShape):
		return fmt.Errorf("%s left as it is; correct it, or %s: %w", is, e.byHand("yourself"), err)
	case errors.Is(err, document.ErrForm):
		return fmt.Errorf("%s left as it is; %w: %w", is, ErrByHand, err)
	default:
		return e.fail("read", err)
	}
}

// fail says what can't be done with the edit's file, and what to do.
func (e *Edit) fail(done string, err error) error {
	// The path in the error is that of the file again, or that of a new one beside it.
	if of, ok := errors.AsType[*fs.PathError](err); !ok || of.Op != "mkdir" {
		err = atomicfile.Reason(err)
	}
	return fmt.Errorf("%s, the file of %s, can't be %s: %w; correct that, or %s", e.File, e.Client.Name, done, err, e.byHand("yourself"))
}

// byHand returns what a person does without this command.
func (e *Edit) byHand(where string) string {
	if e.removes {
		return "remove the entry " + where
	}
	return "add the entry " + where + " (--print shows it)"
}
