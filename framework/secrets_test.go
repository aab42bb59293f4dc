package framework_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// compared lists the comparisons of values named like secrets that may stop at the first
// difference, with the reasons. Each begins with the file.
var compared = map[string]string{
	"framework/auth/authtest/client.go: client.Secret != secret":                                                   "a server for tests, whose secrets the test has chosen",
	"framework/auth/authtest/grants.go: base64.RawURLEncoding.EncodeToString(verifier[:]) != authorized.challenge": "a server for tests, whose secrets the test has chosen",
	"framework/auth/oauth/internal/admin/password.go: again != password":                                           "the user at the terminal has typed both",
	"internal/json/codec/fields.go: f.Name == token":                                                               "a part of a JSON pointer",
	"framework/schema/describer.go: p.name == token":                                                               "a part of a JSON pointer",
	"internal/json/rawjson/cursor.go: name == token":                                                               "a part of a JSON pointer",
	"internal/json/rawjson/cursor.go: strconv.Itoa(i) == token":                                                    "a part of a JSON pointer",
	"framework/auth/oauth/store/memory/memory.go: other.Hash == token.Hash":                                        "of new tokens, which nobody guesses",
	"framework/auth/oauth/store/memory/memory.go: token.Hash == hash":                                              "a SHA-256 digest: who doesn't know the token can't choose its bytes",
	"internal/cli/dev/proxy/session.go: s.digest == digestOf(r)":                                                   "of a session's headers, which never leave the machine",
}

// The words of names that may stand for secrets. The latter mean something else outside of
// framework/auth, such as the code of an error.
var (
	secretWords = []string{
		"token", "secret", "csrf", "verifier", "challenge", "signature", "mac", "hmac", "password", "passphrase", "digest", "credential",
		"authorization", "cookie", "bearer", "nonce", "hash", "sum",
	}
	secretWordsOfAuth = []string{"code", "state", "ticket"}
)

// comparing lists the functions that compare, and stop at the first difference.
var comparing = []string{
	"bytes.Compare", "bytes.Equal", "bytes.EqualFold", "bytes.HasPrefix", "bytes.HasSuffix", "cmp.Compare", "reflect.DeepEqual", "slices.Compare", "slices.Contains", "slices.Equal",
	"slices.Index", "strings.Compare", "strings.EqualFold", "strings.HasPrefix", "strings.HasSuffix",
}

// Who measures how long such a comparison takes finds a secret one byte at a time. The function
// for secrets is subtle.ConstantTimeCompare.
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	t.Parallel()
	known := maps.Clone(compared)
	for _, found := range comparisons(t) {
		key := found.file + ": " + found.text
		if _, ok := compared[key]; !ok {
			t.Errorf("%s:%d: %s stops at the first difference; use subtle.ConstantTimeCompare, or add %q with a reason to framework/secrets_test.go", found.file, found.line, found.text, key)
		}
		delete(known, key)
	}
	for key := range known {
		t.Errorf("framework/secrets_test.go has an exception that is not in the code: %s", key)
	}
}

// constantTime lists the files that compare secrets, also those whose names don't say so.
var constantTime = []string{
	"framework/auth/login/hash.go", "framework/auth/oauth/internal/authorize/login.go", "framework/auth/oauth/internal/authorize/transaction.go",
	"framework/auth/oauth/internal/clients/authentication.go", "framework/auth/oauth/internal/grants/exchange.go", "framework/auth/upstream/openid.go",
}

func TestFilesThatCompareSecretsDoSoInConstantTime(t *testing.T) {
	t.Parallel()
	var found []string
	for _, source := range sources(t) {
		if source.isTest() || !slices.Contains(source.imports, "crypto/subtle") {
			continue
		}
		found = append(found, source.file)
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(source.file)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "subtle.ConstantTimeCompare(") {
			t.Errorf("%s imports crypto/subtle, but not for its ConstantTimeCompare", source.file)
		}
	}
	slices.Sort(found)
	if !slices.Equal(found, constantTime) {
		t.Errorf("the files that use crypto/subtle are\n%s\nand the list in framework/secrets_test.go has\n%s", strings.Join(found, "\n"), strings.Join(constantTime, "\n"))
	}
}

func TestAComparisonOfSecretsIsFound(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]bool{
		`return r.PostForm.Get("csrf") != t.CSRF`:             true,
		`return r.PostForm.Get("csrf") != kept.Value`:         true,
		`return r.Header["Authorization"] != kept`:            true,
		`return sent == t.csrfToken`:                          true,
		`return sent == "Bearer "+t.HTTPToken`:                true,
		`return string(sent) == string(signature[:8])`:        true,
		`return *sent == (stored.Secret)`:                     true,
		`return bytes.Equal(mac.Sum(nil), sent)`:              true,
		`return strings.EqualFold(sent, password)`:            true,
		`return slices.Contains(tokens, token)`:               true,
		`switch sent { case stored.Token: }`:                  true,
		`switch token { case stored: }`:                       true,
		`return sent == code`:                                 true,
		`return token == "" || secret != nil`:                 false,
		`return len(signature) != len(digest)`:                false,
		`return strings.HasPrefix(token, tokenPrefix)`:        false,
		`return errToken == err || oauth.ErrSignature != err`: false,
		`return codeOf(token) == http.StatusOK`:               false,
		`return progress == total`:                            false,
		`return sent == s.URL+tokenPrefix`:                    false,
		`switch token { case "", tokenPrefix: }`:              false,
		`return subtle.ConstantTimeCompare(sent, token) == 1`: false,
	} {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "p.go", `package p; import "net/http"; const tokenPrefix = "x"; func f() bool { `+statement+` }`, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		look := &lookout{files: files, name: "framework/auth/p.go", constants: constantsOf(file), imports: []string{"http", "oauth"}}
		if ast.Walk(look, file); (len(look.found) > 0) != want {
			t.Errorf("%s: it finds %v", statement, look.found)
		}
	}
}

