package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/protocol"
)

// AddResource registers a resource or a template.
func (e *engine) AddResource(resource servers.Resource) (problem error) {
	what := fmt.Sprintf("%T", resource)
	if isNil(resource) {
		return errors.New("it is nil; give a pointer to a resource, such as &resources.ReadmeResource{}")
	}
	defer rescueRegistration(&problem, what, "resources.Resource")
	compiled, err := resources.Compile(resource)
	if err := errors.Join(err, resources.Check(resource), checkIcons(resource.Icons()), checkHooks(resource)); err != nil {
		return err
	}
	run := &resourceRunner{engine: e, resource: resource, compiled: compiled}
	item := protocol.Item{Key: compiled.Definition.URI, Definition: compiled.JSON, Timeout: compiled.Timeout, Visible: e.visibility(compiled.Definition.URI, resource)}
	if compiled.Template == nil {
		err = e.core.AddResource(&protocol.Resource{Item: item, Read: func(call *protocol.Call, uri string) ([]byte, *protocol.Fault) {
			return run.read(call, uri, nil)
		}})
	} else {
		template := &protocol.Template{Item: item, Match: compiled.Template.Match, Literals: compiled.Template.Literals(), Read: run.read}
		if compiled.Sources != nil {
			template.Complete = e.completer(compiled.Sources)
		}
		err = e.core.AddTemplate(template)
	}
	if err != nil {
		return fmt.Errorf("the resource %s: %w: the server has a resource of that URI already", compiled.Definition.URI, err)
	}
	return nil
}

// RemoveResource takes a resource or a template out.
func (e *engine) RemoveResource(uri string) bool { return e.core.RemoveResource(uri) }

// A resourceRunner reads one resource, or those of one template, for the core.
type resourceRunner struct {
	engine   *engine
	resource servers.Resource
	compiled *resources.Compiled
}

func (r *resourceRunner) read(call *protocol.Call, uri string, variables map[string]string) ([]byte, *protocol.Fault) {
	return answer(call, func(link exchange.Link) (resources.Request, error) {
		return resources.NewRequest(link, r.compiled, uri, variables), nil
	}, r.handle, func(call *protocol.Call, err error) *protocol.Fault {
		return r.fail(call, uri, err)
	})
}

func (r *resourceRunner) handle(ctx context.Context, request *resources.Request) ([]byte, error) {
	result, err := r.resource.Handle(ctx, request)
	if err != nil {
		return nil, err
	}
	finished, err := resources.Finish(r.compiled, request.URI(), result)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(finished)
}

// fail turns an error into what the client gets. One that says that there is no such
// resource is the same as that of a URI that nothing matches.
func (r *resourceRunner) fail(call *protocol.Call, uri string, err error) *protocol.Fault {
	var own *exchange.Error
	var readable *resources.ReadError
	switch {
	case errors.Is(err, exchange.ErrResourceNotFound):
		return protocol.ResourceNotFound(uri, call.Peer().Version)
	case errors.As(err, &own):
	case errors.As(err, &readable):
		call.Logger().Debug("a resource refused to be read", "uri", r.compiled.Definition.URI, "error", err)
		return &protocol.Fault{Code: exchange.CodeInternalError, Message: readable.Error()}
	}
	return r.engine.fault(call, err)
}
