package content_test

import (
	"mime"
	"net/http"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
)

func TestMIMETypesMatchTheirNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ got, want, begins string }{ // the beginning of such a file, if Go detects the type
		{content.MIMEPlain, "text/plain", "Hello."},
		{content.MIMEHTML, "text/html", "<!DOCTYPE html>"},
		{content.MIMEMarkdown, "text/markdown", ""},
		{content.MIMEJSON, "application/json", ""},
		{content.MIMEXML, "application/xml", ""},
		{content.MIMEPDF, "application/pdf", "%PDF-1.7"},
		{content.MIMEBinary, "application/octet-stream", "\x00\x01"},
		{content.MIMEPNG, "image/png", "\x89PNG\r\n\x1a\n"},
		{content.MIMEJPEG, "image/jpeg", "\xff\xd8\xff"},
		{content.MIMEGIF, "image/gif", "GIF89a"},
		{content.MIMESVG, "image/svg+xml", ""},
		{content.MIMEWAV, "audio/wav", ""},
	} {
		if kind, params, err := mime.ParseMediaType(test.got); err != nil || kind != test.want || len(params) > 0 {
			t.Errorf("%s is %s with %v, %v; want %s", test.got, kind, params, err, test.want)
		}
		if told, _, _ := strings.Cut(http.DetectContentType([]byte(test.begins)), ";"); test.begins != "" && told != test.got {
			t.Errorf("a file that begins with %q is of type %s, not %s", test.begins, told, test.got)
		}
	}
}
