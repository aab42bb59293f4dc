package servers

// An Engine is what the Add methods of a [Server] work on. Programs have no use
// for it.
type Engine interface {
	AddTool(tool Tool) error
	RemoveTool(name string) bool
	AddResource(resource Resource) error
	RemoveResource(uri string) bool
	ResourceUpdated(uri string)
	AddPrompt(prompt Prompt) error
	RemovePrompt(name string) bool
	AddMethod(name string, method Method) error
	AddNotification(name string, listener Listener) error
	AddCapability(name string, value any) error
}

// Open gives a server its engine. One that has an engine already keeps it, and
// Open returns that. It is for the engine.
func Open(server Interface, engine Engine) (_ Engine, opened bool) {
	s := server.base()
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.engine != nil {
		return s.engine, false
	}
	s.engine = engine
	return engine, true
}

// Close takes that engine away from a server, unless it has another. It is for the
// engine.
func Close(server Interface, engine Engine) {
	s := server.base()
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.engine == engine {
		s.engine = nil
	}
}
