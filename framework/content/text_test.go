package content_test

import (
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
)

func TestTextAndMarkdownAreTheTextItself(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "Hello.", "# Title\n\n* one", "<a href=\"x\">&</a> \u2028 é"} {
		if got := content.Text(text); got.Type != content.TypeText || got.Text != text {
			t.Errorf("Text(%q) = %+v", text, got)
		}
		if got := content.Markdown(text); got.Type != content.TypeText || got.Text != text {
			t.Errorf("Markdown(%q) = %+v", text, got)
		}
	}
}

func TestCodeIsFenced(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, source, language, want string }{
		{"a line", `<?php echo "Hello";`, "php", "```php\n<?php echo \"Hello\";\n```"},
		{"no language", "x", "", "```\nx\n```"},
		{"a last line end is not doubled", "a\nb\n", "go", "```go\na\nb\n```"},
		{"nothing", "", "go", "```go\n\n```"},
		{"a fence inside needs a longer one outside", "```go\nx\n```", "md", "````md\n```go\nx\n```\n````"},
		{"a longer fence inside", "`````\nx\n`````", "md", "``````md\n`````\nx\n`````\n``````"},
		{"single backticks are no fence", "a `b` c", "", "```\na `b` c\n```"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := content.Code(test.source, test.language).Text; got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
