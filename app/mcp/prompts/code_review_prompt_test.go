package prompts_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/mcptest"

	"github.com/bowline-mcp/bowline/app/mcp/prompts"
	"github.com/bowline-mcp/bowline/app/mcp/servers"
)

func TestCodeReviewPromptAsksForAReview(t *testing.T) {
	mcptest.Prompt(t, &prompts.CodeReviewPrompt{}, mcptest.Args{"code": "x := 1", "language": "go", "style": "formal"}).
		AssertOK().
		AssertSee("Your tone is formal.", "```go\nx := 1\n```")
	mcptest.Prompt(t, &prompts.CodeReviewPrompt{}, mcptest.Args{"code": "x := 1"}).
		AssertOK().
		AssertSee("Your tone is casual.", "```\nx := 1\n```")
}

func TestCodeReviewPromptRequiresCodeAndHasTwoStyles(t *testing.T) {
	mcptest.Prompt(t, &prompts.CodeReviewPrompt{}, nil).AssertError(`"code" is missing`)
	mcptest.Prompt(t, &prompts.CodeReviewPrompt{}, mcptest.Args{"code": "", "style": "rude"}).AssertError(`"style" must be one of "casual", "formal"`)
}

func TestCodeReviewPromptSuggestsLanguagesAndStyles(t *testing.T) {
	client := mcptest.New(t, &servers.DemoServer{})
	client.CompletePrompt("code-review", "language", "p", nil).AssertOK().AssertSee("php\npython")
	client.CompletePrompt("code-review", "style", "f", nil).AssertOK().AssertSee("formal")
}
