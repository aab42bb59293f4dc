package clientrules

import "github.com/bowline-mcp/bowline/internal/limits"

// The limits of clients.
const (
	maxModelName      = limits.MaxModelName
	maxCursorName     = 59 // characters of the names of server and tool together, in Cursor
	maxCursorTools    = 80
	maxWindsurfTools  = 100
	maxRequestTools   = 128
	maxPropertyName   = 64
	maxDescription    = 1024 // characters of the description of a tool, for some models of OpenAI
	prefixOfClaude    = "mcp__"
	separatorOfClaude = "__"
)

// The IDs of the rules.
const (
	toolNameCharacters    = "tool-name-characters"
	toolNameStart         = "tool-name-start"
	toolNameLength        = "tool-name-over-64"
	toolNameWithPrefix    = "tool-name-with-prefix-over-64"
	toolNameWithServer    = "tool-name-with-server-over-59"
	toolNameRepeated      = "tool-name-repeated"
	toolsOver80           = "tools-over-80"
	toolsOver100          = "tools-over-100"
	toolsOver128          = "tools-over-128"
	inputNotObject        = "input-not-object"
	inputCombination      = "input-combination"
	inputWithoutProperty  = "input-without-properties"
	inputReference        = "input-reference"
	propertyName          = "property-name"
	arrayWithoutItems     = "array-without-items"
	booleanSchema         = "boolean-schema"
	enumNotString         = "enum-not-string"
	enumEmptyString       = "enum-empty-string"
	requiredUndeclared    = "required-undeclared"
	boundBoolean          = "bound-boolean"
	outputNotObject       = "output-not-object"
	outputReference       = "output-reference"
	outputDialect         = "output-dialect"
	inputDialect          = "input-dialect"
	typeList              = "type-list"
	typeMissing           = "type-missing"
	objectWithoutProperty = "object-without-properties"
	descriptionLength     = "description-over-1024"
	geminiSubset          = "gemini-subset"
	geminiPropertyName    = "gemini-property-name"
	openAIStrict          = "openai-strict"
)

