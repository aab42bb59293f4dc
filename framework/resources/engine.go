package resources

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bowline-mcp/bowline/framework/completion"
	"github.com/bowline-mcp/bowline/framework/content"
	"github.com/bowline-mcp/bowline/framework/exchange"
	"github.com/bowline-mcp/bowline/internal/codec"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// A Compiled is what a resource says of itself, asked once. It is for the engine.
type Compiled struct {
	Definition Definition                   // with the template as its URI
	JSON       []byte                       // the encoded Definition, or TemplateDefinition
	Template   *Template                    // nil if there is only one resource
	Sources    map[string]completion.Source // by variable; nil if none has one
	Timeout    time.Duration                // 0 is the server's
}

// Compile asks a resource for what it says of itself. The error holds everything that
// is wrong with it, except its icons and optional methods, which the engine checks for
// all kinds alike. It is for the engine.
func Compile(resource Interface) (*Compiled, error) {
	definition := Definition{
		URI: resource.URI(), Name: resource.Name(), Title: resource.Title(), Description: strings.TrimSpace(resource.Description()),
		MIMEType: resource.MIMEType(), Size: resource.Size(), Icons: resource.Icons(), Annotations: resource.Annotations(), Meta: resource.Meta(),
		Timeout: resource.Timeout(),
	}
	if _, ok := resource.(*defined); !ok {
		typeName := naming.TypeName(resource)
		if definition.Name == "" {
			definition.Name = naming.Kebab(typeName)
		}
		if definition.Title == "" {
			definition.Title = naming.Headline(typeName)
		}
	}
	compiled := &Compiled{Definition: definition, Timeout: definition.Timeout}
	problems := definition.check()
	var err error
	if strings.ContainsAny(definition.URI, "{}") {
		compiled.Template, err = ParseTemplate(definition.URI)
		problems = append(problems, err)
		if definition.Size != 0 {
			problems = append(problems, errors.New("its URI is a template of many, which have no size in common; drop Size"))
		}
	} else {
		problems = append(problems, checkURI(definition.URI))
	}
	var variables Variables
	resource.Variables(&variables)
	if err == nil {
		compiled.Sources, err = variables.compile(compiled.Template)
		problems = append(problems, err)
	}
	if compiled.Template == nil {
		compiled.JSON, err = codec.Marshal(definition)
	} else {
		compiled.JSON, err = codec.Marshal(definition.template())
	}
	if err := errors.Join(append(problems, err)...); err != nil {
		return nil, fmt.Errorf("%s (%T): %w", definition.Name, resource, err)
	}
	return compiled, nil
}

// check returns what is wrong with a definition, but for its URI.
func (d *Definition) check() []error {
	var problems []error
	if d.Name == "" {
		problems = append(problems, errors.New("it has no name; define Name, or give its type one"))
	}
	if d.Size < 0 {
		problems = append(problems, fmt.Errorf("its Size is %d; it must be a number of bytes, or 0 if unknown", d.Size))
	}
	if d.Timeout < 0 {
		problems = append(problems, fmt.Errorf("its Timeout is %v; it must be more than 0, or 0 for the server's", d.Timeout))
	}
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

// checkURI refuses what RFC 3986 does, and URIs that are relative.
func checkURI(uri string) error {
	switch {
	case uri == "":
		return errors.New("it has no URI; give it one, such as docs://handbook")
	case !scheme.MatchString(uri):
		return fmt.Errorf("its URI %q must begin with a scheme, as docs://handbook does", uri)
	case !naming.IsURI(uri):
		return fmt.Errorf("its URI %q is not valid (RFC 3986); percent-encode what may not be in one, and write variables in braces, as in users://{id}", uri)
	}
	return nil
}

// Match reports whether the resource is the one of a URI, and returns the variables if
// it is a template.
func (c *Compiled) Match(uri string) (map[string]string, bool) {
	if c.Template != nil {
		return c.Template.Match(uri)
	}
	return nil, uri == c.Definition.URI
}

// NewRequest returns a request for a URI, with the variables that [Compiled.Match]
// found. It is for the engine; tests go through package mcptest.
func NewRequest(link exchange.Link, resource *Compiled, uri string, variables map[string]string) Request {
	return Request{Request: exchange.New(link), resource: resource, uri: uri, variables: variables}
}

// ErrNoFunction is returned at registration for a resource that [New] made of nil.
var ErrNoFunction = errors.New("it has no function to call; give resources.New one")

// Check returns what keeps a resource from ever answering. It is for the engine.
func Check(resource Interface) error {
	if made, ok := resource.(*defined); ok && made.handle == nil {
		return ErrNoFunction
	}
	return nil
}
