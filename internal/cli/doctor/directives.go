package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/internal/cli/directives"
	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
	"github.com/bowline-mcp/bowline/internal/cli/finding"
)

// directives compares the generated file with the directives of the app.
func (d *Doctor) directives(context.Context) []finding.Finding {
	const subject = "generated"
	generated, err := directives.Generate(d.App)
	mistakes, wrong := errors.AsType[directive.Mistakes](err)
	switch {
	case wrong:
		return []finding.Finding{finding.Broken(subject, fmt.Sprintf("mistakes in directives: %d", len(mistakes)), "see mcp generate")}
	case err != nil:
		return []finding.Finding{broken(subject, err)}
	case generated.IsEmpty:
		return nil
	case generated.IsChanged():
		return []finding.Finding{finding.Hint(subject, generated.File.Path+" is not what the directives make", "run: mcp generate")}
	}
	return []finding.Finding{finding.OK(subject, generated.File.Path+" is what the directives make")}
}
