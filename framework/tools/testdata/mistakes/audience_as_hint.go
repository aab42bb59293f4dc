package mistakes

import (
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/tools"
)

var audienceAsHint = tools.Definition{Annotations: content.Annotations{}}

// error: cannot use content.Annotations{}
// error: as annotations.Hints value
