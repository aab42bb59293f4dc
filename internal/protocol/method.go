package protocol

// builtIn reports whether the engine itself answers a method, in one era at least.
func builtIn(method string) bool {
	switch method {
	case "server/discover", "initialize", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
		"prompts/list", "prompts/get", "completion/complete", "subscriptions/listen":
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
	modern := call.peer.Version.Modern()
	switch method := string(m.Method); {
	case modern && removed(m.Method):
		call.fail(methodNotFound(m.Method))
	case method == "tools/call" && r.tools.declared:
		c.callTool(call, r)
	case method == "tools/list" && r.tools.declared:
		list(c, call, r, &r.tools, &c.listings.tools)
	case method == "resources/read" && r.offersResources():
		c.readResource(call, r)
	case method == "resources/list" && r.offersResources():
		list(c, call, r, &r.resources, &c.listings.resources)
	case method == "resources/templates/list" && r.offersResources():
		list(c, call, r, &r.templates, &c.listings.templates)
	case method == "resources/subscribe" && r.takesSubscriptions(call):
		c.subscribe(call, r, true)
	case method == "resources/unsubscribe" && r.takesSubscriptions(call):
		c.subscribe(call, r, false)
	case method == "prompts/get" && r.prompts.declared:
		c.getPrompt(call, r)
	case method == "prompts/list" && r.prompts.declared:
		list(c, call, r, &r.prompts, &c.listings.prompts)
	case method == "completion/complete" && r.completes:
		c.complete(call, r)
	case method == "server/discover" && modern:
		c.discover(call, r)
	default:
		own := r.methods[method]
		if own == nil {
			call.fail(methodNotFound(m.Method))
			return
		}
		c.answerObject(call, false, func() ([]byte, *Fault) { return own(call) })
	}
}

// offersResources reports whether the server declares resources.
func (r *Registry) offersResources() bool { return r.resources.declared || r.templates.declared }

// appendResult appends a raw result object, in its newest shape, as a version knows
// it and with what the era adds.
func (c *Core) appendResult(dst []byte, v Version, result []byte, cacheable bool) []byte {
	o := parseObject(result)
	if !v.Modern() {
		downgradeResult(&o, v)
		return o.append(dst)
	}
	if o.get("resultType") == nil {
		o.set("resultType", []byte(`"complete"`))
	}
	if cacheable && o.get("ttlMs") == nil {
		o.set("ttlMs", []byte("0"))
		o.set("cacheScope", []byte(`"private"`))
	}
	meta := parseObject(o.get("_meta"))
	meta.set(metaServerInfo, c.identity.modern)
	o.set("_meta", meta.append(nil))
	return o.append(dst)
}
