package content

import (
	"mime"
	"net/http"
	"path/filepath"
	"strings"
)

// Common MIME types. Any other string may be used in their place.
const (
	MIMEPlain    = "text/plain"
	MIMEHTML     = "text/html"
	MIMEMarkdown = "text/markdown"
	MIMEJSON     = "application/json"
	MIMEXML      = "application/xml"
	MIMEPDF      = "application/pdf"
	MIMEBinary   = "application/octet-stream" // bytes of an unknown type
	MIMEPNG      = "image/png"
	MIMEJPEG     = "image/jpeg"
	MIMEGIF      = "image/gif"
	MIMESVG      = "image/svg+xml"
	MIMEWAV      = "audio/wav"
)

// IsText reports whether a MIME type denotes text, such as text/plain, application/json
// or image/svg+xml.
func IsText(mimeType string) bool {
	kind, _, _ := strings.Cut(mimeType, ";")
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") ||
		kind == MIMEJSON || kind == MIMEXML || kind == "application/javascript" || kind == "application/yaml"
}

// TypeOf derives the MIME type of a file from its name, or from its contents if the name doesn't tell.
func TypeOf(name string, data []byte) string {
	if mimeType := mime.TypeByExtension(filepath.Ext(name)); mimeType != "" {
		return mimeType
	}
	return http.DetectContentType(data)
}
