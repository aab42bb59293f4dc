package crud

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/bowline-mcp/bowline/internal/naming"
)

// checkName returns an error for a name that a field can't have.
func checkName(name string) error {
	lower := strings.ToLower(name)
	switch {
	case name == "":
		return fmt.Errorf("a name is missing before the colon; write NAME:TYPE, such as title:string")
	case strings.Trim(name, letters+"0123456789_") != "" || name[0] < 'a' || name[0] > 'z':
		return fmt.Errorf("the name %q has to begin with a letter from a to z, and to go on with letters, digits or _", naming.Printable(name))
	case strings.HasSuffix(name, "_") || strings.Contains(name, "__"):
		return fmt.Errorf("the name %s has a _ without a letter or digit after it; remove it", name)
	case len(name) > maxFieldName:
		return fmt.Errorf("the name has %d characters; it may have %d", len(name), maxFieldName)
	case slices.Contains(taken(), strings.ReplaceAll(lower, "_", "")):
		return fmt.Errorf("the generated code has another meaning for %s; choose another name, such as %sValue", name, name)
	case token.IsKeyword(lower):
		return fmt.Errorf("%s is a keyword of Go; choose another name, such as %sName", name, name)
	case slices.Contains(sqlWords(), lower):
		return fmt.Errorf("%s is a keyword of SQL; choose another name, such as %sName", name, name)
	}
	return nil
}

// taken returns names that the generated types and tools have already, without underscores.
func taken() []string {
	return []string{"id", "fields", "limit", "cursor", "nextcursor", "search", "confirmed"}
}

// sqlWords returns the keywords that SQLite or PostgreSQL reserve.
func sqlWords() []string {
	return strings.Fields(`abort add all alter always analyse analyze and any array as asc asymmetric authorization autoincrement begin between
		binary both by cascade case cast check collate collation column commit concurrently conflict constraint create cross current_catalog
		current_date current_role current_schema current_time current_timestamp current_user database default deferrable deferred delete desc
		distinct do drop else end escape except exclude exists explain false fetch filter for foreign freeze from full glob grant group having
		if ilike immediate in index indexed initially inner insert instead intersect into is isnull join key lateral leading left like
		localtime localtimestamp match natural no not nothing notnull null of offset on only or order outer over overlaps placing pragma
		primary references regexp reindex release rename replace restrict returning right rollback row rows savepoint select session_user set
		similar some symmetric system_user table tablesample temp temporary then ties to trailing transaction trigger true unbounded union
		unique update user using vacuum values variadic verbose view virtual when where window with without`)
}
