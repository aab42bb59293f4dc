package server

import (
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
)

// addFeatures registers the tools, resources and prompts of features. Those whose name or URI
// the server has by itself are left out.
func (s *Server) addFeatures(number int, features servers.Features, at place) error {
	if isNil(features) {
		return fmt.Errorf("features %d: they are nil; give a pointer to features, such as &generated.Features{}", number)
	}
	var problems []error
	add := func(kind string, i int, problem error) {
		if !errors.Is(problem, protocol.ErrYielded) {
			problems = append(problems, Within(fmt.Sprintf("%T: %s %d", features, kind, i+1), problem))
		}
	}
	problems = append(problems, s.checkSet(component{features, at}))
	for i, tool := range features.Tools() {
		add("tool", i, s.addTool(tool, yielding("Tools", features)))
	}
	for i, resource := range features.Resources() {
		add("resource", i, s.addResource(resource, yielding("Resources", features)))
	}
	for i, prompt := range features.Prompts() {
		add("prompt", i, s.addPrompt(prompt, yielding("Prompts", features)))
	}
	return errors.Join(problems...)
}
