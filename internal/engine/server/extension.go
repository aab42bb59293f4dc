package server

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/attachment"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/changes"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
	"github.com/bowline-mcp/bowline/internal/spec"
)

// extensions are what the extensions of a server have.
type extensions struct {
	server  *Server
	results map[string]string // the extension of each type of results
	topics  []*servers.Topic
	running context.Context // ends when the server is closed
	stop    context.CancelFunc
}

// newExtensions returns the extensions of a server, none so far.
func newExtensions(server *Server) *extensions {
	x := &extensions{server: server, results: map[string]string{}}
	x.running, x.stop = context.WithCancel(context.Background())
	return x
}

// close ends the extensions, once the server is closed.
func (x *extensions) close() {
	for _, topic := range x.topics {
		attachment.Publishes(topic, x.server, nil)
	}
	x.stop()
}

// add registers what an extension has. It is started later.
func (x *extensions) add(e servers.Extension) error {
	if prefix, name, _ := strings.Cut(e.Identifier, "/"); prefix == "" || name == "" || strings.Contains(name, "/") {
		return fmt.Errorf("the extension %s: its identifier must be a reversed domain name, a slash and a name, such as \"com.example/search\"", naming.Printable(e.Identifier))
	}
	what := "the extension " + naming.Printable(e.Identifier)
	if x.server.extensions[e.Identifier] != nil {
		return fmt.Errorf("%s: the server has it already; list it once", what)
	}
	settings := e.Settings
	if settings == nil {
		settings = struct{}{}
	}
	problems := []error{x.server.AddCapability(e.Identifier, settings)}
	for _, method := range e.Methods {
		problems = append(problems, x.server.addMethod(e.Identifier, method))
	}
	for i, topic := range e.Topics {
		problems = append(problems, Within(fmt.Sprintf("topic %d", i+1), x.addTopic(e.Identifier, topic)))
	}
	for _, of := range e.ResultTypes {
		problems = append(problems, x.addResultType(e.Identifier, of))
	}
	return Within(what, errors.Join(problems...))
}

// addTopic registers a topic of an extension.
func (x *extensions) addTopic(extension string, topic *servers.Topic) error {
	switch {
	case topic == nil:
		return errors.New("it is nil; give a pointer to one, such as &servers.Topic{…}")
	case topic.Filter == "" || !strings.HasPrefix(topic.Notification, "notifications/"):
		return errors.New("it needs a Filter, such as \"searchesListChanged\", and a Notification, such as \"notifications/searches/list_changed\"")
	}
	added := &changes.Topic{
		Notification: topic.Notification, Filter: topic.Filter, Key: topic.Key, Extension: extension,
		Visible: x.visible(topic.Filter, topic.VisibleTo),
	}
	if topic.Params != nil {
		added.Params = params(topic)
	}
	if !x.server.core.Feed().Add(added) {
		return fmt.Errorf("the protocol or the server already has a topic with the filter %s or the notification %s; choose others", naming.Printable(topic.Filter), naming.Printable(topic.Notification))
	}
	attachment.Publishes(topic, x.server, func(key string) { x.server.core.Publish(changes.Change{Topic: added, Key: key}) })
	x.topics = append(x.topics, topic)
	return nil
}

// visible returns VisibleTo of a topic. If it panics, the key is hidden.
func (x *extensions) visible(topic string, visibleTo func(context.Context, string) bool) func(context.Context, string) bool {
	if visibleTo == nil {
		return nil
	}
	return func(ctx context.Context, key string) bool {
		return x.server.guarded(topic, func(ctx context.Context) bool { return visibleTo(ctx, key) }, nil)(ctx)
	}
}

// params returns Params of a topic, encoded. A panic becomes an error.
func params(topic *servers.Topic) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, key string) (encoded []byte, err error) {
		defer func() {
			if value := recover(); value != nil {
				err = fmt.Errorf("its Params panicked: %v\n%s", value, debug.Stack())
			}
		}()
		params, err := topic.Params(ctx, key)
		if err != nil {
			return nil, err
		}
		return encodeObject(params)
	}
}

// addResultType registers a type of results of an extension.
func (x *extensions) addResultType(extension, of string) error {
	if owner := x.results[of]; of == "" || of == "complete" || of == "input_required" || owner != "" {
		return fmt.Errorf("the result type %s belongs to the protocol or to another extension, or is empty; choose another", naming.Printable(of))
	}
	x.results[of] = extension
	return nil
}

// start calls Start of an extension.
func (x *extensions) start(e servers.Extension) (problem error) {
	if e.Start == nil {
		return nil
	}
	what := "Start of the extension " + naming.Printable(e.Identifier)
	defer func() {
		if value := recover(); value != nil {
			problem = fmt.Errorf("%s panics: %v\n%s", what, value, debug.Stack())
		}
	}()
	return Within(what, e.Start(x.running))
}

// typed returns the result of another type in which a call ends, or why the call can't end
// in it.
func (x *extensions) typed(k *call.Call, typed *exchange.TypedResult) (call.Result, error) {
	extension, facts := x.results[typed.Type], k.Facts()
	encoded, err := encodeObject(typed.Value)
	switch {
	case extension == "":
		err = fmt.Errorf("no extension of the server declares the result type %q; list it in ResultTypes of one", typed.Type)
	case !facts.Version.Modern():
		err = fmt.Errorf("clients of the version %s have no result types; return a usual result to them", facts.Version)
	case !facts.Declares(extension):
		err = fmt.Errorf("the client doesn't declare the extension %s, to which the result type %q belongs; return a usual result to it", extension, typed.Type)
	}
	if err != nil {
		return nil, fmt.Errorf("the call can't end in a result of another type: %w", err)
	}
	object := spec.ParseObject(encoded)
	object.Set("resultType", codec.AppendQuote(nil, typed.Type))
	return &protocol.Object{JSON: object.Append(nil)}, nil
}
