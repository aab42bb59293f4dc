package content

// The MIME types that most contents have. A type is any string, so that others fit
// wherever these do.
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
