package protocol

import "github.com/bowline-mcp/bowline/internal/jsonrpc"

// builtIn reports whether the engine itself answers a method, in one era at least.
func builtIn(method string) bool {
	switch method {
	case "server/discover", "tools/list", "tools/call", "initialize":
		return true
	}
	return false
}

// builtInNotification reports whether the engine itself hears a notification.
func builtInNotification(method string) bool {
	return method == "notifications/cancelled" || method == "notifications/initialized"
}

// removed reports whether the modern protocol has done away with a method. Such a
// method stays unknown there, whatever a user registers.
func removed(method []byte) bool {
	switch string(method) {
	case "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
		"tasks/result", "tasks/list":
		return true
	}
	return false
}

// route answers a call by its method.
func (c *Core) route(call *Call) {
	m, r := call.Message(), c.current.Load()
	switch method := string(m.Method); {
	case call.peer.Version.Modern() && removed(m.Method):
		call.fail(methodNotFound(m.Method))
	case method == "tools/call" && r.declaresTools:
		c.callTool(call, r)
	case method == "tools/list" && r.declaresTools:
		c.listTools(call, r)
	case method == "server/discover" && call.peer.Version.Modern():
		c.discover(call, r)
	default:
		own := r.methods[method]
		if own == nil {
			call.fail(methodNotFound(m.Method))
			return
		}
		c.callMethod(call, own)
	}
}

// callMethod answers with a method of the user's own.
func (c *Core) callMethod(call *Call, method Method) {
	result, fault := c.runMethod(call, method)
	if fault != nil {
		call.fail(fault)
		return
	}
	frame := jsonrpc.NewFrame()
	b := jsonrpc.AppendResult(frame.Open(), call.Message().ID)
	b = c.appendResult(b, call.peer.Version, result)
	frame.Close(jsonrpc.AppendEnd(b))
	call.finish("ok", 200, frame)
}

// runMethod runs a method under a watchdog.
func (c *Core) runMethod(call *Call, method Method) (result []byte, fault *Fault) {
	call.watch()
	defer func() {
		if c.ended(call, recover()) {
			fault = internalError()
		}
	}()
	return method(call)
}

// appendResult appends a raw result object with what the era adds to it.
func (c *Core) appendResult(dst []byte, v Version, result []byte) []byte {
	o := parseObject(result)
	if v.Modern() {
		if o.get("resultType") == nil {
			o.set("resultType", []byte(`"complete"`))
		}
		meta := parseObject(o.get("_meta"))
		meta.set(metaServerInfo, c.identity.modern)
		o.set("_meta", meta.append(nil))
	}
	return o.append(dst)
}
