package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/framework/guardrails"
	"github.com/bowline-mcp/bowline/framework/resources"
	"github.com/bowline-mcp/bowline/framework/servers"
	"github.com/bowline-mcp/bowline/internal/engine/call"
	"github.com/bowline-mcp/bowline/internal/engine/chain"
	"github.com/bowline-mcp/bowline/internal/engine/declaration"
	"github.com/bowline-mcp/bowline/internal/engine/fault"
	"github.com/bowline-mcp/bowline/internal/engine/protocol"
	"github.com/bowline-mcp/bowline/internal/engine/request"
	"github.com/bowline-mcp/bowline/internal/engine/seam"
	"github.com/bowline-mcp/bowline/internal/json/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A resource serves one resource, or the resources of one template, to the core.
type resource struct {
	server     *Server
	handler    servers.Resource
	definition resources.Definition // its URI may be a template
	template   *resources.Template  // nil for a single resource
	subject    request.Subject
	sources    map[string]completion.Source
	hidden     bool // whether some clients don't see it
}

// AddResource registers a resource or a template.
func (s *Server) AddResource(handler servers.Resource) error {
	return registration{s, added()}.addResource(handler)
}

func (s registration) addResource(handler servers.Resource) (problem error) {
	if isNil(handler) {
		return errors.New("it is nil; give a pointer to a resource, such as &resources.ReadmeResource{}")
	}
	what := fmt.Sprintf("%T", handler)
	defer rescue(&problem, what, "resources.Resource")
	r, encoded, err := s.compileResource(handler)
	own, uri := handler.Guardrails(), r.definition.URI
	if err := errors.Join(err, s.checkFields(handler), checkMade(handler), checkIcons(handler.Icons()), Within(what, checkHooks(handler)),
		Within(what, s.checkOwn("the resource "+uri, own, chain.Read|chain.Complete)),
		Within(what, s.cacheHints.check("the resource "+uri, handler, r.definition.CacheHint, own, chain.Read))); err != nil {
		return err
	}
	operation, around := s.withGuardrails(plainOperation{
		kind: guardrails.Read, key: uri, own: own, timeout: r.definition.Timeout, asks: true, do: r.do, explain: r.explain,
	})
	item := s.item(operation, encoded, handler, around, s.cacheHints.hint)
	r.hidden, item.Yields = item.Visible != nil, s.at.yields
	if r.template == nil {
		err = s.core.AddResource(&protocol.Resource{Item: item})
	} else {
		err = s.core.AddTemplate(&protocol.Template{
			Item: item, Match: r.template.Match, Literals: r.template.Literals(), Shape: r.template.Shape(), Complete: s.completion(&r.subject, r.sources, own),
		})
	}
	if duplicate, ok := errors.AsType[*protocol.DuplicateError](err); ok && duplicate.Other.Key != uri {
		return fmt.Errorf("the resource %s (%s): its URIs are the same as those of %s (%s), which would serve all of them; drop one of the two, or change its URI",
			uri, origin(handler), duplicate.Other.Key, duplicate.Other.Origin)
	}
	if err != nil {
		return taken("the resource "+uri, handler, err, "a resource of that URI", "give one of them another URI")
	}
	s.warnOfNamesake(uri, r.definition.Name)
	return nil
}

// warnOfNamesake warns if another resource has the name of a new one. Their URIs differ, but
// clients show the names.
func (s *Server) warnOfNamesake(uri, name string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.resourceNames == nil {
		s.resourceNames = map[string]string{}
	}
	if other, taken := s.resourceNames[name]; taken && other != uri {
		s.config.Logger.Warn("two resources have the same name; define Name on one of them", "server", s.what, "name", name, "uri", uri, "other", other)
	}
	s.resourceNames[name] = uri
}

// RemoveResource removes a resource or a template.
func (s *Server) RemoveResource(uri string) bool {
	s.lock.Lock()
	maps.DeleteFunc(s.resourceNames, func(_, of string) bool { return of == uri || of == naming.NormalizeURI(uri) })
	s.lock.Unlock()
	return s.core.RemoveResource(uri)
}

