package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A languagePattern finds sentences of a kind that the documents avoid.
type languagePattern struct {
	line          int // in language.txt
	source, write string
	fails, passes []string
	finds         *regexp.Regexp
}

// languagePatterns returns the patterns of docs/testdata/language.txt.
func languagePatterns(t *testing.T) (patterns []languagePattern) {
	t.Helper()
	for i, line := range strings.Split(read(t, "docs/testdata/language.txt"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		if key == "pattern" {
			finds, err := regexp.Compile("(?i)" + strings.ReplaceAll(value, " ", `\s+`))
			if err != nil {
				t.Fatalf("docs/testdata/language.txt:%d: %v", i+1, err)
			}
			patterns = append(patterns, languagePattern{line: i + 1, source: value, finds: finds})
			continue
		}
		if len(patterns) == 0 || value == "" {
			t.Fatalf("docs/testdata/language.txt:%d: a line is a pattern, or write, fails or passes of one", i+1)
		}
		switch last := &patterns[len(patterns)-1]; key {
		case "write":
			last.write = value
		case "fails":
			last.fails = append(last.fails, value)
		case "passes":
			last.passes = append(last.passes, value)
		default:
			t.Fatalf("docs/testdata/language.txt:%d: unknown key %q", i+1, key)
		}
	}
	return patterns
}

// prose returns a document without its fenced blocks, whose lines are empty.
func prose(text string) string {
	lines, fenced := strings.Split(text, "\n"), false
	for i, line := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence || fenced {
			lines[i] = ""
		}
		fenced = fenced != fence
	}
	return strings.Join(lines, "\n")
}

// worded returns the documents whose language is checked, by their path.
func worded(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{"llms.txt": read(t, "llms.txt")}
	for document, text := range documents(t) {
		switch folder := path.Dir(document); {
		case folder == "docs", folder == "docs/guide", document == "README.md", document == "CHANGELOG.md", document == "UPGRADE.md":
			texts[document] = text
		}
	}
	return texts
}

func TestTheLanguageOfTheDocuments(t *testing.T) {
	t.Parallel()
	patterns, texts := languagePatterns(t), worded(t)
	if len(texts) < 30 {
		t.Fatalf("only %d documents are checked", len(texts))
	}
	for _, document := range slices.Sorted(maps.Keys(texts)) {
		checkLanguage(t, patterns, document, 1, prose(texts[document]))
	}
}

func TestTheLanguageOfTheHelps(t *testing.T) {
	t.Parallel()
	patterns, names := languagePatterns(t), commands(t)
	checkLanguage(t, patterns, "mcp help", 1, help(t))
	for _, name := range names {
		checkLanguage(t, patterns, "mcp help "+name, 1, help(t, name))
	}
}

// The texts of errors and log lines are string literals among the arguments of a call, such as
// errors.New, fmt.Errorf, slog.Warn, or a function of a package that reports a mistake.
func TestTheLanguageOfErrorsAndLogLines(t *testing.T) {
	t.Parallel()
	patterns, found := languagePatterns(t), 0
	parsed(t, func(file string, positions *token.FileSet, syntax *ast.File) {
		ast.Inspect(syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			for _, argument := range call.Args {
				if text, ok := literal(argument); ok && strings.Contains(text, " ") {
					found++
					checkLanguage(t, patterns, file, positions.Position(argument.Pos()).Line, text)
				}
			}
			return true
		})
	})
	if found < 1000 {
		t.Errorf("the walk finds only %d texts", found)
	}
}

func TestTheLanguageOfTheCommentsOfThePublicAPI(t *testing.T) {
	t.Parallel()
	patterns, found := languagePatterns(t), 0
	parsed(t, func(file string, positions *token.FileSet, syntax *ast.File) {
		if !strings.HasPrefix(file, "framework/") || strings.Contains(file, "/internal/") {
			return
		}
		for _, comment := range publicComments(syntax) {
			found++
			checkLanguage(t, patterns, file, positions.Position(comment.Pos()).Line, comment.Text())
		}
	})
	if found < 1000 {
		t.Errorf("the walk finds only %d comments", found)
	}
}

