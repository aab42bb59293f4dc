package assessment

import "github.com/bowline-mcp/bowline/internal/spec"

// ListTools is the name of the list of tools.
const ListTools = "tools"

// bytesPerToken is how many bytes of English text and JSON a token has on average. The
// tokenizers of models differ by a third.
const bytesPerToken = 4

// A Size is the size of a list. Tokens is an estimate, for tools only: models read no other
// list.
type Size struct {
	List    string `json:"list"`
	Entries int    `json:"entries"`
	Bytes   int    `json:"bytes"`
	Tokens  int    `json:"estimatedTokens,omitempty"`
}

// SizeOf returns the size of a list with a name. The bytes are those of the raw entries, as the
// client gets them.
func SizeOf(list string, entries [][]byte) Size {
	size, read := Size{List: list, Entries: len(entries)}, 0
	for _, entry := range entries {
		size.Bytes += len(entry)
		read += bytesRead(entry)
	}
	if list == ListTools {
		size.Tokens = Tokens(read)
	}
	return size
}

// Tokens estimates how many tokens a text with a number of bytes has.
func Tokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }

// bytesRead returns how many bytes of a tool models read: those of its name, its description and
// the schema of its arguments.
func bytesRead(tool []byte) (size int) {
	for _, member := range spec.ParseObject(tool) {
		switch member.Name {
		case "name", "description", "inputSchema":
			size += len(member.Value)
		}
	}
	return size
}
