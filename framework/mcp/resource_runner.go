package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
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
	own := resource.Guardrails()
	if err := errors.Join(err, resources.Check(resource), checkIcons(resource.Icons()), checkHooks(resource),
		within(what, guardrails.Check(own, guardrails.Read, guardrails.Complete))); err != nil {
		return err
	}
	uri := compiled.Definition.URI
	run := &resourceRunner{engine: e, resource: resource, compiled: compiled}
	rails, stack := e.rails(guardrails.Read, uri, own)
	run.rails = rails
	item := e.item(uri, compiled.JSON, compiled.Timeout, resource, stack)
	if compiled.Template == nil {
		err = e.core.AddResource(&protocol.Resource{Item: item, Read: func(call *protocol.Call, uri string) ([]byte, *protocol.Fault) {
			return run.read(call, uri, nil)
		}})
	} else {
		err = e.core.AddTemplate(&protocol.Template{
			Item: item, Match: compiled.Template.Match, Literals: compiled.Template.Literals(), Read: run.read, Shape: compiled.Template.Shape(),
			Complete: e.completer(uri, compiled.Sources, own),
		})
	}
	if duplicate, ok := errors.AsType[*protocol.DuplicateError](err); ok && duplicate.Other.Key != uri {
		return fmt.Errorf("the resource %s (%s): its URIs are those of %s (%s), which would be read for all of them; drop one of them, or give one of them another URI",
			uri, origin(resource), duplicate.Other.Key, duplicate.Other.Origin)
	}
	if err != nil {
		return taken("the resource "+uri, resource, err, "a resource of that URI", "give one of them another URI")
	}
	e.warnOfNamesake(uri, compiled.Definition.Name)
	return nil
}

// warnOfNamesake warns if another resource has the name of a new one: the URI tells them
// apart, but clients show the name.
func (e *engine) warnOfNamesake(uri, name string) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.resourceNames == nil {
		e.resourceNames = map[string]string{}
	}
	if other, taken := e.resourceNames[name]; taken {
		e.config.Logger.Warn("two resources have the same name; define Name on one of them", "server", e.what, "name", name, "uri", uri, "other", other)
	}
	e.resourceNames[name] = uri
}

// RemoveResource takes a resource or a template out.
func (e *engine) RemoveResource(uri string) bool {
	e.lock.Lock()
	maps.DeleteFunc(e.resourceNames, func(_, of string) bool { return of == uri })
	e.lock.Unlock()
	return e.core.RemoveResource(uri)
}

// A resourceRunner reads one resource, or those of one template, for the core.
type resourceRunner struct {
	engine   *engine
	resource servers.Resource
	compiled *resources.Compiled
	rails    *rails
}

func (r *resourceRunner) read(call *protocol.Call, uri string, variables map[string]string) ([]byte, *protocol.Fault) {
	return answer[resources.Request](call, r.rails, reading{r, uri, variables})
}

// reading asks for the contents of a URI.
type reading struct {
	runner    *resourceRunner
	uri       string
	variables map[string]string
}

func (r reading) request(link exchange.Link) (resources.Request, error) {
	return resources.NewRequest(link, r.runner.compiled, r.uri, r.variables), nil
}

func (r reading) handle(ctx context.Context, request *resources.Request) ([]byte, error) {
	result, err := r.runner.resource.Handle(ctx, request)
	if err != nil {
		return nil, err
	}
	finished, err := resources.Finish(r.runner.compiled, r.uri, result)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(finished)
}

// fault turns an error into what the client gets. One that says that there is no such
// resource is the same as that of a URI that nothing matches.
func (r reading) fault(call *protocol.Call, err error) *protocol.Fault {
	if errors.Is(err, exchange.ErrResourceNotFound) {
		return protocol.ResourceNotFound(r.uri, call.Peer().Version)
	}
	return r.runner.engine.fault(call, err)
}

func (r reading) argument(name string) []byte {
	if value, ok := r.variables[name]; ok {
		return codec.AppendQuote(nil, value)
	}
	return nil
}