// compileResource reads the definition of a resource. The error lists its mistakes, except
// those for which AddResource checks.
func (s *Server) compileResource(handler servers.Resource) (r *resource, encoded []byte, problem error) {
	definition := resources.Definition{
		URI: handler.URI(), Description: strings.TrimSpace(handler.Description()), MIMEType: handler.MIMEType(), Size: handler.Size(),
		Icons: handler.Icons(), Annotations: handler.Annotations(), Meta: handler.Meta(), Timeout: handler.Timeout(), CacheHint: handler.CacheHint(),
	}
	definition.Name, definition.Title = names(naming.Resource, handler)
	problems := checkResource(&definition)
	var template *resources.Template
	var err error
	if strings.ContainsAny(definition.URI, "{}") {
		template, err = resources.ParseTemplate(definition.URI)
		problems = append(problems, err)
		if definition.Size != 0 {
			problems = append(problems, errors.New("its URI is a template, whose resources have no common size; drop Size"))
		}
	} else {
		problems = append(problems, checkURI(definition.URI))
		definition.URI = naming.NormalizeURI(definition.URI)
	}
	r = &resource{server: s, handler: handler, definition: definition, template: template}
	var variables resources.Variables
	handler.Variables(&variables)
	if err == nil {
		r.sources, err = suggestions(*(*seam.Cell[declaration.Variables])(&variables).Get(), r.template)
		problems = append(problems, err)
	}
	r.subject.Name, r.subject.Of, r.subject.What = definition.URI, "the resource "+definition.URI, "variable"
	if r.template != nil {
		r.subject.Declared = r.template.Variables()
	}
	if r.template == nil {
		encoded, err = codec.Marshal(definition)
	} else {
		encoded, err = codec.Marshal(resources.TemplateDefinition{
			URITemplate: definition.URI, Name: definition.Name, Title: definition.Title, Description: definition.Description,
			MIMEType: definition.MIMEType, Icons: definition.Icons, Annotations: definition.Annotations, Meta: definition.Meta,
		})
	}
	if err := errors.Join(append(problems, err)...); err != nil {
		return r, nil, fmt.Errorf("%s (%T): %w", naming.Printable(definition.Name), handler, err)
	}
	return r, encoded, nil
}

// checkResource returns the mistakes in a definition, except those in its URI.
func checkResource(d *resources.Definition) []error {
	var problems []error
	if d.Name == "" {
		problems = append(problems, errors.New("it has no name; define Name, or give its type one"))
	}
	if d.Size < 0 {
		problems = append(problems, fmt.Errorf("its Size is %d; it must be a number of bytes, or 0 if unknown", d.Size))
	}
	problems = append(problems, checkTimeout(d.Timeout))
	if d.Annotations == nil {
		return problems
	}
	if p := d.Annotations.Priority; p != nil && !(*p >= 0 && *p <= 1) {
		problems = append(problems, fmt.Errorf("the priority of its Annotations is %v; it must be from 0 to 1", *p))
	}
	for _, role := range d.Annotations.Audience {
		if role != content.User && role != content.Assistant {
			problems = append(problems, fmt.Errorf("the audience of its Annotations has %q; it must be content.User or content.Assistant", role))
		}
	}
	return problems
}

// checkURI refuses relative URIs and those that RFC 3986 doesn't allow.
func checkURI(uri string) error {
	switch {
	case uri == "":
		return errors.New("it has no URI; give it one, such as docs://handbook")
	case !naming.HasScheme(uri):
		return fmt.Errorf("its URI %q must begin with a scheme, as docs://handbook does", uri)
	case !naming.IsURI(uri):
		return fmt.Errorf("its URI %q is not valid (RFC 3986); percent-encode what may not be in one, and write variables in braces, as in users://{id}", uri)
	}
	return nil
}

