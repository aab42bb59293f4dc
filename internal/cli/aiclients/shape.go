package aiclients

import (
	"slices"

	"github.com/bowline-mcp/bowline/internal/cli/aiclients/document"
)

// A Server is what an entry describes: a program with its arguments, or a URL.
type Server struct {
	Command string
	Args    []string
	URL     string
}

// A shape returns the members of an entry.
type shape func(name string, server Server) []document.Member

// with adds members at the end.
func (s shape) with(members ...document.Member) shape {
	return func(name string, server Server) []document.Member { return append(s(name, server), members...) }
}

// stdio is the shape that most clients have for programs, after some other members.
func stdio(first ...document.Member) shape {
	return func(_ string, server Server) []document.Member {
		return append(slices.Clone(first), document.Member{Name: "command", Value: server.Command}, document.Member{Name: "args", Value: server.Args})
	}
}

// url is the shape of an entry with a URL in a member.
func url(member string, first ...document.Member) shape {
	return func(_ string, server Server) []document.Member {
		return append(slices.Clone(first), document.Member{Name: member, Value: server.URL})
	}
}

func typed(name string) document.Member {
	return document.Member{Name: "type", Value: name, Default: true}
}

// allTools lets Copilot use all tools of the server, as its own command does.
func allTools() document.Member {
	return document.Member{Name: "tools", Value: []string{"*"}, Default: true}
}

// commandList is the shape of opencode, which has the program and its arguments in one list.
func commandList(_ string, server Server) []document.Member {
	return []document.Member{typed("local"), {Name: "command", Value: append([]string{server.Command}, server.Args...)}}
}

// goose is the shape of goose, whose entries repeat their name.
func goose(name string, server Server) []document.Member {
	members := []document.Member{{Name: "name", Value: name}}
	if server.URL != "" {
		members = append(members, document.Member{Name: "type", Value: "streamable_http"}, document.Member{Name: "uri", Value: server.URL})
	} else {
		members = append(members, document.Member{Name: "type", Value: "stdio"}, document.Member{Name: "cmd", Value: server.Command},
			document.Member{Name: "args", Value: server.Args})
	}
	return append(members, document.Member{Name: "enabled", Value: true}, document.Member{Name: "timeout", Value: 300})
}

// members returns the entry of a server.
func (c Client) members(name string, server Server) []document.Member {
	if server.URL != "" {
		return c.address(name, server)
	}
	return c.program(name, server)
}
