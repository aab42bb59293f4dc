package directives

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/bowline-mcp/bowline/internal/cli/directives/directive"
)

// toolTypes returns the types of a tool's arguments and of its result.
func (w *renderer) toolTypes(f *feature) (in, out string, err error) {
	s := f.call
	switch {
	case s.structure != nil:
		if in, err = s.structure.write(w.imports); err != nil {
			return "", "", err
		}
	case len(s.plain) > 0:
		in = f.argumentsName()
		if err = w.parameterStruct(f, in); err != nil {
			return "", "", err
		}
	default:
		in = "struct{}"
	}
	if s.result == nil {
		return in, w.imports.framework("tools") + ".Nothing", nil
	}
	out, err = s.result.write(w.imports)
	return in, out, err
}

// parameterStruct declares the struct for the parameters of a tool.
func (w *renderer) parameterStruct(f *feature, name string) error {
	w.printf("\n// %s are the parameters of %s.%s.\ntype %s struct {\n", name, f.file.pkg.name, f.ident(), name)
	if err := w.parameterFields(f, "json"); err != nil {
		return err
	}
	w.printf("}\n")
	return nil
}

// parameterFields writes a field for each parameter, with a tag that has its name.
func (w *renderer) parameterFields(f *feature, key string) error {
	for _, parameter := range f.call.plain {
		text, err := parameter.of.write(w.imports)
		if err != nil {
			return err
		}
		name := parameter.name
		tag := fmt.Sprintf("%s:%q", key, name)
		if parameter.variadic {
			tag = fmt.Sprintf("%s:%q", key, name+",omitempty")
		}
		if schema := f.Options.Value("schema." + parameter.name); schema != "" && f.Kind == directive.Tool {
			tag += " schema:" + strconv.Quote(schema)
		}
		if strings.Contains(tag, "`") {
			tag = strconv.Quote(tag)
		} else {
			tag = "`" + tag + "`"
		}
		w.printf("%s %s %s\n", fieldName(parameter.name), text, tag)
	}
	return nil
}

// fieldName returns the name of the field for a parameter.
func fieldName(parameter string) string {
	if name := strings.ToUpper(parameter[:1]) + parameter[1:]; ast.IsExported(name) {
		return name
	}
	return "X" + parameter
}

// toolSchemas writes the methods that add comments to the schemas.
func (w *renderer) toolSchemas(f *feature) {
	var arguments []typeRef
	if f.call.structure != nil {
		arguments = append(arguments, *f.call.structure)
	}
	for _, parameter := range f.call.plain {
		arguments = append(arguments, parameter.of)
	}
	if w.addComments(arguments...) {
		w.schemaMethod(f, "Schema")
	}
	if f.call.result == nil {
		return
	}
	result, _ := f.call.result.elem()
	if structure, _ := w.structOf(result); structure != nil && w.addComments(result) {
		w.schemaMethod(f, "OutputSchema")
	}
}

// schemaMethod writes the method that describes the arguments or the result.
func (w *renderer) schemaMethod(f *feature, name string) {
	w.printf("func (t *%s) %s(s *%s.Object) { t.Typed.%s(s.Comments(comments)) }\n",
		f.typeName, name, w.imports.framework("schema"), name)
}

// toolCall writes the method Call of a tool.
func (w *renderer) toolCall(f *feature, in, out string) {
	s := f.call
	name := func(used bool, name string) string {
		if used {
			return name
		}
		return "_"
	}
	call := w.call(f, w.plainArguments(f, "arguments"))
	w.printf("\nfunc (%s) Call(%s %s.Context, %s *%s.Request, %s %s) (%s, error) {\n", w.receiver(f, call),
		name(s.hasContext, "ctx"), w.imports.name("context", "context"), name(s.hasRequest, "request"), w.imports.framework("tools"), name(s.hasArguments(), "arguments"), in, out)
	nothing := w.imports.framework("tools") + ".Nothing{}"
	switch {
	case s.result != nil && s.hasError:
		w.printf("return %s\n}\n", call)
	case s.result != nil:
		w.printf("return %s, nil\n}\n", call)
	case s.hasError:
		w.printf("return %s, %s\n}\n", nothing, call)
	default:
		w.printf("%s\nreturn %s, nil\n}\n", call, nothing)
	}
}

// receiver returns the receiver of a method whose body has a call.
func (w *renderer) receiver(f *feature, body string) string {
	if strings.Contains(body, "t.") && f.needs != nil {
		return "t *" + f.typeName
	}
	return "*" + f.typeName
}

// value returns the value whose method is called.
func (w *renderer) value(f *feature) string {
	if f.needs != nil {
		return "t." + f.valueField()
	}
	text, _ := typeRef{ast.NewIdent(f.receiver), f.file}.writeName(w.imports)
	return "(&" + text + "{})"
}

// function returns a function of the package of a directive.
func (w *renderer) function(f *feature, name string) string {
	if f.file.pkg.path == w.target.path {
		return name
	}
	return w.imports.name(f.file.pkg.path, f.file.pkg.name) + "." + name
}

// plainArguments returns what is given to the function beside the context and the request. The
// arguments are in a variable.
func (w *renderer) plainArguments(f *feature, variable string) (all []string) {
	switch s := f.call; {
	case s.structure != nil && s.byPointer:
		return []string{"&" + variable}
	case s.structure != nil:
		return []string{variable}
	default:
		for _, parameter := range s.plain {
			text := variable + "." + fieldName(parameter.name)
			if parameter.variadic {
				text += "..."
			}
			all = append(all, text)
		}
		return all
	}
}