// suggestions returns the completion sources by variable, and all mistakes in them.
func suggestions(declared declaration.Variables, template *resources.Template) (map[string]completion.Source, error) {
	if len(declared) == 0 {
		return nil, nil
	}
	if template == nil {
		return nil, errors.New("the method Variables: its URI has no variables; put them in braces, as in users://{id}, or drop Variables")
	}
	var problems []error
	sources := map[string]completion.Source{}
	for _, variable := range declared {
		problem := func(format string, args ...any) {
			problems = append(problems, fmt.Errorf("the variable %q: "+format, append([]any{variable.Name}, args...)...))
		}
		if !slices.Contains(template.Variables(), variable.Name) {
			problem("the URI %s has no such variable; it has %s", template, naming.Quoted(template.Variables()))
		}
		if sources[variable.Name] != nil || len(variable.Sources) != 1 {
			problem("it needs one source of suggestions: either Complete or Enum, once")
			continue
		}
		if err := checkSource(variable.Sources[0]); err != nil {
			problem("%w", err)
		}
		sources[variable.Name] = variable.Sources[0]
	}
	return sources, errors.Join(problems...)
}

// do calls the handler, and sets missing fields of the contents.
func (r *resource) do(ctx context.Context, k *call.Call) (call.Result, error) {
	input := &k.Facts().Input
	input.Subject = &r.subject
	result, err := r.handler.Handle(ctx, &resources.Request{Request: exchange.Request(request.New(k))})
	if err != nil {
		return nil, err
	}
	finished, err := r.finish(input.URI, result)
	if err != nil {
		return nil, err
	}
	encoded, err := codec.Marshal(finished)
	return &protocol.Object{JSON: encoded, Cacheable: true, CacheHint: r.resultHint(ctx, k, finished.CacheHint)}, err
}

// explain returns the answer for an error of the handler. For ErrResourceNotFound it is
// the same as for a URI that no resource or template matches.
func (r *resource) explain(k *call.Call, err error) (call.Result, *exchange.Error) {
	if errors.Is(err, exchange.ErrResourceNotFound) {
		return nil, fault.ResourceNotFound(k.Facts().Input.URI, k.Facts().Version)
	}
	return r.server.explain(k, err)
}

// finish returns a copy of the handler's result with missing fields set, or an error if
// the result is not valid.
func (r *resource) finish(uri string, result resources.Result) (*resources.ReadResult, error) {
	given, _ := result.(*resources.ReadResult)
	if given == nil || len(given.Contents) == 0 {
		return nil, declaration.ErrNoContents
	}
	finished := &resources.ReadResult{Contents: make([]content.Resource, len(given.Contents)), Meta: given.Meta, CacheHint: given.CacheHint}
	for i, contents := range given.Contents {
		if contents.Blob != nil && contents.Text != "" {
			return nil, fmt.Errorf("contents %d: a resource holds a text or a blob, not both; return two contents", i+1)
		}
		r.fill(&contents, uri, declaration.OriginOf(given, i))
		finished.Contents[i] = contents
	}
	return finished, nil
}

// fill sets missing fields of contents.
func (r *resource) fill(contents *content.Resource, uri string, origin declaration.Origin) {
	contents.URI = cmp.Or(contents.URI, uri)
	if !utf8.ValidString(contents.Text) { // JSON strings must be valid UTF-8
		contents.Blob, contents.Text = []byte(contents.Text), ""
	}
	contents.MIMEType = cmp.Or(contents.MIMEType, r.definition.MIMEType, origin.MIMEType, guess(contents))
	if origin.File && content.IsText(contents.MIMEType) && utf8.Valid(contents.Blob) {
		contents.Text, contents.Blob = string(contents.Blob), nil
	}
	if origin.Bare && contents.Meta == nil {
		contents.Meta = r.definition.Meta
	}
}

// guess returns a MIME type for contents, based on their beginning.
func guess(contents *content.Resource) string {
	if contents.Blob != nil {
		return content.MIMEBinary
	}
	text := strings.TrimSpace(contents.Text)
	start := strings.ToLower(text[:min(len(text), len("<!doctype html"))])
	switch {
	case strings.HasPrefix(start, "<!doctype html"), strings.HasPrefix(start, "<html"):
		return content.MIMEHTML
	case strings.HasPrefix(start, "<?xml"):
		return content.MIMEXML
	case (strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[")) && codec.Valid([]byte(text)):
		return content.MIMEJSON
	}
	return content.MIMEPlain
}
