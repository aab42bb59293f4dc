package server

import (
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/fields"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
)

// A place is where a component is registered.
type place struct {
	set    string // says where the program sets the component's fields
	yields bool   // whether an item that the server has by itself wins
}

// setWhereMade says where the fields of a server are set.
const setWhereMade = "set it where the program makes the server, such as routes/ai.go"

// added returns the place of what an Add method of a server registers.
func added() place { return place{set: "set it where it is added to the server"} }

// listed returns the place of what a method of a server lists.
func listed(method string, server any) place {
	return place{set: fmt.Sprintf("set it where %s() of %T lists it", method, server)}
}

// yielding returns the place of what a method of features lists.
func yielding(method string, features any) place {
	at := listed(method, features)
	at.yields = true
	return at
}

// A registration adds items to a server at a place.
type registration struct {
	*Server
	at place
}

// checkFields checks the fields of what is registered, unless its type is ours.
func (s registration) checkFields(of any) error {
	if isMade(of) {
		return nil
	}
	return s.fields.Component(fields.Component{Value: of, Set: s.at.set})
}

// addListed registers what a server lists, and returns all mistakes.
func addListed(s *Server, server servers.Interface) (problems []error) {
	for i, tool := range server.Tools() {
		problems = append(problems, Within(fmt.Sprintf("%s: tool %d", s.what, i+1), registration{s, listed("Tools", server)}.addTool(tool)))
	}
	for i, resource := range server.Resources() {
		problems = append(problems, Within(fmt.Sprintf("%s: resource %d", s.what, i+1), registration{s, listed("Resources", server)}.addResource(resource)))
	}
	for i, prompt := range server.Prompts() {
		problems = append(problems, Within(fmt.Sprintf("%s: prompt %d", s.what, i+1), registration{s, listed("Prompts", server)}.addPrompt(prompt)))
	}
	for i, features := range server.Features() {
		problems = append(problems, Within(s.what, registration{s, listed("Features", server)}.addFeatures(i+1, features)))
	}
	return problems
}

// addFeatures registers the tools, resources and prompts of features. Those whose name or URI
// the server has by itself are left out.
func (s registration) addFeatures(number int, features servers.Features) error {
	if isNil(features) {
		return fmt.Errorf("features %d: they are nil; give a pointer to features, such as &generated.Features{}", number)
	}
	var problems []error
	add := func(kind string, i int, problem error) {
		if !errors.Is(problem, protocol.ErrYielded) {
			problems = append(problems, Within(fmt.Sprintf("%T: %s %d", features, kind, i+1), problem))
		}
	}
	problems = append(problems, s.checkFields(features))
	for i, tool := range features.Tools() {
		add("tool", i, registration{s.Server, yielding("Tools", features)}.addTool(tool))
	}
	for i, resource := range features.Resources() {
		add("resource", i, registration{s.Server, yielding("Resources", features)}.addResource(resource))
	}
	for i, prompt := range features.Prompts() {
		add("prompt", i, registration{s.Server, yielding("Prompts", features)}.addPrompt(prompt))
	}
	return errors.Join(problems...)
}