// rules has one entry for each rule. Add a rule only with a source. A rule that most servers
// break harmlessly, since clients adapt the schema, causes a loss of quality only.
var rules = []Rule{ //nolint:gochecknoglobals // a table, which never changes
	{
		ID: toolNameCharacters, Refusals: []Refusal{{ClaudeDesktop, LosesList}, {Codex, LosesList}, {CopilotCLI, LosesList}, {Cursor, LosesTool}},
		Problem: "the name has a character other than letters, digits, _ and -", Fix: "use only letters, digits, _ and - in it",
		Sources: []string{"evoila/meho#2745", "l22-io/orchard-mcp#14", "openai/codex#8174", "github/copilot-cli#1879", "webstudio-is/webstudio#5960"},
	},
	{
		ID: toolNameStart, Refusals: []Refusal{{Gemini, LosesList}},
		Problem: "the name doesn't begin with a letter or _", Fix: "begin it with a letter",
		Sources: []string{"CherryHQ/cherry-studio#4087", "mcp-router/mcp-router#176", "https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration"},
	},
	{
		ID: toolNameLength, Refusals: []Refusal{{ClaudeDesktop, LosesList}, {OpenAI, LosesList}, {Gemini, LosesList}},
		Problem: "the name has more than 64 characters", Fix: "shorten it",
		Sources: []string{
			"mims-harvard/ToolUniverse#3", "microsoft/vscode#243602", "microsoft/foundry-dev-tools#201",
			"https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration",
		},
	},
	{
		ID: toolNameWithPrefix, Refusals: []Refusal{{ClaudeCode, LosesList}},
		Problem: "the name that Claude Code makes, mcp__SERVER__TOOL, has more than 64 characters", Fix: "shorten the name of the tool, or the handle of the server",
		Sources: []string{"mims-harvard/ToolUniverse#65", "anthropics/claude-code#22276", "cloudflare/skills#11"},
	},
	{
		ID: toolNameWithServer, Refusals: []Refusal{{Cursor, LosesTool}},
		Problem: "the names of server and tool have more than 59 characters together", Fix: "shorten the name of the tool, or the handle of the server",
		Sources: []string{"ComposioHQ/composio#2788", "PostHog/posthog#51483", "executeautomation/mcp-playwright#145"},
	},
	{
		ID: toolNameRepeated, Refusals: []Refusal{{ClaudeAPI, LosesList}},
		Problem: "the list has two tools of this name", Fix: "rename one of them",
		Sources: []string{"baguskto/threads-mcp#2"},
	},
	{
		ID: toolsOver80, Refusals: []Refusal{{Cursor, LosesTool}},
		Problem: "the list has more than 80 tools, and Cursor drops those beyond", Fix: "split the server, or let VisibleTo hide tools",
		Sources: []string{"Snowflake-Labs/mcp#77", "anyproto/anytype-mcp#5"},
	},
	{
		ID: toolsOver100, Refusals: []Refusal{{Windsurf, LosesList}},
		Problem: "the list has more than 100 tools", Fix: "split the server, or let VisibleTo hide tools",
		Sources: []string{"https://docs.windsurf.com/windsurf/cascade/mcp", "DaxianLee/cocos-mcp-server#11"},
	},
	{
		ID: toolsOver128, Refusals: []Refusal{{OpenAI, LosesList}, {VSCode, LosesList}, {JetBrains, LosesList}},
		Problem: "the list has more than 128 tools", Fix: "split the server, or let VisibleTo hide tools",
		Sources: []string{"microsoft/vscode-copilot-release#11653", "microsoft/copilot-intellij-feedback#1842", "FerroxLabs/wayland#344"},
	},
	{
		ID: inputNotObject, Refusals: []Refusal{{ClaudeCode, LosesList}, {TypeScript1, LosesList}},
		Problem: `the root of the schema lacks "type":"object"`, Fix: "add it, as MCP requires",
		Sources: []string{"zereight/gitlab-mcp#286", "mastra-ai/mastra#18255"},
	},
	{
		ID: inputCombination, Refusals: []Refusal{{ClaudeAPI, LosesList}, {ClaudeCode, LosesTool}, {OpenAI, LosesList}, {Codex, LosesList}},
		Problem: "the root of the schema has oneOf, anyOf, allOf, enum or not",
		Fix:     "make the properties optional, describe in words which of them belong together, and check that in Handle",
		Sources: []string{"makenotion/notion-mcp-server#341", "makenotion/notion-mcp-server#340", "opentokenz/mcpx#28", "langchain-ai/langchainjs#9804", "Dicklesworthstone/flywheel_connectors#49"},
	},
	{
		ID: inputWithoutProperty, Refusals: []Refusal{{OpenAI, LosesList}, {Codex, LosesList}},
		Problem: "the root of the schema has no properties", Fix: `add "properties":{}`,
		Sources: []string{"langchain-ai/langchain-mcp-adapters#137", "inboxapi/cli#106", "containers/kubernetes-mcp-server#340"},
	},
	{
		ID: inputReference, Refusals: []Refusal{{ClaudeDesktop, LosesTool}, {Gemini, LosesList}, {VSCode, LosesTool}, {CopilotCLI, LosesTool}},
		Problem: "the schema of the arguments has a $ref", Fix: "write the schema out at each place, and replace recursion by a list of nodes with ids",
		Sources: []string{"PrefectHQ/fastmcp#2861", "github/copilot-cli#1876", "anomalyco/opencode#12295", "google-gemini/gemini-cli#13326"},
	},
	{
		ID: propertyName, Refusals: []Refusal{{ClaudeAPI, LosesList}, {ClaudeCode, LosesTool}},
		Problem: "the name of an argument isn't 1 to 64 letters, digits, _, . and -", Fix: "rename the argument",
		Sources: []string{"freee/freee-mcp#15", "decocms/studio#6874", "ComposioHQ/composio#2330", "anthropics/claude-code#92648"},
	},
	{
		ID: arrayWithoutItems, Refusals: []Refusal{{Gemini, LosesList}, {VSCode, LosesTool}},
		Problem: "an array has no items", Fix: "say what the items are, such as schema.Strings",
		Sources: []string{"microsoft/vscode#325618", "microsoft/vscode-copilot-release#7462", "Skyvern-AI/skyvern#8611", "backstage/backstage#34038"},
	},
	{
		ID: booleanSchema, Refusals: []Refusal{{OpenCode, LosesList}, {OpenHands, LosesList}},
		Problem: "a schema is true or false", Fix: "write {} for true; leave out what is never allowed",
		Sources: []string{"anomalyco/opencode#49464", "OpenHands/software-agent-sdk#4182", "Azure/Azure-Resource-Manager-MCP#21"},
	},
	{
		ID: enumNotString, Refusals: []Refusal{{Gemini, LosesList}},
		Problem: "enum or const has a value that is not a string", Fix: "use strings, or bounds and a description",
		Sources: []string{"openclaw/openclaw#104566", "archestra-ai/archestra#5407", "microsoft/azure-devops-mcp#139"},
	},
	{
		ID: enumEmptyString, Refusals: []Refusal{{Gemini, LosesList}},
		Problem: "enum has an empty string", Fix: "make the argument optional instead",
		Sources: []string{"sbroenne/mcp-server-excel#607", "anomalyco/opencode#46676", "BerriAI/litellm#14155"},
	},
	{
		ID: requiredUndeclared, Refusals: []Refusal{{Gemini, LosesList}},
		Problem: "required has a name that properties lacks", Fix: "add the property, or drop the name",
		Sources: []string{"moltis-org/moltis#747"},
	},
	{
		ID: boundBoolean, Refusals: []Refusal{{ClaudeAPI, LosesList}},
		Problem: "exclusiveMinimum or exclusiveMaximum is a boolean, as in draft 4", Fix: "write the bound itself",
		Sources: []string{"Dokploy/mcp#74"},
	},
	{
		ID: outputNotObject, Refusals: []Refusal{{TypeScript1, LosesList}},
		Problem: `the root of the output schema lacks "type":"object", which only 2026-07-28 allows`, Fix: "return an object with the value in a member",
		Sources: []string{"opentokenz/mcpx#28", "kenn-io/msgvault#626"},
	},
	{
		ID: outputReference, Refusals: []Refusal{{ClaudeCode, LosesList}, {Cursor, LosesList}, {OpenCode, LosesList}, {Kiro, LosesList}},
		Problem: "a $ref of the output schema is recursive or leads nowhere", Fix: "write the schema out, or drop the output schema",
		Sources: []string{"anthropics/claude-code#77106", "anthropics/claude-code#76040", "davideast/stitch-mcp#184"},
	},
	{
		ID: outputDialect, Refusals: []Refusal{{ClaudeDesktop, LosesTool}},
		Problem: "$schema of the output schema names a dialect other than 2020-12", Fix: "write the schema in 2020-12, and leave $schema out",
		Sources: []string{"ankimcp/anki-mcp-server-addon#75", "ankimcp/anki-mcp-server#67"},
	},
	{
		ID: inputDialect, Refusals: []Refusal{{ClaudeAPI, LosesQuality}},
		Problem: "$schema of the arguments names a dialect other than 2020-12: Claude refuses the whole list if the schema isn't valid in 2020-12 too",
		Fix:     "write the schema in 2020-12, and leave $schema out",
		Sources: []string{"anthropics/claude-code#586", "modelcontextprotocol/typescript-sdk#745"},
	},
	{
		ID: typeList, Refusals: []Refusal{{Cursor, LosesQuality}, {Zed, LosesQuality}},
		Problem: "type is a list: Cursor refuses calls with the argument, and Gemini the whole list if a client passes it on as it is",
		Fix:     "make the argument optional instead of nullable",
		Sources: []string{"cursor/cursor#3778", "zed-industries/zed#44875"},
	},
	{
		ID: typeMissing, Refusals: []Refusal{{ClaudeCode, LosesQuality}, {Gemini, LosesQuality}},
		Problem: "the schema of an argument has no type, so some models send text", Fix: "say which types it takes",
		Sources: []string{"anthropics/claude-code#86459", "google-gemini/gemini-cli#4400"},
	},
	{
		ID: objectWithoutProperty, Refusals: []Refusal{{Gemini, LosesQuality}},
		Problem: "an object has no properties, so some models leave it empty", Fix: "describe its properties, or take a list of pairs",
		Sources: []string{"tanaikech/ToolsForMCPServer#13", "CherryHQ/cherry-studio#3270"},
	},
	{
		ID: descriptionLength, Refusals: []Refusal{{ClaudeCode, LosesQuality}, {OpenAI, LosesQuality}},
		Problem: "the description has more than 1024 characters: models of OpenAI of 2025 refuse it, and Claude Code cuts it at 2048", Fix: "shorten it",
		Sources: []string{"modelcontextprotocol/servers#799", "getsentry/sentry-mcp#106", "anthropics/claude-code#41593"},
	},
	{
		ID: geminiSubset, Refusals: []Refusal{{Gemini, LosesQuality}},
		Problem: "the schema has keywords or formats that clients remove for Gemini, so that the model doesn't see them", Fix: "repeat in the description what matters",
		Sources: []string{"google-gemini/gemini-cli#2237", "pizza-bot-app/pizza-bot#62", "zendev-sh/goai#108"},
	},
	{
		ID: geminiPropertyName, Refusals: []Refusal{{Gemini, LosesQuality}},
		Problem: "the name of an argument isn't a letter or _ followed by letters, digits and _", Fix: "rename the argument",
		Sources: []string{"https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration"},
	},
	{
		ID: openAIStrict, Refusals: []Refusal{{OpenAI, LosesQuality}},
		Problem: `the strict mode of OpenAI needs "additionalProperties":false and all properties in required`, Fix: "nothing, unless a client of yours sets strict",
		Sources: []string{"https://dev.to/multigrid/testing-strict-mode-for-structured-outputs-the-way-you-can-actually-test-it-5056", "makenotion/notion-mcp-server#102"},
	},
}

// of returns the rule with an ID, which the table has.
func of(id string) *Rule {
	for i := range rules {
		if rules[i].ID == id {
			return &rules[i]
		}
	}
	return nil
}