// A comparison compares values of which one is named like a secret.
type comparison struct {
	file, text string
	line       int
}

// comparisons returns the comparisons in the source files of the module. It leaves out test files.
func comparisons(t *testing.T) (found []comparison) {
	t.Helper()
	files, parsed, constants := token.NewFileSet(), map[string]*ast.File{}, map[string][]string{}
	for _, source := range sources(t) {
		if source.isTest() {
			continue
		}
		file, err := parser.ParseFile(files, filepath.Join("..", filepath.FromSlash(source.file)), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed[source.file] = file
		constants[source.folder()] = append(constants[source.folder()], constantsOf(file)...)
	}
	for name, file := range parsed {
		look := &lookout{files: files, name: name, constants: constants[path.Dir(name)]}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			look.imports = append(look.imports, path.Base(imported))
		}
		ast.Walk(look, file)
		found = append(found, look.found...)
	}
	return found
}

// constantsOf returns the names of the constants of a file.
func constantsOf(file *ast.File) (names []string) {
	for _, declared := range file.Decls {
		general, ok := declared.(*ast.GenDecl)
		if !ok || general.Tok != token.CONST {
			continue
		}
		for _, spec := range general.Specs {
			if values, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range values.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// A lookout visits the syntax tree of one file.
type lookout struct {
	files     *token.FileSet
	name      string
	constants []string // of the package
	imports   []string // the names of packages
	found     []comparison
}

// Visit notes a node if it compares secrets.
func (l *lookout) Visit(node ast.Node) ast.Visitor {
	switch node := node.(type) {
	case *ast.BinaryExpr:
		if node.Op == token.EQL || node.Op == token.NEQ {
			l.compares(node, node.X, node.Y)
		}
	case *ast.CallExpr:
		if len(node.Args) == 2 && slices.Contains(comparing, types.ExprString(node.Fun)) {
			l.compares(node, node.Args[0], node.Args[1])
		}
	case *ast.SwitchStmt:
		for _, statement := range node.Body.List {
			clause, ok := statement.(*ast.CaseClause)
			if !ok || node.Tag == nil {
				continue
			}
			for _, value := range clause.List {
				l.compares(value, node.Tag, value)
			}
		}
	}
	return l
}

func (l *lookout) compares(node ast.Expr, x, y ast.Expr) {
	if !l.isConstant(x) && !l.isConstant(y) && (l.isSecret(x) || l.isSecret(y)) {
		l.found = append(l.found, comparison{l.name, types.ExprString(node), l.files.Position(node.Pos()).Line})
	}
}

// isConstant reports whether an expression is a constant, or what an imported package declares:
// packages have no state.
func (l *lookout) isConstant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return slices.Contains([]string{"nil", "true", "false"}, e.Name) || slices.Contains(l.constants, e.Name)
	case *ast.SelectorExpr:
		from, ok := e.X.(*ast.Ident)
		return ok && slices.Contains(l.imports, from.Name)
	case *ast.ParenExpr:
		return l.isConstant(e.X)
	}
	return false
}

// isSecret reports whether an expression is named like a secret, or made of one.
func (l *lookout) isSecret(e ast.Expr) bool {
	if l.isConstant(e) {
		return false
	}
	switch e := e.(type) {
	case *ast.Ident:
		return l.named(e.Name)
	case *ast.SelectorExpr:
		return l.named(e.Sel.Name)
	case *ast.ParenExpr:
		return l.isSecret(e.X)
	case *ast.StarExpr:
		return l.isSecret(e.X)
	case *ast.UnaryExpr:
		return l.isSecret(e.X)
	case *ast.SliceExpr:
		return l.isSecret(e.X)
	case *ast.BinaryExpr:
		return l.isSecret(e.X) || l.isSecret(e.Y)
	case *ast.IndexExpr:
		return l.isSecret(e.X) || l.isText(e.Index)
	case *ast.CallExpr:
		function := types.ExprString(e.Fun)
		return !slices.Contains([]string{"len", "cap", "subtle.ConstantTimeCompare"}, function) &&
			(l.isSecret(e.Fun) || slices.ContainsFunc(e.Args, func(argument ast.Expr) bool { return l.isSecret(argument) || l.isText(argument) }))
	}
	return false
}

// isText reports whether an expression is a text such as "code_verifier", which names a value.
func (l *lookout) isText(e ast.Expr) bool {
	literal, ok := e.(*ast.BasicLit)
	return ok && literal.Kind == token.STRING && l.named(literal.Value)
}

// named reports whether a name has a word for secrets. Names of errors don't count.
func (l *lookout) named(name string) bool {
	words := wordsOf(name)
	return !slices.Contains(words[:1], "err") && slices.ContainsFunc(words, func(word string) bool {
		word = strings.TrimSuffix(word, "s")
		return slices.Contains(secretWords, word) || slices.Contains(secretWordsOfAuth, word) && strings.HasPrefix(l.name, "framework/auth/")
	})
}

// wordsOf returns the words of a name in lower case: http, csrf and token for HTTPCsrfToken. There
// is at least one, which may be empty.
func wordsOf(name string) (words []string) {
	var word []rune
	letters := []rune(name)
	for i, r := range letters {
		begins := unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
		if begins || !unicode.IsLetter(r) {
			words, word = append(words, string(word)), nil
		}
		if unicode.IsLetter(r) {
			word = append(word, unicode.ToLower(r))
		}
	}
	return append(words, string(word))
}
