package mistakes

import (
	"github.com/bowline-mcp/bowline/framework/annotations"
	"github.com/bowline-mcp/bowline/framework/content"
)

var hintAsAudience = content.Text("For whom?").For(annotations.IsReadOnly{})

// error: cannot use annotations.IsReadOnly{}
// error: as content.Role value

var hintsOfABlock = content.Block{Annotations: &annotations.Hints{}}

// error: cannot use &annotations.Hints{}
// error: as *content.Annotations value
