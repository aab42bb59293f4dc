package ask

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// A URLQuestion sends the user to a web page (MCP 2026-07-28, elicitation in URL
// mode). [URL] makes one.
type URLQuestion struct {
	early[URLQuestion]
	message string
	url     string
}

// URL asks the user to open a web page, for example to sign in to another service or to
// pay. The message says why. Use a page to ask for secrets, since the client doesn't see
// what the user enters there.
//
// An accepted answer means that the user agreed to open the page, not that the user did
// anything there. The page itself must verify that its visitor is the user who was asked
// (EL-5). The URL must not contain a secret or personal data (EL-4). It must be absolute,
// with the scheme https, or http on a loopback host.
func URL(message, url string) *URLQuestion {
	q := &URLQuestion{message: message, url: url}
	q.self, q.draft = q, request.NewDraft(q.compile)
	return q
}

func (q *URLQuestion) compile() (*checked, error) {
	problems := checkMessage(q.message)
	if err := checkURL(q.url); err != nil {
		problems = append(problems, err)
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("the question %.60q with the URL %.100q: %w", q.message, q.url, errors.Join(problems...))
	}
	return &checked{Method: methodElicit, Early: q.isEarly, Kind: &compiledURL{q.message, q.url}}, nil
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("the URL doesn't lead to a web page; write it in full, such as https://example.com/connect")
	case u.User != nil:
		return errors.New("the URL contains a user or password; remove it and let the page ask")
	case u.Scheme == "http" && !naming.IsLoopback(u.Hostname()):
		return errors.New("the URL is http, which the network can read and change; use https")
	}
	return nil
}

// A compiledURL is a URL question that has been checked.
type compiledURL struct{ message, url string }

func (u *compiledURL) Since() spec.Version { return spec.Version20251125 }

func (u *compiledURL) Missing(client []byte, _ spec.Version) string {
	if !capabilities(client).declare("elicitation", "url") {
		return `{"elicitation":{"url":{}}}`
	}
	return ""
}

func (u *compiledURL) Params([]byte, spec.Version) []byte {
	dst := codec.AppendQuote([]byte(`{"mode":"url","message":`), u.message)
	dst = codec.AppendQuote(append(dst, `,"url":`...), u.url)
	return append(dst, '}')
}

func (u *compiledURL) Answer(_ request.Call, _ string, raw []byte) (*Answer, error) {
	answer, _, err := readElicited(raw)
	return answer, err
}
