package paths

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/bowline-mcp/bowline/peers/bench/measure"
	"github.com/bowline-mcp/bowline/peers/bench/wire"
)

// inSession does the legacy handshake with the handler, and returns the request for the session.
func inSession(handler http.Handler, request wire.Request) (wire.Request, error) {
	first := measure.NewHandler(handler, endpoint, wire.Initialize())
	defer first.Close()
	reply := first.Do()
	id := reply.Header().Get("Mcp-Session-Id")
	frames := wire.Frames(reply.Body)
	if reply.Status != http.StatusOK || id == "" || len(frames) != 1 {
		return wire.Request{}, fmt.Errorf("initialize opened no session: status %d: %.300s", reply.Status, reply.Body)
	}
	var agreed struct {
		Result struct {
			ProtocolVersion string `json:"protocolVersion"`
		} `json:"result"`
	}
	if err := json.Unmarshal(frames[0], &agreed); err != nil {
		return wire.Request{}, fmt.Errorf("read the answer to initialize: %w", err)
	}
	second := measure.NewHandler(handler, endpoint, wire.Initialized().InSession(id, agreed.Result.ProtocolVersion))
	defer second.Close()
	if reply := second.Do(); reply.Status != http.StatusAccepted {
		return wire.Request{}, fmt.Errorf("notifications/initialized: status %d: %.300s", reply.Status, reply.Body)
	}
	return request.InSession(id, agreed.Result.ProtocolVersion), nil
}
