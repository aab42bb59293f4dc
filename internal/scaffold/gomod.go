package scaffold

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// modulePath returns the path in the module directive of the go.mod file at name. The one form of the directive that it
// does not read is the parenthesised block, which no tool writes.
func modulePath(name string) (string, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read the module path: %w", err)
	}
	for number, line := range strings.Split(string(content), "\n") {
		line, _, _ = strings.Cut(line, "//")
		path, found := strings.CutPrefix(strings.TrimSpace(line), "module")
		if !found || path == strings.TrimLeft(path, " \t\"`") {
			continue
		}
		path = strings.TrimSpace(path)
		if strings.HasPrefix(path, `"`) || strings.HasPrefix(path, "`") {
			if path, err = strconv.Unquote(path); err != nil {
				return "", fmt.Errorf("%s:%d: the module path is not quoted correctly", name, number+1)
			}
		}
		if path == "" || strings.ContainsAny(path, " \t\"`()\\") {
			return "", fmt.Errorf("%s:%d: expected module PATH", name, number+1)
		}
		return path, nil
	}
	return "", fmt.Errorf("%s has no module line: add one, for example: module example.com/demo", name)
}
