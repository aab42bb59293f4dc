package content

import "strings"

// Text returns a block of plain text.
func Text(text string) Block { return Block{Type: TypeText, Text: text} }

// Markdown returns a block of text that is Markdown. The protocol has no type for
// it; clients show text as Markdown anyway.
func Markdown(text string) Block { return Text(text) }

// Code returns a block of text that is source code in a fence, such as
// Code("fmt.Println()", "go"). The fence is longer than any in the source.
func Code(source, language string) Block {
	fence := "```"
	for strings.Contains(source, fence) {
		fence += "`"
	}
	return Text(fence + language + "\n" + strings.TrimSuffix(source, "\n") + "\n" + fence)
}
