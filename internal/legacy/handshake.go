package legacy

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/jsonrpc"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// maxIntroduction is how much a client may say of itself, in bytes. A session keeps
// it.
const maxIntroduction = 16 << 10

// agree reads an initialize request. The version is the one that the client asked
// for if it is spoken here, else the newest that begins with a handshake.
func agree(core *protocol.Core, m *jsonrpc.Message) (protocol.Peer, *protocol.Fault) {
	var params struct {
		ProtocolVersion string      `json:"protocolVersion"`
		Capabilities    codec.Value `json:"capabilities"`
		ClientInfo      codec.Value `json:"clientInfo"`
	}
	if err := codec.Unmarshal(m.Params, &params); err != nil || params.ProtocolVersion == "" {
		return protocol.Peer{}, &protocol.Fault{
			Code: jsonrpc.InvalidParams, Message: "Invalid params: initialize needs a protocolVersion, such as \"2025-11-25\"",
		}
	}
	if len(params.ClientInfo)+len(params.Capabilities) > maxIntroduction {
		return protocol.Peer{}, &protocol.Fault{
			Code: jsonrpc.InvalidParams, Message: fmt.Sprintf("Invalid params: clientInfo and capabilities may have %d bytes together", maxIntroduction),
		}
	}
	legacy := core.Versions().Legacy()
	// They are kept as long as the session, without the room to grow that decoding leaves.
	peer := protocol.Peer{Version: legacy[0], Info: bytes.Clone(params.ClientInfo), Capabilities: bytes.Clone(params.Capabilities), Interest: core.NewInterest()}
	if v := protocol.ParseVersion(params.ProtocolVersion); legacy.Has(v) {
		peer.Version = v
	}
	return peer, nil
}

// answer sends a raw result.
func answer(m *jsonrpc.Message, result []byte, r protocol.Reply) {
	frame := jsonrpc.NewFrame()
	defer frame.Free()
	b := jsonrpc.AppendResult(frame.Open(), m.ID)
	frame.Close(jsonrpc.AppendEnd(append(b, result...)))
	r.Finish(http.StatusOK, frame)
}

// isRequest reports whether a message is a request of that method.
func isRequest(m *jsonrpc.Message, method string) bool {
	return m.Kind == jsonrpc.Request && string(m.Method) == method
}

// refuse is a fault of the request itself.
func refuse(status int, format string, args ...any) *protocol.Fault {
	code := jsonrpc.InvalidRequest
	if status >= http.StatusInternalServerError {
		code = jsonrpc.InternalError
	}
	return &protocol.Fault{Code: code, Message: fmt.Sprintf(format, args...), Status: status}
}
