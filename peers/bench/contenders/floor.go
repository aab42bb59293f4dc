package contenders

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// The floor is the code that a Go programmer would write by hand for this one tool, with only the
// standard library. It decodes the message once into typed structs and encodes the reply once. It
// checks nothing.

type floorCall struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  struct {
		Name      string      `json:"name"`
		Arguments wire.EchoIn `json:"arguments"`
		Meta      struct {
			ProtocolVersion    string                  `json:"io.modelcontextprotocol/protocolVersion"`
			ClientInfo         floorImplementation     `json:"io.modelcontextprotocol/clientInfo"`
			ClientCapabilities floorClientCapabilities `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	} `json:"params"`
}

type floorImplementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type floorClientCapabilities struct{}

type floorText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type floorReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  floorResult     `json:"result"`
}

type floorResult struct {
	ResultType        string        `json:"resultType,omitempty"`
	Content           []floorText   `json:"content"`
	StructuredContent wire.EchoOut  `json:"structuredContent"`
	Meta              *floorAboutMe `json:"_meta,omitempty"`
}

type floorAboutMe struct {
	ServerInfo floorImplementation `json:"io.modelcontextprotocol/serverInfo"`
}

// answer decodes a call and encodes its reply in the era of the call.
func answer(message []byte) ([]byte, error) {
	var call floorCall
	if err := json.Unmarshal(message, &call); err != nil {
		return nil, err
	}
	out := wire.Echo(call.Params.Arguments)
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	reply := floorReply{Version: "2.0", ID: call.ID}
	reply.Result.Content = []floorText{{Type: "text", Text: string(text)}}
	reply.Result.StructuredContent = out
	if call.Params.Meta.ProtocolVersion != "" {
		reply.Result.ResultType = "complete"
		reply.Result.Meta = &floorAboutMe{floorImplementation{name, version}}
	}
	return json.Marshal(reply)
}

// Floor returns the floor over HTTP.
func Floor() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(r.Body, body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply, err := answer(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(reply)))
		w.Write(reply) //nolint:errcheck // the client notices
	})
}

// FloorStdio is the floor over stdio. It answers each line with a line, and logs a line.
func FloorStdio(in io.Reader, out io.Writer, logger *slog.Logger) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	logger = logger.With("server", name)
	for request := 1; ; request++ {
		begun := time.Now()
		line, err := reader.ReadSlice('\n')
		if err == io.EOF { //nolint:errorlint // bufio returns it bare, and the floor does the minimum
			return nil
		}
		if err != nil {
			return err
		}
		reply, err := answer(line)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(reply, '\n')); err != nil {
			return err
		}
		logger.Info("call", "request", request, "tool", EchoTool, "outcome", "ok", "took", time.Since(begun), "version", "2026-07-28")
	}
}
