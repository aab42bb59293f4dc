package aiclients

import "github.com/bowline-mcp/bowline/internal/cli/aiclients/document"

const claudeDesktop = "claude-desktop"

// All returns the clients, in the order in which people are asked for them. A client without
// StrictJSON reads comments and trailing commas, or nobody has reported otherwise.
func All() []Client {
	return []Client{
		{
			ID: claudeDesktop, Name: "Claude Desktop", Reload: "quit Claude Desktop and start it again",
			StrictJSON: true, // github.com/GLips/Figma-Context-MCP/issues/89
			key:        "mcpServers", program: stdio(),
			user:    place{path: "@settings/Claude/claude_desktop_config.json"},
			withURL: "add a server on the internet in its window (Settings, Connectors, Add custom connector), and one on this computer without --url, or as a file of mcp bundle",
		},
		{
			ID: "claude-code", Name: "Claude Code", command: "claude", Reload: "start Claude Code again",
			StrictJSON: true, // github.com/anthropics/claude-code/issues/83190
			key:        "mcpServers", program: stdio(typed("stdio")), address: url("url", typed("http")),
			user: place{path: "~/.claude.json", variable: "CLAUDE_CONFIG_DIR", trace: "~/.claude"}, project: ".mcp.json",
			login: "run /mcp in Claude Code, and choose %s",
		},
		{
			ID: "cursor", Name: "Cursor", command: "cursor", Reload: "enable the server in Cursor's settings",
			key: "mcpServers", program: stdio(), address: url("url"),
			user: place{path: "~/.cursor/mcp.json"}, project: ".cursor/mcp.json",
		},
		{
			ID: "vscode", Name: "VS Code", command: "code", Reload: "start the server in VS Code (MCP: List Servers)",
			key: "servers", program: stdio(typed("stdio")), address: url("url", typed("http")),
			user: place{path: "@settings/Code/User/mcp.json", trace: "@settings/Code"}, project: ".vscode/mcp.json",
		},
		{
			ID: "copilot", Name: "GitHub Copilot CLI", command: "copilot", Reload: "start Copilot again",
			StrictJSON: true, // github.com/github/copilot-cli/issues/4323
			key:        "mcpServers", program: stdio(typed("local")).with(allTools()), address: url("url", typed("http")).with(allTools()),
			user: place{path: "~/.copilot/mcp-config.json", variable: "COPILOT_HOME"}, project: ".github/mcp.json",
		},
		{
			ID: "windsurf", Name: "Windsurf", Reload: "refresh the list of servers in Windsurf",
			key: "mcpServers", program: stdio(), address: url("serverUrl"),
			user: place{path: "~/.codeium/windsurf/mcp_config.json"},
		},
		{
			ID: "gemini", Name: "Gemini CLI", command: "gemini", Reload: "start Gemini CLI again",
			key: "mcpServers", program: stdio(), address: url("url", typed("http")),
			user: place{path: "~/.gemini/settings.json"}, project: ".gemini/settings.json",
			login: "run /mcp auth %s in Gemini CLI",
		},
		{
			ID: "codex", Name: "Codex", command: "codex", Reload: "start Codex again",
			key: "mcp_servers", format: document.TOML, program: stdio(), address: url("url"),
			user: place{path: "~/.codex/config.toml", variable: "CODEX_HOME"}, project: ".codex/config.toml",
			login: "run codex mcp login %s",
		},
		{
			ID: "zed", Name: "Zed", command: "zed", Reload: "look at the server in Zed's agent settings",
			key: "context_servers", program: stdio(document.Member{Name: "source", Value: "custom", Default: true}), address: url("url"),
			user:    place{path: "@config/zed/settings.json", darwin: "~/.config/zed/settings.json", windows: "@settings/Zed/settings.json"},
			project: ".zed/settings.json",
		},
		{
			ID: "opencode", Name: "opencode", command: "opencode", Reload: "start opencode again",
			key: "mcp", program: commandList, address: url("url", typed("remote")),
			user: place{path: "@config/opencode/opencode.jsonc"}, project: "opencode.jsonc", older: "opencode.json",
			login: "run opencode mcp auth %s",
		},
		{
			ID: "cline", Name: "Cline", Reload: "look at the server in Cline's list",
			StrictJSON: true, // github.com/cline/cline/issues/11613
			key:        "mcpServers",
			program:    stdio().with(document.Member{Name: "disabled", Value: false, Default: true}), address: url("url", typed("streamableHttp")),
			user: place{
				path:  "@settings/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
				trace: "@settings/Code/User/globalStorage/saoudrizwan.claude-dev",
			},
		},
		{
			ID: "lmstudio", Name: "LM Studio", Reload: "enable the server in LM Studio",
			key: "mcpServers", program: stdio(), address: url("url"),
			user: place{path: "~/.lmstudio/mcp.json"},
		},
		{
			ID: "goose", Name: "goose", Printed: true, Reload: "start goose again",
			key: "extensions", program: goose, address: goose,
			user: place{path: "~/.config/goose/config.yaml", windows: "@settings/Block/goose/config/config.yaml"},
		},
		{
			ID: "jetbrains", Name: "JetBrains AI Assistant", Printed: true, Reload: "apply the settings",
			key: "mcpServers", program: stdio(),
			user: place{trace: "@settings/JetBrains"}, dialog: "Settings | Tools | AI Assistant | Model Context Protocol (MCP)", project: ".junie/mcp/mcp.json",
		},
	}
}