// checkLanguage reports what the patterns find in a text that begins at a line.
func checkLanguage(t *testing.T, patterns []languagePattern, where string, line int, text string) {
	t.Helper()
	for _, pattern := range patterns {
		for _, place := range pattern.finds.FindAllStringIndex(text, -1) {
			found := strings.Join(strings.Fields(text[place[0]:place[1]]), " ")
			t.Errorf("%s:%d: %q; write: %s", where, line+strings.Count(text[:place[0]], "\n"), found, pattern.write)
		}
	}
}

// parsed calls visit with each Go file of the main module that isn't a test.
func parsed(t *testing.T, visit func(file string, positions *token.FileSet, syntax *ast.File)) {
	t.Helper()
	for _, file := range files(t, ".go") {
		folder, _, _ := strings.Cut(file, "/")
		if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") || folder == "peers" || folder == "docs" {
			continue
		}
		positions := token.NewFileSet()
		syntax, err := parser.ParseFile(positions, filepath.Join(root, file), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		visit(file, positions, syntax)
	}
}

// literal returns the text of a string literal, or of several that are joined by +. Other
// operands are a letter. It reports whether there is a literal.
func literal(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		left, isLeft := literal(e.X)
		right, isRight := literal(e.Y)
		return left + right, isLeft || isRight
	}
	return "X", false
}

// publicComments returns the comments of the package and of its exported declarations, with
// their fields and methods.
func publicComments(syntax *ast.File) (comments []*ast.CommentGroup) {
	add := func(names []*ast.Ident, groups ...*ast.CommentGroup) {
		for _, group := range groups {
			if group != nil && slices.ContainsFunc(names, (*ast.Ident).IsExported) {
				comments = append(comments, group)
			}
		}
	}
	if syntax.Doc != nil {
		comments = append(comments, syntax.Doc)
	}
	for _, declaration := range syntax.Decls {
		switch declaration := declaration.(type) {
		case *ast.FuncDecl:
			add([]*ast.Ident{declaration.Name}, declaration.Doc)
		case *ast.GenDecl:
			for _, spec := range declaration.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					add(spec.Names, declaration.Doc, spec.Doc, spec.Comment)
				case *ast.TypeSpec:
					add([]*ast.Ident{spec.Name}, declaration.Doc, spec.Doc, spec.Comment)
					ast.Inspect(spec.Type, func(n ast.Node) bool {
						if field, ok := n.(*ast.Field); ok {
							add(field.Names, field.Doc, field.Comment)
						}
						return spec.Name.IsExported()
					})
				}
			}
		}
	}
	return comments
}

func TestThePatternsOfTheLanguageFindBadSentencesOnly(t *testing.T) {
	t.Parallel()
	patterns := languagePatterns(t)
	if len(patterns) < 30 {
		t.Fatalf("there are only %d patterns", len(patterns))
	}
	for _, pattern := range patterns {
		if pattern.write == "" || len(pattern.fails) == 0 {
			t.Errorf("docs/testdata/language.txt:%d: the pattern %s lacks write or fails", pattern.line, pattern.source)
		}
		for _, bad := range pattern.fails {
			wrapped := strings.ReplaceAll(bad, " ", "\n")
			if strings.HasPrefix(bad, "#") {
				wrapped = bad // a heading is one line
			}
			if !pattern.finds.MatchString(bad) || !pattern.finds.MatchString(wrapped) {
				t.Errorf("docs/testdata/language.txt:%d: %s doesn't find %q", pattern.line, pattern.source, bad)
			}
		}
		for _, good := range pattern.passes {
			for _, other := range patterns {
				if other.finds.MatchString(good) {
					t.Errorf("docs/testdata/language.txt:%d: %s finds %q, which is fine", other.line, other.source, good)
				}
			}
		}
	}
}

func TestTheLanguageOfCodeIsNotChecked(t *testing.T) {
	t.Parallel()
	text := "Text.\n\n```text\nWhich way for whom?\n```\n\n- A list:\n\n  ```go\n  // mended\n  ```\n\nEnd.\n"
	if got := prose(text); strings.Contains(got, "whom") || strings.Contains(got, "mended") || !strings.Contains(got, "End.") || strings.Count(got, "\n") != strings.Count(text, "\n") {
		t.Errorf("the prose is %q", got)
	}
}
