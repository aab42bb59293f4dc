package launcher

import (
	"fmt"
	"regexp"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// InstallCommand says how the command mcp is installed for good.
const InstallCommand = "go install github.com/bowline-mcp/bowline/cmd/mcp@latest, or in a clone go install ./cmd/mcp"

// CheckPermanent returns an error if the program of this process is where go run and go tool
// put programs: in a temporary folder, or in the cache. The go command removes both. GOTMPDIR
// and GOCACHE may be any folders, so it looks at what the go command appends to them.
func CheckPermanent(program string) error {
	temporary := regexp.MustCompile(`[/\\]go-build\d+[/\\]b\d+[/\\]exe[/\\][^/\\]+$`)
	cached := regexp.MustCompile(`[/\\]([0-9a-f]{2})[/\\]([0-9a-f]{2})[0-9a-f]{62}-d[/\\][^/\\]+$`)
	found := cached.FindStringSubmatch(program)
	if temporary.MatchString(program) || found != nil && found[1] == found[2] {
		return fmt.Errorf("this mcp is at %s, where the go command removes it some day", naming.Printable(program))
	}
	return nil
}
