package cli

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/client"
	"github.com/bowline-mcp/bowline/internal/cli/invocation"
	"github.com/bowline-mcp/bowline/internal/cli/questions"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A callOutput prints the progress and the result of a call.
type callOutput struct {
	stdout, stderr io.Writer
	raw            bool // whether the whole result is printed as JSON
	draws          bool // whether stderr is a terminal that can replace a line
	drawn          bool // whether a line of progress is on the terminal
}

func newCallOutput(stdout, stderr io.Writer, raw bool) *callOutput {
	return &callOutput{stdout: stdout, stderr: stderr, raw: raw, draws: questions.IsScreen(stderr)}
}

// A block is a part of a result: a content block, or the contents of a resource.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"` // of an image or audio, in base64
	Blob     string `json:"blob"` // of a resource, in base64
	MIMEType string `json:"mimeType"`
	URI      string `json:"uri"`
	Resource *block `json:"resource"`
}

// progress shows how far the call is. On a terminal, each line replaces the one before.
func (o *callOutput) progress(p client.Progress) {
	text := fmt.Sprint(p.Progress)
	if p.Total > 0 {
		text += fmt.Sprintf("/%v", p.Total)
	}
	if p.Message != "" {
		text += " " + naming.Printable(p.Message)
	}
	if o.draws {
		_, _ = fmt.Fprintf(o.stderr, "\r\x1b[K%s", text)
		o.drawn = true
		return
	}
	_, _ = fmt.Fprintln(o.stderr, "progress", text)
}

// endProgress removes the line of progress from the terminal.
func (o *callOutput) endProgress() {
	if o.drawn {
		_, _ = io.WriteString(o.stderr, "\r\x1b[K")
		o.drawn = false
	}
}

// tool prints the result of a tool, and returns the exit code. The text of an error goes to
// stderr.
func (o *callOutput) tool(name string, raw []byte) (int, error) {
	var result struct {
		Content    []block     `json:"content"`
		Structured codec.Value `json:"structuredContent"`
		IsError    bool        `json:"isError"`
	}
	if err := codec.Unmarshal(raw, &result); err != nil {
		return 0, fmt.Errorf("the result of %s is invalid: %w", name, err)
	}
	o.endProgress()
	out, code, start := o.stdout, invocation.ExitOK, ""
	if result.IsError {
		out, code, start = o.stderr, invocation.ExitFailure, "mcp: "+name+" failed: "
	}
	if o.raw {
		return code, o.json(raw)
	}
	if len(result.Content) == 0 && result.Structured != nil {
		result.Content = []block{{Type: "text", Text: string(result.Structured)}}
	}
	if len(result.Content) == 0 && result.IsError {
		result.Content = []block{{Type: "text", Text: "it gives no reason"}}
	}
	for _, part := range result.Content {
		if err := writeLine(out, start+part.String()); err != nil {
			return code, err
		}
		start = "" // it is in one write with the first text, since the server may write to stderr too
	}
	return code, nil
}

// prompt prints the messages of a prompt.
func (o *callOutput) prompt(raw []byte) error {
	var result struct {
		Messages []struct {
			Role    string `json:"role"`
			Content block  `json:"content"`
		} `json:"messages"`
	}
	if err := codec.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("the result is invalid: %w", err)
	}
	if o.raw {
		return o.json(raw)
	}
	for _, message := range result.Messages {
		if err := writeLine(o.stdout, message.Role+": "+message.Content.String()); err != nil {
			return err
		}
	}
	return nil
}

// resource prints the contents of a resource. Bytes go to a file or pipe unchanged.
func (o *callOutput) resource(raw []byte) error {
	var result struct {
		Contents []block `json:"contents"`
	}
	if err := codec.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("the result is invalid: %w", err)
	}
	if o.raw {
		return o.json(raw)
	}
	for _, contents := range result.Contents {
		data, err := base64.StdEncoding.DecodeString(contents.Blob)
		switch {
		case contents.Blob == "":
			err = writeLine(o.stdout, contents.Text)
		case err != nil:
			err = fmt.Errorf("the blob of %s isn't base64: %w", naming.Printable(contents.URI), err)
		case questions.IsTerminal(o.stdout):
			err = writeLine(o.stdout, contents.String())
		default:
			_, err = o.stdout.Write(data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// json prints a raw result.
func (o *callOutput) json(raw []byte) error {
	indented, err := codec.Indent(codec.Value(raw))
	if err != nil {
		return err
	}
	return writeLine(o.stdout, string(indented))
}

// String returns the text of a block, or a line that describes another kind of block.
func (b block) String() string {
	size := base64.StdEncoding.DecodedLen(len(b.Data+b.Blob)) - strings.Count(b.Data+b.Blob, "=")
	switch {
	case b.Type == "text":
		return b.Text
	case b.Type == "resource" && b.Resource != nil && b.Resource.Blob == "":
		return b.Resource.Text
	case b.Type == "resource" && b.Resource != nil:
		return b.Resource.String()
	case b.Type == "resource_link":
		return naming.Printable(b.URI)
	}
	return fmt.Sprintf("[%s, %d bytes]", naming.Printable(strings.TrimSpace(strings.Join([]string{b.Type, b.MIMEType, b.URI}, " "))), size)
}

// writeLine writes a text and ends its line. On a terminal, JSON is indented, and control
// characters, which the terminal would obey, are escaped.
func writeLine(out io.Writer, text string) error {
	if questions.IsTerminal(out) {
		text = naming.WithoutControls(indented(text))
	}
	line := []byte(text)
	if !bytes.HasSuffix(line, []byte("\n")) {
		line = append(line, '\n')
	}
	_, err := out.Write(line)
	return err
}

// indented returns a text that is an object or array of JSON with indents, and others unchanged.
func indented(text string) string {
	if trimmed := strings.TrimSpace(text); !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return text
	}
	made, err := codec.Indent(codec.Value(text))
	if err != nil {
		return text
	}
	return string(made)
}
