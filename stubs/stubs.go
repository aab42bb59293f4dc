// Package stubs has the templates of the Go files that the mcp make commands write.
//
// A stub is a text/template. It may use .Module (the app's module path), .Type (the Go
// type, WeatherTool), .Base (the type without its kind, Weather), .Name (its wire name,
// weather) and .Title (its title, Weather).
// To replace a stub, an app has a file of the same name in its own stubs folder.
//
// Those in crud may use .Module and
//
//	.Type .Plural .Package          BlogPost, BlogPosts, blogposts
//	.Variable .Name .Names          blogPost, blog-post, blog-posts
//	.Key .Word .Words               blog_posts, blog post, blog posts
//	.Directive                      the comment that lists the fields, for --add
//	.Fields                         the fields that clients write
//	.Searched .Filtered             those of text, and those by which lists are filtered
//	.Label                          the first required one of text, or nil
//	.Owner                          the field with the owner, or nil
//	.OwnerParameter .OwnerArgument  "owner string, " and "owner, ", or "" without an owner
//	.Ana .Ben                       "blogpoststest.Ana, " and "blogpoststest.Ben, ", or ""
//	.HasTime .HasOptional           whether there is a time, or an optional field
//	.Next                           the number of the parameter after those of the fields
//	.Added                          in migration_add.stub, the fields that are added
//
// A field has .Name, .GoName, .Words, .Type, .Optional, .GoType, .JSON and .Schema (its tags),
// .Column and .AddedColumn (in SQL), .Number (of its parameter), .Comma (unless it is the last
// one), .Parameter and .Target (of a variable, for statements and scans), .Null and
// .FilterSchema (of a filter), and for tests .Sample, .SampleText, .SampleCapitals and
// .TellsApart.
package stubs

import (
	"embed"
	"io/fs"
)

//go:embed *.stub crud/*.stub
var files embed.FS

//go:embed all:app
var app embed.FS

// App returns the stubs of the files of a new app, by their path in the app and the suffix
// .stub. They may use .Title, .Module, .Program (the name of the built program), .Version,
// .Replace and .Requirements (of the framework), .Key (a new secret), .Auth (whether the app has
// an authorization server), .Server, .ServerFile, .Handle and .Variable (of its server: ShopServer,
// shop_server, shop and shop), .Deploy (whether it has the files for containers and systemd),
// .Image (the name of its image) and .User (the user of its service). The files app_server get the
// name .ServerFile.
func App() (fs.FS, error) { return fs.Sub(app, "app") }

// Files returns the built-in stubs: server.stub, tool.stub, resource.stub,
// resource_template.stub, prompt.stub and guardrail.stub, the stub of the test for each,
// such as tool_test.stub, routes.stub, and in crud those of mcp make:crud.
func Files() fs.FS { return files }
