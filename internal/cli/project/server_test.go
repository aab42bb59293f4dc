package project_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/internal/cli/project"
)

// The server of another app must not have the same handle in an AI client.
func TestTheServerOfAnAppHasItsName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]project.Server{
		"kb":          {"KbServer", "kb_server", "kb", "kb"},
		"team-notes":  {"TeamNotesServer", "team_notes_server", "team-notes", "teamNotes"},
		"Team_Notes":  {"TeamNotesServer", "team_notes_server", "team-notes", "teamNotes"},
		"shop.v2":     {"ShopV2Server", "shop_v2_server", "shop-v2", "shopV2"},
		"blog-server": {"BlogServer", "blog_server", "blog", "blog"},
		"server":      {"AppServer", "app_server", "app", "app"},
		"3d":          {"App3dServer", "app3d_server", "app3d", "app3d"},
		"type":        {"TypeServer", "type_server", "type", "typeServer"},
		"servers":     {"ServersServer", "servers_server", "servers", "serversServer"},
		"mcp":         {"McpServer", "mcp_server", "mcp", "mcpServer"},
		"oauth":       {"OauthServer", "oauth_server", "oauth", "oauthServer"},
	} {
		if got := (project.Project{Name: name}).Server(); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}