// call returns the call of the function or method.
func (w *renderer) call(f *feature, arguments []string) string {
	var all []string
	if f.call.hasContext {
		all = append(all, "ctx")
	}
	if f.call.hasRequest {
		all = append(all, "request")
	}
	all = append(all, arguments...)
	callee := ""
	if f.receiver != "" {
		callee = w.value(f) + "." + f.fn.Name.Name
	} else {
		callee = w.function(f, f.fn.Name.Name)
	}
	return callee + "(" + strings.Join(all, ", ") + ")"
}

// handle writes the method Handle of a resource, a template or a prompt.
func (w *renderer) handle(f *feature) error {
	s, folder := f.call, w.imports.framework(f.Kind.Folder())
	call := w.call(f, w.plainArguments(f, "in"))
	ctx, request := "ctx", "request"
	if !s.hasContext {
		ctx = "_"
	}
	if !s.hasRequest && !s.hasArguments() {
		request = "_"
	}
	w.printf("\nfunc (%s) Handle(%s %s.Context, %s *%s.Request) (%s.Result, error) {\n",
		w.receiver(f, call), ctx, w.imports.name("context", "context"), request, folder, folder)
	if s.hasArguments() {
		if err := w.bind(f); err != nil {
			return err
		}
	}
	isResult := s.result.is(framework+"/"+f.Kind.Folder(), "Result")
	wrap := folder + ".Wrap(%s)"
	if f.Kind == directive.Prompt && s.result.is("", "string") {
		wrap = folder + ".User(%s), nil"
	}
	switch {
	case isResult && s.hasError:
		w.printf("return %s\n}\n", call)
	case isResult:
		w.printf("return %s, nil\n}\n", call)
	case s.hasError:
		w.printf("result, err := %s\nif err != nil {\nreturn nil, err\n}\nreturn %s\n}\n", call, fmt.Sprintf(wrap, "result"))
	default:
		w.printf("return %s\n}\n", fmt.Sprintf(wrap, call))
	}
	return nil
}

// bind writes how the arguments get into the variable in.
func (w *renderer) bind(f *feature) error {
	if f.call.structure != nil {
		text, err := f.call.structure.write(w.imports)
		if err != nil {
			return err
		}
		w.printf("var in %s\n", text)
	} else {
		key := "json"
		if f.Kind == directive.Template {
			key = "uri"
		}
		w.printf("var in struct {\n")
		if err := w.parameterFields(f, key); err != nil {
			return err
		}
		w.printf("}\n")
	}
	w.printf("if err := request.Bind(&in); err != nil {\nreturn nil, err\n}\n")
	return nil
}

// argumentsMethod writes the arguments of a prompt.
func (w *renderer) argumentsMethod(f *feature) {
	if len(f.arguments) == 0 {
		return
	}
	var body strings.Builder
	for _, argument := range f.arguments {
		fmt.Fprintf(&body, "arguments.Argument(%q)", argument.name)
		if argument.title != "" {
			fmt.Fprintf(&body, ".Title(%q)", argument.title)
		}
		if argument.description != "" {
			fmt.Fprintf(&body, ".Description(%q)", argument.description)
		}
		if argument.isRequired {
			body.WriteString(".Required()")
		}
		if argument.value != nil {
			fmt.Fprintf(&body, ".Default(%q)", *argument.value)
		}
		if argument.enum != nil {
			fmt.Fprintf(&body, ".Enum(%s)", quoted(argument.enum))
		}
		if argument.complete != nil {
			fmt.Fprintf(&body, ".Complete(%s)", w.source(f, argument.complete))
		}
		body.WriteString("\n")
	}
	w.printf("\nfunc (%s) Arguments(arguments *%s.Arguments) {\n%s}\n",
		w.receiver(f, body.String()), w.imports.framework("prompts"), body.String())
}

// variablesMethod writes the suggestions for the variables of a template.
func (w *renderer) variablesMethod(f *feature) {
	if !slices.ContainsFunc(f.arguments, func(a argument) bool { return a.complete != nil }) {
		return
	}
	var body strings.Builder
	for _, argument := range f.arguments {
		if argument.complete != nil {
			fmt.Fprintf(&body, "variables.Variable(%q).Complete(%s)\n", argument.name, w.source(f, argument.complete))
		}
	}
	w.printf("\nfunc (%s) Variables(variables *%s.Variables) {\n%s}\n",
		w.receiver(f, body.String()), w.imports.framework("resources"), body.String())
}

// source returns what suggests values.
func (w *renderer) source(f *feature, s *source) string {
	completion := w.imports.framework("completion")
	switch {
	case s.isMethod:
		return fmt.Sprintf("%s.Func(%s.%s)", completion, w.value(f), s.function)
	case s.function != "":
		return fmt.Sprintf("%s.Func(%s)", completion, w.function(f, s.function))
	case s.constants != nil:
		all := make([]string, len(s.constants))
		for i, name := range s.constants {
			all[i] = w.function(f, name)
		}
		return fmt.Sprintf("%s.Enum(%s)", completion, strings.Join(all, ", "))
	}
	return fmt.Sprintf("%s.Values(%s)", completion, quoted(s.values))
}
